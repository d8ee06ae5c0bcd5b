import type { PersistentFile } from '#master/templates/revisions/manifest.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { SnapshotFiles } from '../../runtime.ts';
import type { ProcessObservation } from '../observed-processes.ts';
import type { ServiceFolder } from '../service-folder.ts';
import { VolumeFiles } from './volume-files.ts';

/** Snapshots of the persistent files of services on this machine. A snapshot exists until its files are stored. */
export class Snapshots {
  readonly #ofService = new Map<ServiceId, VolumeFiles>();

  /**
   * Takes a snapshot of a service's persistent files (`Runtime.takeSnapshot`). The caller must not start or remove
   * the service meanwhile.
   *
   * @returns false if there is nothing to keep
   */
  async take(observed: ProcessObservation | null, folder: ServiceFolder): Promise<boolean> {
    if (!isKept(observed)) return false;
    const files = new VolumeFiles(folder);
    this.#ofService.set(observed.id, files);
    await files.take(observed.record.spec, observed.state === 'alive');
    return true;
  }

  /**
   * Returns the files of the last snapshot with their hashes. @throws OverworldError PREPARE_FAILED without a
   * snapshot
   */
  read(id: ServiceId): Promise<SnapshotFiles> {
    return this.#of(id).read();
  }

  /**
   * Writes contents of the last snapshot into a folder, each under its hash.
   *
   * @throws OverworldError PREPARE_FAILED without a snapshot; as {@link VolumeFiles.fetch}
   */
  fetch(id: ServiceId, files: readonly Pick<PersistentFile, 'hash'>[], folder: string): Promise<void> {
    return this.#of(id).fetch(
      files.map(({ hash }) => hash),
      folder,
    );
  }

  /** Ends the last snapshot after its files were stored. Does nothing if there is none. */
  async end(id: ServiceId): Promise<void> {
    await this.#ofService.get(id)?.end();
    this.#ofService.delete(id);
  }

  #of(id: ServiceId): VolumeFiles {
    const files = this.#ofService.get(id);
    if (files !== undefined) return files;
    const why = 'there is no snapshot of its files';
    throw new OverworldError('PREPARE_FAILED', { service: id, why });
  }
}

/** Reports whether the folder of a service may have data of its volume: it was started and has persistent paths. */
export function isKept(observed: ProcessObservation | null): observed is ProcessObservation {
  return (
    observed !== null && observed.state !== 'prepared' && observed.record.spec.persistentPaths.length > 0
  );
}
