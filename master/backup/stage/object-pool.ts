import { link, lstat, mkdir, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import { copyNewFile, copyOpenFile, type OpenedFile } from '#master/templates/copy-file.ts';
import { OBJECTS } from '../tree.ts';

/**
 * Modification time of all copied objects (s since epoch). It is constant, so that restic does not read an object
 * again: the name of an object already identifies its content.
 */
const OBJECT_TIME_S = 946_684_800;

/** Folder of a stage for copies whose hash is not known yet. */
const INCOMING = 'incoming';

/** Codes of errors of `link` after which the file is copied instead. */
const NOT_LINKABLE = new Set(['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'ENOSYS']);

/** Thrown if the size of a stored file differs from the size in its manifest. */
export class ObjectDamaged extends Error {}

/** Returns the path of an object in the folder of the pool. */
export function objectPath(folder: string, hash: string): string {
  return join(folder, hash.slice(0, 2), hash);
}

/** The file contents of a backup, or those on one disk. Each content is stored once, under its sha256. */
export class ObjectPool {
  readonly #folder: string;
  readonly #incoming: string;
  readonly #reserve: DiskReserve;
  /** Hashes of the contents in this pool and in the pools beside it. */
  readonly #has: Set<string>;
  #copies = 0;

  private constructor(stage: string, reserve: DiskReserve, has: Set<string>) {
    this.#folder = join(stage, OBJECTS);
    this.#incoming = join(stage, INCOMING);
    this.#reserve = reserve;
    this.#has = has;
  }

  /**
   * Creates an empty pool.
   *
   * @param stage folder for the pool, which is created: the pool stores the objects in `objects/`, and copies whose
   *   hash is not known yet in `incoming/`
   * @param reserve reserve of the disk of this folder
   */
  static create(stage: string, reserve: DiskReserve): Promise<ObjectPool> {
    return new ObjectPool(stage, reserve, new Set()).#open();
  }

  /** Creates an empty pool on another disk. A content is only added if none of the pools has it. */
  createBeside(stage: string, reserve: DiskReserve): Promise<ObjectPool> {
    return new ObjectPool(stage, reserve, this.#has).#open();
  }

  async #open(): Promise<this> {
    for (const folder of [this.#folder, this.#incoming])
      await mkdir(folder, { recursive: true, mode: 0o700 });
    return this;
  }

  /** Removes the folder of incomplete copies. Nothing can be copied to the pool afterwards. */
  close(): Promise<void> {
    return rm(this.#incoming, { recursive: true, force: true });
  }

  /** Number of objects, including those of the pools beside this pool. */
  get size(): number {
    return this.#has.size;
  }

  /** Reports whether this pool or a pool beside it has the content with this sha256. */
  has(hash: string): boolean {
    return this.#has.has(hash);
  }

  /**
   * Adds a file that never changes, as a hard link if possible. Checks the size of the file, but trusts the given
   * hash.
   *
   * @throws ObjectDamaged if the size differs; DiskReserveReached; errno errors, ENOENT if the file was removed
   */
  async link(
    source: string,
    { hash, size }: { readonly hash: string; readonly size: number },
  ): Promise<void> {
    if (this.#has.has(hash)) return;
    const to = await this.#pathFor(hash);
    try {
      await link(source, to);
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (NOT_LINKABLE.has(code)) {
        const copy = this.#nextCopy();
        await this.#reserve.use(size, () => copyNewFile(source, copy, 0o600));
        await this.#place(copy, to);
      } else if (code !== 'EEXIST') throw error;
      // EEXIST: a file with the same content was added at the same time.
    }
    const { size: found } = await lstat(to);
    if (found !== size) {
      await rm(to, { force: true });
      throw new ObjectDamaged(`${source} has ${found} instead of ${size} bytes`);
    }
    this.#has.add(hash);
  }

  /**
   * Adds a copy of the first `size` bytes of an open file, which other programs may change meanwhile.
   *
   * @returns the sha256 of the copy
   * @throws FileTruncated; DiskReserveReached; errno errors
   */
  async copy(source: OpenedFile, size: number): Promise<string> {
    const copy = this.#nextCopy();
    try {
      const hash = await this.#reserve.use(size, () => copyOpenFile(source, copy, { size, mode: 0o600 }));
      if (!this.#has.has(hash)) {
        await this.#place(copy, await this.#pathFor(hash));
        this.#has.add(hash);
      }
      return hash;
    } finally {
      await rm(copy, { force: true });
    }
  }

  /** Returns the path of an object, and creates the folder of this path. */
  async #pathFor(hash: string): Promise<string> {
    const path = objectPath(this.#folder, hash);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return path;
  }

  async #place(copy: string, to: string): Promise<void> {
    await utimes(copy, OBJECT_TIME_S, OBJECT_TIME_S);
    await rename(copy, to);
  }

  #nextCopy(): string {
    this.#copies += 1;
    return join(this.#incoming, String(this.#copies));
  }
}
