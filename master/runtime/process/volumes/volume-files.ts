import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { cloneNewFile, copyNewFile, flushFile, hashFile } from '#master/templates/copy-file.ts';
import { diskCode } from '#master/templates/disk-problem.ts';
import type { PersistentFile } from '#master/templates/revisions/manifest.ts';
import { copyOut } from '#master/templates/revisions/copy-out.ts';
import { stampOf } from '#master/templates/revisions/scan-folder.ts';
import type { RevisionLease } from '#master/templates/template-files.ts';
import { keptEntries, persistentMatcher, replacedByVolume } from '../../persistent-paths.ts';
import type { ServiceSpec, SnapshotFiles } from '../../runtime.ts';
import { readSmallFile } from '#shared/node/small-file.ts';
import type { DiskReserves } from '#master/store/disk-reserve.ts';
import type { ServiceFolder } from '../service-folder.ts';

const PARALLEL_FILES = 4;
/** Maximum nesting of folders, as in templates. */
const MAX_DEPTH = 64;
/** Maximum number of persistent files of a service. */
const MAX_FILES = 200_000;
/**
 * Size limit of the paths of all persistent files together, as JSON (MiB). The service chooses their names, and the
 * master holds all of them in memory. Nodes have the same limit (MAX_PATH_MIB in systemd/tool/volumes/snapshot.py).
 */
const MAX_PATH_MIB = 32;
/** Maximum number of skipped files that are listed. */
const MAX_SKIPPED = 100;
/** Size limit of the file with the stamps (bytes). */
const MAX_STAMPS_BYTES = 64 * 1_048_576;
/**
 * Minimum age of a change for its stamp to be reliable (ms). File systems have time steps of some ms, so a second
 * change within one step can leave the stamp unchanged.
 */
const STAMP_STEP_MS = 50;

/** A persistent file as it was found, before its content is read. */
interface FoundFile {
  readonly path: string;
  readonly mode: number;
  readonly modifiedAtMs: number;
  /** Text that changes with every write to the file. It contains size, mtime, ctime and inode. */
  readonly stamp: string;
  readonly isStampReliable: boolean;
  size: number;
  /** sha256 in hex; null until the content is read. */
  hash: string | null;
  /** Path of the content: a copy, or the file itself. */
  readonly source: string;
}

const stampsSchema = z.record(z.string(), z.tuple([z.string(), z.string()]));

/** The persistent files of one service on this machine, from a snapshot until they are stored. */
export class VolumeFiles {
  readonly #folder: ServiceFolder;
  readonly #copies: string;
  readonly #stampsPath: string;
  #found: FoundFile[] = [];
  #skipped: string[] = [];
  #matches: (path: string) => boolean = () => false;
  #stamps: ReadonlyMap<string, readonly [string, string]> = new Map();
  /** Copies by the path of the file. */
  readonly #copied = new Map<string, FoundFile>();

  readonly #disks: Pick<DiskReserves, 'of'>;

  /** @param disks refuse a copy that would use the reserve of the disk. Copies that share blocks need no space */
  constructor(folder: ServiceFolder, disks: Pick<DiskReserves, 'of'>) {
    this.#folder = folder;
    this.#disks = disks;
    this.#copies = join(folder.path, 'snapshot');
    this.#stampsPath = join(folder.run, 'stamps.json');
  }

  /**
   * Finds the persistent files. If `copy` is true, copies the files that have changed since they were last read. The
   * caller sets it if the service is running. The copies share disk blocks if the file system supports it. If this
   * fails, no copies are left. Throws DiskReserveReached, errno errors.
   *
   * @param options.isRepeated whether {@link repeat} will be called. It uses the copies of unchanged files
   */
  async take(
    { persistentPaths }: Pick<ServiceSpec, 'persistentPaths'>,
    { copy, isRepeated = false }: { readonly copy: boolean; readonly isRepeated?: boolean },
  ): Promise<void> {
    await this.#removeCopies();
    this.#copied.clear();
    this.#stamps = await this.#readStamps();
    this.#matches = persistentMatcher(persistentPaths);
    if (copy) await mkdir(this.#copies, { mode: 0o700 });
    await this.#find(copy, isRepeated);
  }

  /**
   * Takes the snapshot again. Copies only files that have changed since they were copied. If this fails, no copies are
   * left. Throws DiskReserveReached, errno errors.
   */
  async repeat(): Promise<void> {
    await this.#find(true, false);
  }

  async #find(copy: boolean, isRepeated: boolean): Promise<void> {
    try {
      await this.#findFiles(copy, isRepeated);
    } catch (error) {
      // Partial copies would keep a full disk full.
      await this.#removeCopies().catch(() => undefined);
      throw error;
    }
  }

