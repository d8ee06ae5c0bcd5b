import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { copyFiles, makeFolders, type TreeCopy } from './copy-tree.ts';
import { judgeFile, type ExistingFile } from './conflict-policy.ts';
import { toLocalError } from '../remote/file-errors.ts';
import type { ChosenFile } from './chosen-file.ts';
import type { TreeFile } from './tree.ts';

/** Mode of new folders, as under the usual umask (022). Existing folders keep their mode. */
const FOLDER_MODE = 0o755;

/**
 * Copies single files of a folder that were chosen in a comparison. Skips a file that has changed on either side
 * since the comparison.
 *
 * @throws OverworldError TRANSFER_FAILED at the end if files were skipped for that reason
 */
export async function copyChosen(copy: TreeCopy, chosen: readonly ChosenFile[]): Promise<void> {
  const files = chosen.map(({ path, source }): TreeFile => ({
    path: path.split('/'),
    ...source,
    mode: 0o644,
  }));
  const byFile = new Map(files.map((file, index) => [file, chosen[index]]));
  await copy.onTotal({
    files: files.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    skipped: 0,
    arrived: { files: 0, bytes: 0 },
  });
  await makeFolders(copy, { rootMode: FOLDER_MODE, folders: foldersOf(files) });
  const changed: string[] = [];
  await copyFiles(copy, files, async (file, copyOne) => {
    const expected = byFile.get(file);
    if (expected === undefined) return null;
    const [here, there] = await Promise.all([findHere(copy, file), findThere(copy, file)]);
    const [source, target] = copy.direction === 'upload' ? [here, there] : [there, here];
    if (source !== null && isSame(source, expected.source)) {
      // A file that had the size and time of its source when it was chosen cannot be told from its copy.
      const again = copy.again && !isSame(expected.source, expected.target);
      if (again && judgeFile(file, target ?? undefined, { policy: copy.policy, again }) === 'arrived') {
        copy.onBytes(file.bytes, false);
        return file.bytes;
      }
      if (isSame(target, expected.target)) return copyOne();
    }
    changed.push(expected.path);
    return null;
  });
  if (changed.length > 0) {
    const names = changed.slice(0, 5).join(', ') + (changed.length > 5 ? ' …' : '');
    const why = `${changed.length} of its files changed after the comparison and were not overwritten: ${names}`;
    throw new OverworldError('TRANSFER_FAILED', { path: copy.remotePath, why });
  }
}

/**
 * Returns whether a file has the same size and time now as when it was last seen. Null stands for a file that does
 * not exist. Compares times in whole seconds, because SFTP version 3 stores no fractions.
 */
export function isSame(now: ExistingFile | null, seen: ExistingFile | null): boolean {
  if (now === null || seen === null) return now === seen;
  return now.bytes === seen.bytes && Math.floor(now.modifiedAt / 1000) === Math.floor(seen.modifiedAt / 1000);
}

/** Returns all folders that the files need, each once, parents first. */
function foldersOf(files: readonly TreeFile[]): { path: readonly string[]; mode: number }[] {
  const folders = new Map<string, readonly string[]>();
  for (const { path } of files) {
    for (let depth = 1; depth < path.length; depth++) {
      const folder = path.slice(0, depth);
      folders.set(folder.join('/'), folder);
    }
  }
  return [...folders.values()]
    .sort((a, b) => a.length - b.length)
    .map((path) => ({ path, mode: FOLDER_MODE }));
}

async function findHere({ localPath }: TreeCopy, { path }: TreeFile): Promise<ExistingFile | null> {
  return statLocal(join(localPath, ...path));
}

/**
 * Returns size and time of a file on this computer. Null if it does not exist, also if a part of its path is a file.
 *
 * @throws OverworldError LOCAL_FILE_UNREADABLE
 */
export async function statLocal(path: string): Promise<ExistingFile | null> {
  try {
    const { size, mtimeMs } = await lstat(path);
    return { bytes: size, modifiedAt: Math.floor(mtimeMs) };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return null;
    throw toLocalError(error, path);
  }
}

function findThere({ files, remotePath }: TreeCopy, { path }: TreeFile): Promise<ExistingFile | null> {
  return files.find([remotePath, ...path].join('/'));
}
