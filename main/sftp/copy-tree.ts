import { chmod, mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { downloadFile, uploadFile } from './copy-file.ts';
import { toLocalError } from './file-errors.ts';
import { localMode } from './local-file.ts';
import type { RemoteFiles } from './remote-files.ts';
import { walkLocal, walkRemote, type Tree, type TreeFile } from './tree.ts';

/** Files of one folder that are copied at a time: hides the waiting for open, rename and close of small files. */
const FILES_AT_A_TIME = 4;

/** Folders must stay writable and searchable for us while they are filled. */
const FOLDER_BITS = 0o700;

/** Copies a file or a folder as a whole. */
export interface TreeCopy {
  readonly direction: 'upload' | 'download';
  readonly files: RemoteFiles;
  readonly localPath: string;
  readonly remotePath: string;
  /** True: replaces what is there; a folder's files are put among those that are there. */
  readonly replace: boolean;
  readonly signal: AbortSignal;
  /** Once, before the first byte. `skipped`: links and what has an impossible name. */
  readonly onTotal: (total: { files: number; bytes: number; skipped: readonly string[] }) => void;
  readonly onBytes: (bytes: number) => void;
  readonly onFile: () => void;
  readonly onLeftover: (path: string) => void;
}

/**
 * Carries out one transfer: walks the source, makes the folders, copies the files, then compares what arrived.
 *
 * @throws OverworldError, or the signal's reason when cancelled. What has arrived by then stays, whole files only
 */
export async function copyTree(copy: TreeCopy): Promise<void> {
  const { direction, files, localPath, remotePath, signal } = copy;
  const upload = direction === 'upload';
  const tree = upload ? await walkLocal(localPath, signal) : await walkRemote(files, remotePath, signal);
  const bytes = tree.files.reduce((sum, file) => sum + file.bytes, 0);
  copy.onTotal({ files: tree.files.length, bytes, skipped: tree.skipped });
  if (tree.root === 'folder') {
    const makeFolder = upload
      ? (path: readonly string[], mode: number) => ensureRemoteFolder(files, remoteIn(remotePath, path), mode)
      : (path: readonly string[], mode: number) => ensureLocalFolder(join(localPath, ...path), mode);
    for (const { path, mode } of [{ path: [], mode: tree.rootMode }, ...tree.folders]) {
      signal.throwIfAborted();
      await makeFolder(path, mode);
    }
  }
  await inParallel(tree.files, signal, async (file, stop) => {
    const one = {
      files,
      localPath: join(localPath, ...file.path),
      remotePath: remoteIn(remotePath, file.path),
      replace: copy.replace || tree.root === 'folder',
      signal: stop,
      onProgress: copy.onBytes,
      onLeftover: copy.onLeftover,
    };
    await (upload ? uploadFile(one) : downloadFile(one));
    copy.onFile();
  });
  if (tree.root === 'folder')
    compare(tree, upload ? await walkRemote(files, remotePath) : await walkLocal(localPath), remotePath);
}

/** Every file that was sent must have arrived with its bytes; others may be there too. */
function compare(sent: Tree, arrived: Tree, path: string): void {
  const sizes = new Map(arrived.files.map((file) => [file.path.join('/'), file.bytes]));
  const folders = new Set(arrived.folders.map((folder) => folder.path.join('/')));
  const wrong = [
    ...sent.files.filter((file) => sizes.get(file.path.join('/')) !== file.bytes),
    ...sent.folders.filter((folder) => !folders.has(folder.path.join('/'))),
  ];
  const [first] = wrong;
  if (first === undefined) return;
  const why = `${wrong.length} of its entries did not arrive whole, first ${first.path.join('/')}`;
  throw new OverworldError('TRANSFER_FAILED', { path, why });
}

/** Runs a few at a time; the first error stops the others, and all have ended when it is thrown. */
async function inParallel(
  files: readonly TreeFile[],
  signal: AbortSignal,
  copy: (file: TreeFile, stop: AbortSignal) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const stop = AbortSignal.any([signal, failure.signal]);
  const queue = files.values();
  const work = async () => {
    for (const file of queue) {
      stop.throwIfAborted();
      await copy(file, stop);
    }
  };
  const workers = Array.from({ length: FILES_AT_A_TIME }, () =>
    work().catch((error: unknown) => {
      // The first reason stays: aborting again changes nothing.
      failure.abort(error);
    }),
  );
  await Promise.all(workers);
  stop.throwIfAborted();
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
    if (!(await stat(path)).isDirectory()) throw new OverworldError('FILE_EXISTS', { path }, error);
  }
}

function remoteIn(root: string, path: readonly string[]): string {
  return [root, ...path].join('/');
}
