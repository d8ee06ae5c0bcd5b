import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { SavedFile, SavedName } from './save-tree.ts';

/** Number of files whose properties are read in parallel. */
const BATCH = 16;

/**
 * Looks up a path in a working copy, like `findIn` in a save. A working copy has no links.
 *
 * @returns `folder`, a file, or null if nothing exists at the path
 * @throws errno errors, except those for missing files
 */
export async function lookInCopy(copy: string, path: string): Promise<SavedFile | 'folder' | null> {
  const stats = await statsOf(join(copy, path));
  if (stats === null) return null;
  return stats.isDirectory() ? 'folder' : toFile(path, stats);
}

/** Returns the names in a folder of a working copy, sorted. @throws errno errors */
export async function listCopy(copy: string, folder: string): Promise<SavedName[]> {
  const names = (await readdir(join(copy, folder))).sort();
  const found: SavedName[] = [];
  for (let from = 0; from < names.length; from += BATCH) {
    const some = names.slice(from, from + BATCH).map(async (name) => {
      const path = folder === '' ? name : `${folder}/${name}`;
      const stats = await statsOf(join(copy, path));
      return stats === null ? [] : [{ name, file: stats.isDirectory() ? null : toFile(path, stats) }];
    });
    found.push(...(await Promise.all(some)).flat());
  }
  return found;
}

function toFile(path: string, { size, mode, mtimeMs }: Stats): SavedFile {
  return { path, size, mode: mode & 0o777, modifiedAtMs: mtimeMs };
}

async function statsOf(path: string): Promise<Stats | null> {
  try {
    return await lstat(path);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENAMETOOLONG') return null;
    throw error;
  }
}
