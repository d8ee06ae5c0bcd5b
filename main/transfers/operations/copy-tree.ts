import { chmod, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { downloadFile } from './download-file.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { ChangedWhileRead, existsHere, nameOf, type FileCopy } from './file-copy.ts';
import { judgeFile, type ExistingFile, type FilePolicy } from './conflict-policy.ts';
import { toLocalError } from '../remote/file-errors.ts';
import { localMode } from './local-file.ts';
import { isPartName } from '../remote/names.ts';
import type { RemoteFiles } from '../remote/remote-files.ts';
import { walkLocal, walkRemote, type Tree, type TreeFile } from './tree.ts';
import { uploadFile } from './upload-file.ts';

/**
 * Number of files copied in parallel. High for small files, because most of their time is spent on open, rename and
 * close. Low for large files, because few of them use the whole bandwidth, and an interruption leaves partial
 * files.
 */
const SMALL_AT_A_TIME = 32;
const LARGE_AT_A_TIME = 4;
/** Average size from which files count as large (bytes). */
const LARGE_BYTES = 262_144;

/** Maximum number of times that a file is read from its beginning, if it is changed while it is read. */
const MAX_READS = 3;

/** Mode bits that each new folder gets, because the app must be able to write to it and search it. */
const FOLDER_BITS = 0o700;

/** Totals of a transfer, known after its source was walked. */
export interface TreeTotals {
  readonly files: number;
  readonly bytes: number;
  /**
   * Number of skipped entries: links, partial files, entries with invalid names, and entries that the policy leaves
   * unchanged.
   */
  readonly skipped: number;
  /** Files and bytes that an earlier attempt has transferred. */
  readonly arrived: { readonly files: number; readonly bytes: number };
}

/** What a transfer has copied to its destination, in this or an earlier attempt. */
export interface Sent {
  readonly tree: Tree;
  /** The copied files of the tree, as the walk has found them. They may have changed before they were copied. */
  readonly files: readonly TreeFile[];
}

/** A copy of a file or of a folder with its content. */
export interface TreeCopy extends Pick<FileCopy, 'files' | 'origin' | 'parts' | 'signal'> {
  readonly direction: 'upload' | 'download';
  readonly localPath: string;
  readonly remotePath: string;
  readonly policy: FilePolicy;
  /**
   * Whether an earlier attempt of this transfer may have copied files. If so, files that are already copied are kept.
   */
  readonly again: boolean;
  /**
   * Relative paths of files that had the size and time of their source at the destination before the first attempt,
   * so that they cannot be told from copies. The first attempt adds them. A path is removed once its file is copied.
   */
  readonly equalBefore: Set<string>;
  /** Called once, after the folders were created and before the first byte. */
  readonly onTotal: (totals: TreeTotals) => void | Promise<void>;
  /** As {@link FileCopy.onProgress}. The number is negative if a file is copied again. */
  readonly onBytes: FileCopy['onProgress'];
  /**
   * Called after each file.
   *
   * @param copied size of the copied file (bytes); may differ from the walked size. Null if the file was skipped,
   *   because it was removed after the walk
   */
  readonly onFile: (file: TreeFile, copied: number | null) => void;
}

/**
 * Copies a file or folder: walks the source, creates the folders and copies the files. For a folder, checks
 * afterwards that the copy has all folders, and all files with the sizes that were copied. Does not compare
 * contents. Skips a file that is removed from a downloaded folder after the walk (docs/files.md#services-and-volumes).
 * Copies a file again, up to twice, if it is changed while it is read.
 *
 * @throws OverworldError FILE_EXISTS if the policy is `refuse` and the destination exists; other file errors; or the
 *   signal's abort reason when stopped; complete files stay
 */
export async function copyTree(copy: TreeCopy): Promise<Sent> {
  const { direction, files, localPath, remotePath, signal, policy } = copy;
  const upload = direction === 'upload';
  const tree = upload ? await walkLocal(localPath, signal) : await walkRemote(files, remotePath, signal);
  const mustBeFree = tree.root === 'folder' && policy === 'refuse' && !copy.again;
  const looks = mustBeFree || copy.again || policy !== 'refuse';
  const target = looks ? await lookAtTarget(copy) : null;
  if (mustBeFree && target !== null) requireOnlyCopies(copy, target, tree);
  const existing = byPath(target);
  if (!copy.again && policy !== 'refuse') noteEqual(copy, tree.files, existing);
  const judged = tree.files.map((file) => {
    const path = file.path.join('/');
    const again = copy.again && !copy.equalBefore.has(path);
    return { file, verdict: judgeFile(file, existing.get(path), { policy, again }) };
  });
  const wanted = judged.filter(({ verdict }) => verdict !== 'skip').map(({ file }) => file);
  const arrived = judged.filter(({ verdict }) => verdict === 'arrived').map(({ file }) => file);
  if (tree.root === 'folder') await makeFolders(copy, tree);
  await copy.onTotal({
    files: wanted.length,
    bytes: bytesOf(wanted),
    skipped: tree.skipped.length + judged.length - wanted.length,
    arrived: { files: arrived.length, bytes: bytesOf(arrived) },
  });
  const copied = [...arrived];
  await copyFiles(
    copy,
    judged.filter(({ verdict }) => verdict === 'copy').map(({ file }) => file),
    async (file, copyOne) => {
      const copyUnchanged = () => untilUnchanged(copyOne);
      const isRequired = tree.root === 'file' || upload;
      const bytes = isRequired ? await copyUnchanged() : await unlessRemoved(copyUnchanged);
      copy.equalBefore.delete(file.path.join('/'));
      if (bytes !== null) copied.push({ ...file, bytes });
      return bytes;
    },
  );
  if (tree.root === 'folder') {
    if (copied.length < wanted.length) await requireSource(copy);
    const there = upload ? await walkRemote(files, remotePath) : await walkLocal(localPath);
    compare({ folders: tree.folders, files: copied }, there, remotePath);
  }
  return { tree, files: wanted };
}

/**
 * Copies files between the two root paths of `copy`, several in parallel. The first error stops the others.
 *
 * @param around called for each file with a function that copies the file and returns its size (bytes), so that the
 *   caller can skip the file, or copy it again after an error; returns null for a file that is skipped
 */
export async function copyFiles(
  copy: Omit<TreeCopy, 'onTotal'>,
  files: readonly TreeFile[],
  around: (file: TreeFile, copyOne: () => Promise<number>) => Promise<number | null>,
): Promise<void> {
  const failure = new AbortController();
  const signal = AbortSignal.any([copy.signal, failure.signal]);
  const copyFile = copy.direction === 'upload' ? uploadFile : downloadFile;
  const atATime = bytesOf(files) > files.length * LARGE_BYTES ? LARGE_AT_A_TIME : SMALL_AT_A_TIME;
  await forEachLimited(files, atATime, async (file) => {
    let counted = 0;
    const one: FileCopy = {
      files: copy.files,
      localPath: join(copy.localPath, ...file.path),
      remotePath: remoteIn(copy.remotePath, file.path),
      replace: copy.policy !== 'refuse' || file.path.length > 0,
      resume: copy.again || copy.policy !== 'overwrite',
      origin: copy.origin,
      parts: copy.parts,
      signal,
      onProgress: (bytes, sent) => {
        counted += bytes;
        copy.onBytes(bytes, sent);
      },
    };
    const copyOne = () => {
      // Each attempt counts the bytes of the whole file.
      copy.onBytes(-counted, false);
      counted = 0;
      return copyFile(one);
    };
    try {
      signal.throwIfAborted();
      copy.onFile(file, await around(file, copyOne));
    } catch (error) {
      failure.abort(error);
      throw error;
    }
  });
}

/**
 * Creates the missing folders of a tree at the destination, with the modes of the source. A folder must come after
 * its parent in the list.
 *
 * @throws OverworldError FILE_EXISTS if a file has the name of a folder; other file errors; or the signal's abort
 *   reason
 */
export async function makeFolders(
  { direction, files, localPath, remotePath, signal }: Omit<TreeCopy, 'onTotal'>,
  tree: Pick<Tree, 'rootMode' | 'folders'>,
): Promise<void> {
  for (const { path, mode } of [{ path: [], mode: tree.rootMode }, ...tree.folders]) {
    signal.throwIfAborted();
    if (direction === 'upload') await ensureRemoteFolder(files, remoteIn(remotePath, path), mode);
    else await ensureLocalFolder(join(localPath, ...path), mode);
  }
}

/**
 * Walks the destination. Returns null if it does not exist, or if the policy is `overwrite` and it is neither a file nor
 * a folder. A copied file then replaces it, for example a link.
 *
 * @throws OverworldError FILE_FORBIDDEN if the policy is another and the destination is neither a file nor a folder
 */
async function lookAtTarget(copy: TreeCopy): Promise<Tree | null> {
  const { direction, files, localPath, remotePath, signal } = copy;
  try {
    if (copy.policy === 'overwrite' && !(await isWalkable(copy))) return null;
    if (direction === 'upload') return await walkRemote(files, remotePath, signal);
    return (await existsHere(localPath)) ? await walkLocal(localPath, signal) : null;
  } catch (error) {
    if (hasCode(error, 'FILE_NOT_FOUND')) return null;
    throw error;
  }
}

/** Returns whether the destination is a file or a folder. False if it does not exist. */
async function isWalkable({ direction, files, localPath, remotePath }: TreeCopy): Promise<boolean> {
  if (direction === 'upload') {
    const found = await files.find(remotePath);
    return found?.kind === 'file' || found?.kind === 'folder';
  }
  if (!(await existsHere(localPath))) return false;
  const stats = await lstat(localPath);
  return stats.isFile() || stats.isDirectory();
}

/** Returns the files of a tree by relative path. The path '' is the root itself, if it is a file. */
function byPath(tree: Tree | null): Map<string, TreeFile> {
  return new Map((tree?.files ?? []).map((file) => [file.path.join('/'), file]));
}

/**
 * Checks that nothing of others has appeared at a destination that did not exist when the transfer was created.
 * Accepts copies of the transfer's own files: if the app was killed, the journal may not say that the transfer has
 * begun.
 *
 * @throws OverworldError FILE_EXISTS
 */
function requireOnlyCopies({ direction, localPath, remotePath }: TreeCopy, target: Tree, source: Tree): void {
  const ours = byPath(source);
  const isOurs = ([path, found]: readonly [string, ExistingFile]): boolean => {
    const file = ours.get(path);
    return file !== undefined && judgeFile(file, found, { policy: 'refuse', again: true }) === 'arrived';
  };
  const isFree = target.skipped.every((path) => isPartName(nameOf(path)));
  if (isFree && [...byPath(target)].every(isOurs)) return;
  throw new OverworldError('FILE_EXISTS', { path: direction === 'upload' ? remotePath : localPath });
}

/** Adds the files that have the size and time of their source at the destination to `equalBefore`. */
function noteEqual(
  { equalBefore }: TreeCopy,
  files: readonly TreeFile[],
  existing: ReadonlyMap<string, ExistingFile>,
): void {
  for (const file of files) {
    const path = file.path.join('/');
    const isEqual = judgeFile(file, existing.get(path), { policy: 'refuse', again: true }) === 'arrived';
    if (isEqual) equalBefore.add(path);
  }
}

/** Copies one file. Copies it again if it was changed while it was read, at most {@link MAX_READS} times in all. */
async function untilUnchanged(copyOne: () => Promise<number>, left = MAX_READS - 1): Promise<number> {
  try {
    return await copyOne();
  } catch (error) {
    if (left === 0 || !(error instanceof ChangedWhileRead)) throw error;
    return untilUnchanged(copyOne, left - 1);
  }
}

/** Copies one file. Returns null if the file does not exist any more. */
async function unlessRemoved(copyOne: () => Promise<number>): Promise<number | null> {
  try {
    return await copyOne();
  } catch (error) {
    if (hasCode(error, 'FILE_NOT_FOUND')) return null;
    throw error;
  }
}

/**
 * Checks that the downloaded folder still exists. If not, its files were not skipped, but the download is incomplete.
 *
 * @throws OverworldError FILE_NOT_FOUND
 */
async function requireSource({ files, remotePath }: TreeCopy): Promise<void> {
  if ((await files.find(remotePath)) === null)
    throw new OverworldError('FILE_NOT_FOUND', { path: remotePath });
}

/** Checks that every sent file has arrived with its size. Other files may exist, too. */
function compare(sent: Pick<Tree, 'files' | 'folders'>, arrived: Tree, path: string): void {
  const there = byPath(arrived);
  const folders = new Set(arrived.folders.map((folder) => folder.path.join('/')));
  const wrong = [
    ...sent.files.filter((file) => there.get(file.path.join('/'))?.bytes !== file.bytes),
    ...sent.folders.filter((folder) => !folders.has(folder.path.join('/'))),
  ];
  const [first] = wrong;
  if (first === undefined) return;
  const why = `${wrong.length} of its entries were not copied completely, first ${first.path.join('/')}`;
  throw new OverworldError('TRANSFER_FAILED', { path, why });
}

async function ensureRemoteFolder(files: RemoteFiles, path: string, mode: number): Promise<void> {
  const found = await files.find(path);
  if (found === null) await files.makeFolder(path, mode | FOLDER_BITS);
  else if (found.kind !== 'folder') throw new OverworldError('FILE_EXISTS', { path });
}

async function ensureLocalFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path);
    await chmod(path, localMode(mode) | FOLDER_BITS);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST') throw toLocalError(error, path);
    // A link does not count as a folder, because nothing may be written through it.
    if (!(await lstat(path)).isDirectory()) throw new OverworldError('FILE_EXISTS', { path }, error);
  }
}

function bytesOf(files: readonly TreeFile[]): number {
  return files.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Joins a relative path to a path on the master. */
export function remoteIn(root: string, path: readonly string[]): string {
  return [root, ...path].join('/');
}
