import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * Name of the folder that ext4 creates at the root of each disk. Only root can read it. An admin may mount a disk at
 * the data folder or at one of its subfolders, and this folder is then no data of the master.
 */
export const LOST_AND_FOUND = 'lost+found';

/**
 * Lists all files and folders in a folder, recursively. Leaves out {@link LOST_AND_FOUND} at the top.
 *
 * @throws errno errors
 */
export async function listTree(folder: string): Promise<Dirent[]> {
  const top = await readdir(folder, { withFileTypes: true });
  const entries = top.filter(({ name }) => name !== LOST_AND_FOUND);
  const folders = entries.filter((entry) => entry.isDirectory());
  const inside = folders.map(({ name }) =>
    readdir(join(folder, name), { recursive: true, withFileTypes: true }),
  );
  return [...entries, ...(await Promise.all(inside)).flat()];
}

/**
 * Returns the names of the folders in a folder. Returns none if the folder does not exist, or was deleted in the
 * meantime. Leaves out {@link LOST_AND_FOUND}, and folders that begin with a dot, which contain unfinished copies.
 *
 * @throws errno errors
 */
export async function foldersIn(path: string): Promise<string[]> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  });
  return entries
    .filter((one) => one.isDirectory() && !one.name.startsWith('.') && one.name !== LOST_AND_FOUND)
    .map(({ name }) => name);
}
