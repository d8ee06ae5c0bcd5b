import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { MasterConfig } from '#shared/config/master.ts';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import {
  type Save,
  serviceOfVolume,
  templateOfVolume,
  volumeIdSchema,
  volumeOfService,
  type VolumeId,
} from '#shared/model/volume.ts';
import type { VolumeSnapshot } from '#master/core/snapshot/snapshot.ts';
import { diskProblem } from '#master/templates/disk-problem.ts';
import type { DiskReserves } from '#master/store/disk-reserve.ts';
import { removeLeftImports, useImportFolder } from '#master/store/import-folders.ts';
import { serialQueue } from '#master/store/serial.ts';
import { removeTree } from '#master/templates/pinned-folder.ts';
import { CopyFolders, type CopyPaths } from './copies/copy-place.ts';
import type { StoredFiles } from './known-contents.ts';
import { QuotaClaims } from './quota.ts';
import { FolderRemovals, hiddenFolders } from './removed-folders.ts';
import type { VolumeSurroundings } from './surroundings.ts';
import { Volume } from './volume.ts';

export interface VolumesOptions {
  /** Folder of all volumes: `<data>/volumes`. */
  readonly folder: string;
  /** Folders of the working copies. */
  readonly copies: CopyPaths;
  readonly disks: DiskReserves;
  /** Returns the settings `volumes` of the master configuration. */
  readonly settings: () => MasterConfig['volumes'];
  /** Returns the wall-clock time (ms since epoch). */
  readonly now: () => number;
  /** Time without a change, after which changes over SFTP become a save (ms); default 10 s. */
  readonly quietMs?: number;
  /** Opens the newest revision of a template's folder. Resolves to null if there is none. */
  readonly revisionOf?: (template: TemplateId) => Promise<StoredFiles | null>;
  /** Called if the files of a deleted volume cannot be removed. */
  readonly onUnremoved?: (error: unknown, folder: string) => void;
}

/**
 * Maximum number of volumes. If it is reached, people cannot create more, so that the list of all volumes stays below
 * 8 MB.
 */
const MAX_VOLUMES = 5_000;
/** Maximum number of volumes of one template. If it is reached, people cannot create more. */
const MAX_VOLUMES_OF_TEMPLATE = 1_000;

/** All volumes of a master. */
export class Volumes {
  readonly #options: VolumesOptions;
  readonly #around: VolumeSurroundings;
  readonly #volumes = new Map<VolumeId, Volume>();
  /** Volumes whose files on the disk cannot be read. They are not used, and none of their files are changed. */
  readonly #damaged = new Map<VolumeId, OverworldError<'VOLUME_DAMAGED'>>();
  readonly #opening = new Map<VolumeId, Promise<Volume>>();
  /** Creates clones one after the other, because each of them reads a manifest, which may be large. */
  readonly #clones = serialQueue();
  readonly #removals: FolderRemovals;
  readonly #listeners = new Set<() => void>();