  async #findFiles(copy: boolean, isRepeated: boolean): Promise<void> {
    const found: FoundFile[] = [];
    const { files, skipped } = await findFiles(this.#folder.files, this.#matches);
    await forEachLimited(files, PARALLEL_FILES, async (file) => {
      const [stamp, hash] = this.#stamps.get(file.path) ?? [null, null];
      const source = join(this.#folder.files, file.path);
      if (stamp === file.stamp) found.push({ ...file, hash, source });
      else if (!copy) found.push({ ...file, hash: null, source });
      else {
        const copied = await this.#copy(file, source, isRepeated);
        if (copied !== null) found.push(copied);
      }
    });
    this.#found = found;
    this.#skipped = skipped;
  }

  /**
   * Copies a file, unless its copy is up to date. Returns null if the server has removed the file since the folder
   * was read.
   */
  async #copy(file: Listed, path: string, isRepeated: boolean): Promise<FoundFile | null> {
    const before = this.#copied.get(file.path);
    if (before?.stamp === file.stamp && before.isStampReliable)
      return { ...file, size: before.size, hash: null, source: before.source };
    const source = before?.source ?? join(this.#copies, String(this.#copied.size));
    // Reserved at once, because several files are copied at a time.
    this.#copied.set(file.path, { ...file, isStampReliable: false, hash: null, source });
    try {
      // After this flush, the next write changes the stamp, even if the server writes to a file that is mapped into
      // its memory.
      if (isRepeated) await flushFile(path);
      await rm(source, { force: true });
      if (!(await cloneNewFile(path, source, 0o600)))
        await this.#disks.of(this.#copies).use(file.size, () => copyNewFile(path, source, 0o600));
    } catch (error) {
      if (diskCode(error) === 'ENOENT') return null;
      throw error;
    }
    const copied = { ...file, size: (await lstat(source)).size, hash: null, source };
    this.#copied.set(file.path, copied);
    return copied;
  }

  /** Returns the files of the snapshot with their hashes. Reads only those that have changed. Throws errno errors. */
  async read(): Promise<SnapshotFiles> {
    await forEachLimited(this.#found, PARALLEL_FILES, async (file) => {
      file.hash ??= await hashFile(file.source);
    });
    return { files: this.#found.map(toPersistentFile), skipped: this.#skipped };
  }

  /**
   * Writes files of the snapshot into the folder `to`, each under the hash of its content.
   *
   * @throws Error if the snapshot has no file with one of the hashes, or a file has changed since {@link read}; errno
   *   errors
   */
  async fetch(hashes: readonly string[], to: string): Promise<void> {
    const wanted = new Set(hashes);
    const sources = new Map(
      this.#found.flatMap(({ hash, source }) => (hash === null ? [] : [[hash, source]])),
    );
    await forEachLimited(wanted, PARALLEL_FILES, async (hash) => {
      const source = sources.get(hash);
      if (source === undefined) throw new Error(`no file of the snapshot has the content ${hash}`);
      const target = join(to, hash);
      if (dirname(source) !== this.#copies || !(await isMoved(source, target)))
        await copyNewFile(source, target, 0o600);
      if ((await hashFile(target)) !== hash) throw new Error(`${source} changed while it was saved`);
    });
  }

  /**
   * Ends the snapshot: removes the copies, and if the files were stored, notes the hashes of unchanged files for the
   * next snapshot. Throws errno errors.
   */
  async end({ stored }: { readonly stored: boolean }): Promise<void> {
    if (stored) await this.#writeStamps();
    await this.#removeCopies();
  }

  async #writeStamps(): Promise<void> {
    const known = this.#found.filter(({ hash, isStampReliable }) => hash !== null && isStampReliable);
    await writeStamps(
      this.#stampsPath,
      known.map(({ path, stamp, hash }) => [path, [stamp, hash]]),
    );
  }

  async #removeCopies(): Promise<void> {
    await rm(this.#copies, { recursive: true, force: true });
  }

  async #readStamps(): Promise<ReadonlyMap<string, readonly [string, string]>> {
    try {
      const note = await readSmallFile(this.#stampsPath, MAX_STAMPS_BYTES);
      return new Map(Object.entries(stampsSchema.parse(JSON.parse(note?.text ?? '{}'))));
    } catch {
      // Without stamps, every file is read.
      return new Map();
    }
  }
}

/**
 * Adds a save to the files of a service that is being prepared. At a persistent path for which the save has files or
 * empty folders, the save replaces the template's files. Throws StoredFileDamaged, errno errors.
 *
 * @returns the entries of the save that belong to the service's persistent paths
 */
export async function placeVolume(
  spec: Pick<ServiceSpec, 'persistentPaths'>,
  folder: ServiceFolder,
  { entries: saved, pathOf }: Pick<RevisionLease, 'entries' | 'pathOf'>,
): Promise<RevisionLease['entries']> {
  const entries = keptEntries(spec.persistentPaths, saved);
  const replaced = await findFiles(folder.files, replacedByVolume(spec.persistentPaths, entries));
  for (const { path } of replaced.files) await rm(join(folder.files, path), { force: true });
  for (const path of new Set(entries.map(folderOf))) await makeFolder(folder.files, path);
  const files = entries.filter(({ path }) => !path.endsWith('/'));
  await forEachLimited(files, PARALLEL_FILES, async (entry) => {
    const to = join(folder.files, entry.path);
    await rm(to, { recursive: true, force: true });
    await copyOut(pathOf(entry.path), { ...entry, stamp: '' }, { to, asItWas: false });
  });
  return entries;
}

/**
 * Returns the folder that an entry needs: the empty folder itself, without the slash at its end, or a file's folder.
 */
function folderOf({ path }: { readonly path: string }): string {
  return path.endsWith('/') ? path.slice(0, -1) : dirname(path);
}

/**
 * Stores the stamps of the placed files, so that the first save does not have to read unchanged files.
 *
 * @param entries what {@link placeVolume} has placed
 * @param overwritten paths of files that the master has written over files of the volume
 */
export async function notePlaced(
  folder: ServiceFolder,
  entries: RevisionLease['entries'],
  overwritten: ReadonlySet<string>,
): Promise<void> {
  const placed = entries.filter(({ path }) => !overwritten.has(path));
  const hashes = new Map(placed.map(({ path, hash }) => [path, hash]));
  const { files } = await findFiles(folder.files, (path) => hashes.has(path));
  await writeStamps(
    join(folder.run, 'stamps.json'),
    files.map(({ path, stamp }) => [path, [stamp, hashes.get(path) ?? '']]),
  );
}

async function writeStamps(path: string, stamps: readonly (readonly [string, unknown])[]): Promise<void> {
  try {
    await writeFile(`${path}.part`, JSON.stringify(Object.fromEntries(stamps)), { mode: 0o600 });
    await rename(`${path}.part`, path);
  } catch {
    // On a full disk, the next save reads every file.
    await rm(path, { force: true });
  }
}

/**
 * Creates a folder in the service's folder. If the path or one of its parents is not a folder, removes what is there
 * first.
 */
async function makeFolder(root: string, path: string): Promise<void> {
  let at = root;
  for (const name of path === '.' ? [] : path.split('/')) {
    at = join(at, name);
    const stats = await lstat(at).catch(() => null);
    if (stats?.isDirectory() === true) continue;
    await rm(at, { force: true });
    await mkdir(at, { mode: 0o700 });
  }
}

async function isMoved(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (diskCode(error) === 'EXDEV') return false;
    throw error;
  }
}

