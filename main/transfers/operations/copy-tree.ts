import { chmod, lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, OverworldError } from '#shared/errors/overworld-error.ts';
import { downloadFile } from './download-file.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { existsHere, type FileCopy } from './file-copy.ts';
import { judgeFile, type ExistingFile, type FilePolicy } from './conflict-policy.ts';
import { toLocalError } from '../remote/file-errors.ts';
import { localMode } from './local-file.ts';
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

/** Mode bits that each new folder gets, because the app must be able to write to it and search it. */
const FOLDER_BITS = 0o700;

/** Totals of a transfer, known after its source was walked. */
export interface TreeTotals {
  readonly files: number;
  readonly bytes: number;
  /** Number of skipped entries: links, entries with invalid names, and entries that the policy leaves unchanged. */
  readonly skipped: number;
  /** Files and bytes that an earlier attempt has transferred. */
  readonly arrived: { readonly files: number; readonly bytes: number };
}

/** What a transfer has copied to its destination, in this or an earlier attempt. */
export interface Sent {
  readonly tree: Tree;
  /** The copied files of the tree. Others were skipped. */
  readonly files: readonly TreeFile[];
}

/** A copy of a file or of a folder with its content. */
export interface TreeCopy extends Pick<FileCopy, 'files' | 'origin' | 'parts' | 'signal'> {
  readonly direction: 'upload' | 'download';
  readonly localPath: string;
  readonly remotePath: string;
  readonly policy: FilePolicy;
  /** Whether an earlier attempt of this transfer was interrupted. If so, files that are already copied are kept. */
  readonly again: boolean;
  /** Called once, before the first byte. */
  readonly onTotal: (totals: TreeTotals) => void;
  readonly onBytes: FileCopy['onProgress'];
  readonly onFile: () => void;
}

/**
 * Copies a file or folder: walks the source, creates the folders and copies the files. For a folder, checks
 * afterwards that the copy has all folders, and all files with their sizes. Does not compare contents.
 *
 * @throws OverworldError, or the signal's abort reason when stopped; complete files stay
 */
export async function copyTree(copy: TreeCopy): Promise<Sent> {
  const { direction, files, localPath, remotePath, signal, policy } = copy;
  const upload = direction === 'upload';
  const tree = upload ? await walkLocal(localPath, signal) : await walkRemote(files, remotePath, signal);
  const looks = copy.again || policy === 'skip' || policy === 'newer' || policy === 'resume';
  const existing = looks ? await lookAtTarget(copy) : new Map<string, ExistingFile>();
  const judged = tree.files.map((file) => ({
    file,
    verdict: judgeFile(file, existing.get(file.path.join('/')), copy),
  }));
  const wanted = judged.filter(({ verdict }) => verdict !== 'skip').map(({ file }) => file);
  const arrived = judged.filter(({ verdict }) => verdict === 'arrived').map(({ file }) => file);
  copy.onTotal({
    files: wanted.length,
    bytes: bytesOf(wanted),
    skipped: tree.skipped.length + judged.length - wanted.length,
    arrived: { files: arrived.length, bytes: bytesOf(arrived) },
  });
  if (tree.root === 'folder') await makeFolders(copy, tree);
  await copyFiles(
    copy,
    judged.filter(({ verdict }) => verdict === 'copy').map(({ file }) => file),
  );
  if (tree.root === 'folder') {
    const there = upload ? await walkRemote(files, remotePath) : await walkLocal(localPath);
    compare({ folders: tree.folders, files: wanted }, there, remotePath);
  }
  return { tree, files: wanted };
}

/**
 * Copies files between the two root paths of `copy`, several in parallel. The first error stops the others.
 *
 * @param around called for each file with a function that copies the file, so that the caller can skip the file
 */
export async function copyFiles(
  copy: Omit<TreeCopy, 'onTotal'>,
  files: readonly TreeFile[],
  around: (file: TreeFile, copyOne: () => Promise<void>) => Promise<void> = (_, copyOne) => copyOne(),
): Promise<void> {
  const failure = new AbortController();
  const signal = AbortSignal.any([copy.signal, failure.signal]);
  const copyFile = copy.direction === 'upload' ? uploadFile : downloadFile;
  const atATime = bytesOf(files) > files.length * LARGE_BYTES ? LARGE_AT_A_TIME : SMALL_AT_A_TIME;
  await forEachLimited(files, atATime, async (file) => {
    const one: FileCopy = {
      files: copy.files,
      localPath: join(copy.localPath, ...file.path),
      remotePath: remoteIn(copy.remotePath, file.path),
      replace: copy.policy !== 'refuse' || file.path.length > 0,
      resume: copy.again || copy.policy !== 'overwrite',
      origin: copy.origin,
      parts: copy.parts,
      signal,
      onProgress: copy.onBytes,
    };
    try {
      signal.throwIfAborted();
      await around(file, () => copyFile(one));
    } catch (error) {
      failure.abort(error);
      throw error;
    }
    copy.onFile();
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
 * Returns the files at the destination by relative path. The path '' is the destination itself, if it is a file.
 * Returns an empty map if the destination does not exist.
 */
async function lookAtTarget(copy: TreeCopy): Promise<Map<string, ExistingFile>> {
  const { direction, files, localPath, remotePath, signal } = copy;
  try {
    if (direction === 'download' && !(await existsHere(localPath))) return new Map();
    const walked =
      direction === 'upload'
        ? await walkRemote(files, remotePath, signal)
        : await walkLocal(localPath, signal);
    return new Map(walked.files.map((file) => [file.path.join('/'), file]));
  } catch (error) {
    if (hasCode(error, 'FILE_NOT_FOUND')) return new Map();
    throw error;
  }
}

/** Checks that every sent file has arrived with its size. Other files may exist, too. */
function compare(sent: Pick<Tree, 'files' | 'folders'>, arrived: Tree, path: string): void {
  const sizes = new Map(arrived.files.map((file) => [file.path.join('/'), file.bytes]));
  const folders = new Set(arrived.folders.map((folder) => folder.path.join('/')));
  const wrong = [
    ...sent.files.filter((file) => sizes.get(file.path.join('/')) !== file.bytes),
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