  private constructor(options: VolumesOptions, copies: CopyFolders) {
    this.#options = options;
    this.#removals = new FolderRemovals((error, path) => options.onUnremoved?.(error, path));
    const { folder, disks, settings, now, quietMs } = options;
    this.#around = {
      settings,
      now,
      quietMs,
      copies,
      storedFilesOf: (volume) => this.#storedFilesOf(volume),
      reserve: disks.of(folder),
      claims: new QuotaClaims(() => this.#totalBytes()),
      changed: () => {
        for (const listener of this.#listeners) listener();
      },
    };
  }

  /**
   * Opens all volumes in a folder, which is created if it does not exist. Volumes whose files cannot be read are
   * listed in {@link Volumes.damaged}. Removes folders that killed imports have left. Those of interrupted deletions
   * are removed in the background.
   *
   * @throws errno errors
   */
  static async open(options: VolumesOptions): Promise<Volumes> {
    const { folder } = options;
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await removeLeftImports(folder, removeTree);
    const copies = await CopyFolders.open(options.copies, options.disks);
    const volumes = new Volumes(options, copies);
    for (const template of await readdir(folder)) {
      const numbers = await readdir(join(folder, template)).catch(() => []);
      for (const number of numbers) {
        const id = volumeIdSchema.safeParse(`${template}/${number}`);
        if (id.success) await volumes.#openIfReadable(id.data);
      }
    }
    // A working copy contains changes that no save has, so its volume is created again if it is missing.
    for (const id of await copies.ids()) {
      const isKnown = volumes.#volumes.has(id) || volumes.#damaged.has(id);
      if (!isKnown && volumes.#volumes.size < MAX_VOLUMES) await volumes.#openIfReadable(id);
    }
    for (const left of await hiddenFolders(folder)) volumes.#removals.add(left);
    return volumes;
  }

  async *#storedFilesOf(id: VolumeId): AsyncGenerator<StoredFiles> {
    const template = templateOfVolume(id);
    const revision = await this.#options.revisionOf?.(template).catch(() => null);
    if (revision) yield revision;
    for (const volume of this.all) {
      if (volume.id === id || templateOfVolume(volume.id) !== template) continue;
      // A volume that cannot be read is skipped. The only effect is a longer transfer.
      const save = await volume.lease().catch(() => null);
      if (save !== null) yield save;
    }
  }

  /** All volumes, sorted by template and number. */
  get all(): readonly Volume[] {
    return [...this.#volumes.values()].sort((a, b) => compareIds(a.id, b.id));
  }

  /** Volumes that cannot be used. The error of each says what to do. */
  get damaged(): readonly { readonly id: VolumeId; readonly problem: OverworldError }[] {
    return [...this.#damaged].map(([id, problem]) => ({ id, problem }));
  }

  /** Returns why the volume of a service cannot be used. Null if it can be used, or if the service has no volume. */
  damageOf(service: ServiceId): OverworldError | null {
    return this.#damaged.get(volumeOfService(service)) ?? null;
  }

  /** Returns the volume of a service. Undefined if the service has no volume yet, or if the volume is damaged. */
  of(service: ServiceId): Volume | undefined {
    return this.#volumes.get(volumeOfService(service));
  }

  /** Returns a volume. @throws OverworldError VOLUME_NOT_FOUND, VOLUME_DAMAGED */
  get(id: VolumeId): Volume {
    const volume = this.#volumes.get(id);
    if (volume !== undefined) return volume;
    throw this.#damaged.get(id) ?? new OverworldError('VOLUME_NOT_FOUND', { volume: id });
  }

  /**
   * Returns the volume of a service. Creates it if it does not exist.
   *
   * @throws OverworldError VOLUME_DAMAGED; errno errors
   */
  make(service: ServiceId): Promise<Volume> {
    return this.#open(volumeOfService(service));
  }

  /**
   * Deletes a volume with all its saves. When it resolves, the volume no longer exists, also after a crash. Its files
   * are removed in the background.
   *
   * @throws OverworldError VOLUME_NOT_FOUND, VOLUME_DAMAGED, VOLUME_IN_USE, VOLUME_UNREADABLE
   */
  async remove(id: VolumeId): Promise<void> {
    const hidden = await this.get(id).remove();
    this.#volumes.delete(id);
    this.#around.changed();
    this.#removals.add(hidden);
  }

  /**
   * Creates a volume from a save of another volume, without copying the files.
   *
   * @param save id of the save; default: the newest save of the other volume
   * @throws OverworldError VOLUME_NOT_FOUND, VOLUME_DAMAGED, SAVE_NOT_FOUND, VOLUME_EXISTS (the new volume already
   * has saves), VOLUME_IN_USE, VOLUME_QUOTA, VOLUMES_LIMIT, DISK_FULL, DISK_RESERVED. After an error, a volume that
   * did not exist before is removed again, unless it was used in the meantime
   */
  clone(
    {
      from,
      to,
      save,
    }: { readonly from: VolumeId; readonly to: VolumeId; readonly save?: string | undefined },
    cause: string,
  ): Promise<void> {
    return this.#clones(async () => {
      const source = this.get(from);
      await this.#fill(to, (target) => target.copyFrom(source, save, cause));
    });
  }

  /**
   * Stores the content of a folder as the newest save of a volume. Creates the volume if it does not exist.
   *
   * @param folder name of a folder in the folder of the volumes. It is recorded as used by this process
   * @throws OverworldError VOLUME_DAMAGED, VOLUME_IN_USE, IMPORT_UNUSABLE, VOLUME_QUOTA, VOLUMES_LIMIT, DISK_FULL,
   * DISK_RESERVED. After an error, a volume that did not exist before is removed again, unless it was used in the
   * meantime
   */
  async import(id: VolumeId, folder: string, cause: string): Promise<Save> {
    const path = join(this.#options.folder, folder);
    // The command that has created the folder may be killed during the import.
    await useImportFolder(this.#options.folder, folder);
    return this.#fill(id, (volume) => volume.copyFromFolder(path, cause));
  }

  /**
   * Returns the volumes in the form that the planner uses.
   *
   * @param lastNodeOf returns the current or last node of a service. This node may have the newest data of a damaged
   *   volume
   */
  snapshot(lastNodeOf: (service: ServiceId) => string | null): VolumeSnapshot[] {
    const usable = [...this.#volumes.values()].map(({ id, attachment, lastNode, failure }) => ({
      service: serviceOfVolume(id),
      attachedTo: attachment?.node ?? null,
      mayBeUnsaved: attachment?.started ?? false,
      cachedOn: lastNode,
      problem: null,
      unsavable: failure.whyUnsavable(attachment),
    }));
    const damaged = this.damaged.map(({ id, problem }) => {
      const service = serviceOfVolume(id);
      const { message } = problem;
      return {
        service,
        attachedTo: lastNodeOf(service),
        mayBeUnsaved: true,
        cachedOn: null,
        problem: message,
        unsavable: message,
      };
    });
    return [...usable, ...damaged];
  }

  /** Subscribes to changes of any volume. @returns a function that unsubscribes */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Stores no more saves, and removes no more files. Resolves when the changes in progress have finished. */
  async close(): Promise<void> {
    const volumes = [...this.#volumes.values()];
    await Promise.all([this.#removals.close(), ...volumes.map((volume) => volume.close())]);
  }

  /**
   * Opens or creates a volume, and calls `work` to fill it at a person's request. If `work` fails, a volume that was
   * just created is removed again.
   */
  async #fill<T>(id: VolumeId, work: (volume: Volume) => Promise<T>): Promise<T> {
    const isNew = !this.#volumes.has(id);
    if (isNew) this.#requireRoomFor(id);
    const volume = await this.#open(id);
    try {
      return await work(volume);
    } catch (error) {
      if (isNew && isUnused(volume)) await this.remove(id);
      throw error;
    }
  }

  /** Checks that a person may create a volume. The master creates volumes of services without this check. */
  #requireRoomFor(id: VolumeId): void {
    const template = templateOfVolume(id);
    const all = [...this.#volumes.keys(), ...this.#damaged.keys(), ...this.#opening.keys()];
    const refuse = (what: string, limit: number): never => {
      throw new OverworldError('VOLUMES_LIMIT', { what, limit });
    };
    if (all.length >= MAX_VOLUMES) refuse('this network', MAX_VOLUMES);
    const siblings = all.filter((one) => templateOfVolume(one) === template);
    if (siblings.length >= MAX_VOLUMES_OF_TEMPLATE) refuse(`template ${template}`, MAX_VOLUMES_OF_TEMPLATE);
  }

  async #openIfReadable(id: VolumeId): Promise<void> {
    try {
      await this.#open(id);
    } catch (error) {
      const why = hasCode(error, 'DATA_FAULTY')
        ? `${error.details.path} cannot be read: ${error.details.why}`
        : `${join(this.#options.folder, id)} cannot be read: ${diskProblem(error)}`;
      this.#damaged.set(id, new OverworldError('VOLUME_DAMAGED', { volume: id, why }, error));
    }
  }

  async #open(id: VolumeId): Promise<Volume> {
    const known = this.#volumes.get(id);
    if (known !== undefined) return known;
    const damage = this.#damaged.get(id);
    if (damage !== undefined) throw damage;
    const opening =
      this.#opening.get(id) ??
      Volume.open(id, join(this.#options.folder, id), this.#around).finally(() => this.#opening.delete(id));
    this.#opening.set(id, opening);
    const volume = await opening;
    this.#volumes.set(id, volume);
    return volume;
  }

  async #totalBytes(): Promise<number> {
    let total = 0;
    for (const volume of this.#volumes.values()) total += await volume.storedBytes();
    return total;
  }
}

/** Reports whether a volume is empty and unused: it is not attached and has no saves. */
function isUnused({ attachment, hasSaves }: Volume): boolean {
  return attachment === null && !hasSaves;
}

/** Compares ids of volumes by template, then by number. */
export function compareIds(a: VolumeId, b: VolumeId): number {
  const [templateA = '', numberA] = a.split('/');
  const [templateB = '', numberB] = b.split('/');
  return templateA < templateB ? -1 : templateA > templateB ? 1 : Number(numberA) - Number(numberB);
}
