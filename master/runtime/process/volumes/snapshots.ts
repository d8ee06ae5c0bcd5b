import type { PersistentFile } from '#master/templates/revisions/manifest.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { DiskReserves } from '#master/store/disk-reserve.ts';
import type { KeyedLock } from '../../keyed-lock.ts';
import type { LogStore } from '../../log/log-store.ts';
import type { SnapshotFiles } from '../../runtime.ts';
import type { PauseRequest } from '../../saving-pause.ts';
import { writeConsole } from '../console.ts';
import type { ProcessObservation, ProcessObserver } from '../observed-processes.ts';
import type { ServerConsole } from './console-answers.ts';
import { VolumeFiles } from './volume-files.ts';
import { whilePaused } from './while-paused.ts';

interface SnapshotsOptions {
  readonly observer: Pick<ProcessObserver, 'observe' | 'folder'>;
  /** Lock of each service, under its id. It is needed to start or remove the service. */
  readonly lock: KeyedLock;
  readonly logs: LogStore;
  readonly disks: Pick<DiskReserves, 'of'>;
}

/** Snapshots of the persistent files of services on this machine. A snapshot exists until its files are stored. */
export class Snapshots {
  readonly #options: SnapshotsOptions;
  readonly #ofService = new Map<ServiceId, VolumeFiles>();

  constructor(options: SnapshotsOptions) {
    this.#options = options;
  }

  /** Makes a service also keep the files at these paths (`Runtime.addPersistentPaths`). @throws errno errors */
  addPaths(id: ServiceId, paths: readonly string[]): Promise<void> {
    const { observer, lock } = this.#options;
    return lock.run(id, async () => {
      const record = (await observer.observe(id))?.record;
      if (record === undefined) return;
      const persistentPaths = [...new Set([...record.spec.persistentPaths, ...paths])];
      await observer.folder(id).writeRecord({ ...record, spec: { ...record.spec, persistentPaths } });
    });
  }

  /**
   * Takes a snapshot of a service's persistent files (`Runtime.takeSnapshot`).
   *
   * @returns false if there is nothing to keep
   * @throws OverworldError PREPARE_FAILED if the service was removed during the pause; errors of the console; errno
   *   errors
   */
  take(id: ServiceId, pause: PauseRequest | undefined): Promise<boolean> {
    const { observer, lock } = this.#options;
    return lock.run(`snapshot of ${id}`, async () => {
      const first = await lock.run(id, async () =>
        this.#begin(await observer.observe(id), pause !== undefined),
      );
      if (pause === undefined || first?.observed.state !== 'alive') return first !== null;
      // The service is not locked during the whole pause, so that it can be stopped while its server does not answer.
      const repeat = async (): Promise<void> => {
        const now = await observer.observe(id);
        if (!isKept(now) || now.startedAt !== first.observed.startedAt)
          throw failed(id, 'it was removed while its files were copied');
        await first.files.repeat();
      };
      await whilePaused(this.#consoleOf(id, first.observed), pause, () => lock.run(id, repeat));
      return true;
    });
  }

  /** Takes a snapshot, which can be repeated. Returns null if there is nothing to keep. */
  async #begin(
    observed: ProcessObservation | null,
    isRepeated: boolean,
  ): Promise<{ readonly observed: ProcessObservation; readonly files: VolumeFiles } | null> {
    if (!isKept(observed)) return null;
    const { id, state, record } = observed;
    const { observer, disks } = this.#options;
    const files = new VolumeFiles(observer.folder(id), disks);
    this.#ofService.set(id, files);
    const isAlive = state === 'alive';
    await files.take(record.spec, { copy: isAlive, isRepeated: isAlive && isRepeated });
    return { observed, files };
  }

  #consoleOf(id: ServiceId, { startedAt }: ProcessObservation): ServerConsole {
    const { observer, logs } = this.#options;
    return {
      write: (text) => writeConsole(id, observer.folder(id).console, text),
      follow: (listener) => logs.follow(id, 0, listener),
      look: () => logs.poke(id),
      isAlive: async () => {
        const now = await observer.observe(id);
        return now?.state === 'alive' && now.startedAt === startedAt;
      },
    };
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
   * @throws OverworldError PREPARE_FAILED without a snapshot; errors of {@link VolumeFiles.fetch}
   */
  fetch(id: ServiceId, files: readonly Pick<PersistentFile, 'hash'>[], folder: string): Promise<void> {
    return this.#of(id).fetch(
      files.map(({ hash }) => hash),
      folder,
    );
  }

  /** Ends the last snapshot (`Runtime.endSnapshot`). Does nothing if there is none. */
  async end(id: ServiceId, result: { readonly stored: boolean }): Promise<void> {
    await this.#ofService.get(id)?.end(result);
    this.#ofService.delete(id);
  }

  #of(id: ServiceId): VolumeFiles {
    const files = this.#ofService.get(id);
    if (files !== undefined) return files;
    throw failed(id, 'there is no snapshot of its files');
  }
}

function failed(service: ServiceId, why: string): OverworldError {
  return new OverworldError('PREPARE_FAILED', { service, why });
}

/** Reports whether the folder of a service may have data of its volume: it was started and has persistent paths. */
export function isKept(observed: ProcessObservation | null): observed is ProcessObservation {
  return (
    observed !== null && observed.state !== 'prepared' && observed.record.spec.persistentPaths.length > 0
  );
}
