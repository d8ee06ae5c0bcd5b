import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { openWithoutLinks } from '#master/templates/links.ts';
import { inExactFolder } from '#master/templates/pinned-folder.ts';
import type { SavedFile, SavedName } from '../save-tree.ts';

/** Number of files whose properties are read in parallel. */
const BATCH = 16;

/**
 * Looks up a path in a working copy, like `findIn` in a save. SFTP clients can place no links in a working copy, but
 * an attacker might. None of them is followed.
 *
 * @param copy real path of the working copy
 * @returns `folder`, a file, or null if nothing exists at the path. A link or special file counts as a file
 * @throws FolderReplaced; errno errors, except those for missing files
 */
export async function lookInCopy(copy: string, path: string): Promise<SavedFile | 'folder' | null> {
  const [folder, name] = path === '' ? ['', ''] : [dirname(path), basename(path)];
  const stats = await existing(inExactFolder(copy, folder, (at) => lstat(`${at}/${name}`)));
  if (stats === null) return null;
  return stats.isDirectory() ? 'folder' : toFile(path, stats);
}

/**
 * Returns the names in a folder of a working copy, sorted. Follows no link.
 *
 * @param copy real path of the working copy
 * @throws FolderReplaced; errno errors
 */
export function listCopy(copy: string, folder: string): Promise<SavedName[]> {
  return inExactFolder(copy, folder, (at) => namesAt(at, folder));
}

/**
 * Opens a file of a working copy for reading. Follows no link, and does not wait for a writer of a pipe.
 *
 * @param copy real path of the working copy
 * @returns null if the path contains a link, or leads to something else than a regular file
 * @throws errno errors
 */
export async function openInCopy(copy: string, path: string): Promise<FileHandle | null> {
  return openWithoutLinks(join(copy, path));
}

async function namesAt(at: string, folder: string): Promise<SavedName[]> {
  const names = (await readdir(at)).sort();
  const found: SavedName[] = [];
  for (let from = 0; from < names.length; from += BATCH) {
    const some = names.slice(from, from + BATCH).map(async (name) => {
      const path = folder === '' ? name : `${folder}/${name}`;
      const stats = await existing(lstat(join(at, name)));
      return stats === null ? [] : [{ name, file: stats.isDirectory() ? null : toFile(path, stats) }];
    });
    found.push(...(await Promise.all(some)).flat());
  }
  return found;
}

function toFile(path: string, { size, mode, mtimeMs }: Stats): SavedFile {
  return { path, size, mode: mode & 0o777, modifiedAtMs: mtimeMs };
}

/** Returns null if the file does not exist. */
async function existing(stats: Promise<Stats>): Promise<Stats | null> {
  try {
    return await stats;
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return null;
    throw error;
  }
}
