import { mkdir, readdir, realpath, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { isTemplateId } from '#shared/model/template-id.ts';
import { volumeIdSchema, type VolumeId } from '#shared/model/volume.ts';
import type { DataFolder } from '#master/store/data-folder.ts';
import type { DiskReserve, DiskReserves } from '#master/store/disk-reserve.ts';
import { syncFolder } from '#master/store/write-durably.ts';
import { diskCode } from '#master/templates/disk-problem.ts';
import { FolderReplaced, inExactFolder } from '#master/templates/pinned-folder.ts';
import { makeIncoming, removeIncoming } from '../incoming.ts';

/** Name of the working copy in the folder of its volume, where earlier versions of the master stored it. */
const EARLIER_PLACE = 'working-copy';

/** The folders of a data folder that working copies need. */
export type CopyPaths = Pick<DataFolder, 'workingCopies' | 'incoming'>;

/**
 * The folder of all working copies. The SSH service can write to it, so it may contain links that an attacker has
 * placed there. None of them is followed.
 */
export class CopyFolders {
  /** Real path of the folder that contains the folder of all working copies. */
  readonly root: string;
  /** Name of the folder of all working copies. */
  readonly name: string;
  /** Reserve of the disk with the working copies. */
  readonly reserve: DiskReserve;
  readonly #incoming: string;

  private constructor(root: string, { workingCopies, incoming }: CopyPaths, disks: DiskReserves) {
    this.root = root;
    this.name = basename(workingCopies);
    this.reserve = disks.of(incoming);
    this.#incoming = incoming;
  }

  /** Opens the folders, which are created if they do not exist. @throws errno errors */
  static async open(paths: CopyPaths, disks: DiskReserves): Promise<CopyFolders> {
    await mkdir(paths.workingCopies, { recursive: true, mode: 0o700 });
    await removeIncoming(paths.incoming);
    return new CopyFolders(await realpath(dirname(paths.workingCopies)), paths, disks);
  }

  /** Returns the ids of all volumes that have a working copy here. */
  async ids(): Promise<VolumeId[]> {
    const ids: VolumeId[] = [];
    for (const template of (await this.#namesIn(this.name)).filter(isTemplateId))
      for (const number of await this.#namesIn(join(this.name, template))) {
        const id = volumeIdSchema.safeParse(`${template}/${number}`);
        if (id.success && (await this.has(id.data))) ids.push(id.data);
      }
    return ids;
  }

  /** Reports whether there is a working copy of a volume. @throws errno errors */
  async has(id: VolumeId): Promise<boolean> {
    return (
      (await orNull(inExactFolder(this.root, join(this.name, id), () => Promise.resolve(true)))) ?? false
    );
  }

  /** Creates a hidden folder, in which a working copy can be filled or removed. */
  makeIncoming(): Promise<string> {
    return makeIncoming(this.#incoming);
  }

  async #namesIn(folder: string): Promise<string[]> {
    return (await orNull(inExactFolder(this.root, folder, (path) => readdir(path)))) ?? [];
  }
}

/** The place of the working copy of one volume. */
export class CopyPlace {
  /** Path of the working copy. It is the real path, unless an attacker has replaced a part of it by a link. */
  readonly path: string;
  readonly folders: CopyFolders;
  readonly #id: VolumeId;
  readonly #earlier: string;
  #hadCopy = false;

  private constructor(id: VolumeId, volume: string, folders: CopyFolders) {
    this.#id = id;
    this.folders = folders;
    this.path = join(folders.root, folders.name, id);
    this.#earlier = join(volume, EARLIER_PLACE);
  }

  /**
   * Opens the place of the working copy of a volume.
   *
   * @param volume folder of the volume
   * @throws OverworldError VOLUME_COPY_UNUSABLE; errno errors
   */
  static async open(id: VolumeId, volume: string, folders: CopyFolders): Promise<CopyPlace> {
    const place = new CopyPlace(id, volume, folders);
    place.#hadCopy = await place.find();
    return place;
  }

  /** Whether an earlier master has left a working copy. */
  get hadCopy(): boolean {
    return this.#hadCopy;
  }

  /**
   * Reports whether there is a working copy. Moves a copy that an earlier version of the master has left in the
   * volume's folder to the place, if the place is free.
   *
   * @throws OverworldError VOLUME_COPY_UNUSABLE; errno errors
   */
  async find(): Promise<boolean> {
    if (await this.folders.has(this.#id)) return true;
    const volume = await realpath(dirname(this.#earlier));
    const found = await this.#typed(() =>
      orNull(inExactFolder(volume, EARLIER_PLACE, () => Promise.resolve(true))),
    );
    if (found === null) return false;
    await this.put(this.#earlier);
    return true;
  }

  /**
   * Moves a folder to the place. Returns once the move would survive a power failure.
   *
   * @throws OverworldError VOLUME_COPY_UNUSABLE; errno errors
   */
  async put(from: string): Promise<void> {
    await this.#typed(async () => {
      const { root, name } = this.folders;
      await inExactFolder(root, name, async (all) => {
        await mkdir(join(all, dirname(this.#id)), { mode: 0o700 }).catch((error: unknown) => {
          if (diskCode(error) !== 'EEXIST') throw error;
        });
        await syncFolder(all);
      });
      await this.#inTemplate(async (template) => {
        await rename(from, join(template, basename(this.#id))).catch((error: unknown) => {
          throw notMoved(error, from, this.path);
        });
        await syncFolder(template);
      });
    });
  }

  /**
   * Moves the working copy to another path. Returns once the move would survive a power failure.
   *
   * @throws OverworldError VOLUME_COPY_UNUSABLE; errno errors
   */
  async take(to: string): Promise<void> {
    await this.#typed(() =>
      this.#inTemplate(async (template) => {
        await rename(join(template, basename(this.#id)), to);
        await syncFolder(template);
      }),
    );
  }

  /**
   * Calls `work`, which accesses the working copy with {@link inExactFolder}.
   *
   * @throws OverworldError VOLUME_COPY_UNUSABLE if a folder was replaced by a link; other errors of `work`
   */
  use<T>(work: (folder: string) => Promise<T>): Promise<T> {
    return this.#typed(() => work(this.path));
  }

  #inTemplate(work: (path: string) => Promise<void>): Promise<void> {
    const { root, name } = this.folders;
    return inExactFolder(root, join(name, dirname(this.#id)), work);
  }

  async #typed<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      const why = whyUnusable(error);
      if (why === null) throw error;
      throw new OverworldError('VOLUME_COPY_UNUSABLE', { volume: this.#id, why }, error);
    }
  }
}

/** Returns why a working copy cannot be used, as a part of a sentence. Null for other errors. */
function whyUnusable(error: unknown): string | null {
  return error instanceof FolderReplaced || error instanceof NotMoved ? error.message : null;
}

/** Thrown if a working copy cannot be moved to its place, for a reason that an admin must remove. */
class NotMoved extends Error {}

function notMoved(error: unknown, from: string, to: string): unknown {
  switch (diskCode(error)) {
    case 'EXDEV':
      return new NotMoved(`${from} and ${dirname(dirname(to))} are on different disks`);
    case 'EEXIST':
    case 'ENOTEMPTY':
    case 'ENOTDIR':
    case 'EISDIR':
      return new NotMoved(`a file, a link or another folder has the path ${to}`);
    default:
      return error;
  }
}

/** Waits for work on a path. Returns null if the path is a link, or not a folder, or does not exist. */
async function orNull<T>(work: Promise<T>): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof FolderReplaced) return null;
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes(diskCode(error) ?? '')) return null;
    throw error;
  }
}
