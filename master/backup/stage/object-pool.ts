import { link, lstat, mkdir, rename, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import { copyNewFile, copyOpenFile, type OpenedFile } from '#master/templates/copy-file.ts';

/**
 * Modification time of all copied objects (s since epoch). It is constant, so that restic does not read an object
 * again: the name of an object already identifies its content.
 */
const OBJECT_TIME_S = 946_684_800;

/** Codes of errors of `link` after which the file is copied instead. */
const NOT_LINKABLE = new Set(['EXDEV', 'EMLINK', 'EPERM', 'ENOTSUP', 'ENOSYS']);

/** Thrown if the size of a stored file differs from the size in its manifest. */
export class ObjectDamaged extends Error {}

/** Returns the path of an object in the folder of the pool. */
export function objectPath(folder: string, hash: string): string {
  return join(folder, hash.slice(0, 2), hash);
}

/** The file contents of a backup. Each content is stored once, under its sha256. */
export class ObjectPool {
  readonly #folder: string;
  readonly #incoming: string;
  readonly #reserve: DiskReserve;
  readonly #has = new Set<string>();
  #copies = 0;

  private constructor(folder: string, incoming: string, reserve: DiskReserve) {
    this.#folder = folder;
    this.#incoming = incoming;
    this.#reserve = reserve;
  }

  /**
   * Creates an empty pool.
   *
   * @param incoming folder for copies whose hash is not known yet, on the same disk
   * @param reserve reserve of that disk
   */
  static async create(folder: string, incoming: string, reserve: DiskReserve): Promise<ObjectPool> {
    await mkdir(incoming, { recursive: true, mode: 0o700 });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    return new ObjectPool(folder, incoming, reserve);
  }

  /** Number of objects. */
  get size(): number {
    return this.#has.size;
  }

  /** Reports whether the pool has the content with this sha256. */
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