function toPersistentFile({ path, size, mode, modifiedAtMs, hash }: FoundFile): PersistentFile {
  return { path, size, mode, modifiedAtMs, hash: hash ?? '' };
}

type Listed = Omit<FoundFile, 'hash' | 'source'>;

/**
 * Finds regular files in a folder. Links and special files cannot be kept; the first 100 that match are listed in
 * `skipped`.
 *
 * @throws Error if folders are nested too deeply, there are too many files, or the total length of the paths is too
 *   large; errno errors
 */
async function findFiles(
  root: string,
  matches: (path: string) => boolean,
): Promise<{ readonly files: Listed[]; readonly skipped: string[] }> {
  const files: Listed[] = [];
  const skipped: string[] = [];
  let pathBytes = 0;
  async function visit(folder: string, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) throw new Error(`${folder} is nested deeper than ${MAX_DEPTH} folders`);
    for (const entry of await list(join(root, folder))) {
      const path = folder === '' ? entry.name : `${folder}/${entry.name}`;
      if (entry.isDirectory()) await visit(path, depth + 1);
      else if (!matches(path)) continue;
      else if (!entry.isFile() || path.includes('\ufffd')) {
        if (skipped.length < MAX_SKIPPED) skipped.push(path);
      } else {
        const file = await look(root, path);
        if (file === null) continue;
        if (files.length >= MAX_FILES) throw new Error(`it has more than ${MAX_FILES} persistent files`);
        pathBytes += Buffer.byteLength(JSON.stringify(path));
        if (pathBytes > MAX_PATH_MIB * 1_048_576)
          throw new Error(`the paths of its persistent files have more than ${MAX_PATH_MIB} MiB`);
        files.push(file);
      }
    }
  }
  await visit('', 0);
  return { files, skipped };
}

async function list(folder: string) {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (diskCode(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Returns a file without reading it; null if it no longer exists. Throws errno errors. */
async function look(root: string, path: string): Promise<Listed | null> {
  const now = Date.now();
  try {
    const stats = await lstat(join(root, path), { bigint: true });
    return {
      path,
      size: Number(stats.size),
      mode: Number(stats.mode & 0o777n),
      modifiedAtMs: Number(stats.mtimeMs),
      stamp: stampOf(stats),
      isStampReliable: now - Math.max(Number(stats.mtimeMs), Number(stats.ctimeMs)) > STAMP_STEP_MS,
    };
  } catch (error) {
    if (diskCode(error) === 'ENOENT') return null;
    throw error;
  }
}
