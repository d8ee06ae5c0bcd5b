import { mkdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Path of 12 nested folders, with 3,000 bytes. */
const HALF = Array.from({ length: 12 }, () => 'n'.repeat(249)).join('/');

/**
 * Creates deeply nested folders in `parent`. The path of the innermost folder is longer than 4,096 bytes, Linux's
 * limit for a path in a system call. Like this function, a server or an SFTP client can create such folders: it moves
 * one half of the path into the other half.
 */
export async function makeDeepFolder(parent: string): Promise<void> {
  const [deep, half] = [join(parent, 'deep'), join(parent, 'half')];
  await mkdir(join(deep, HALF), { recursive: true });
  await mkdir(join(half, HALF), { recursive: true });
  await rename(half, join(deep, HALF, 'half'));
}

/** Number of nested folders with short names whose path is short enough for one system call. */
const LEVELS_AT_ONCE = 1_500;

/**
 * Creates nested folders with the name `n` in `parent`.
 *
 * @param levels number of folders
 */
export async function makeNestedFolders(parent: string, levels: number): Promise<void> {
  const [part, nested] = [join(parent, 'part'), join(parent, 'n')];
  for (let left = levels; left > 0; left -= LEVELS_AT_ONCE) {
    const names = Array.from({ length: Math.min(left, LEVELS_AT_ONCE) }, () => 'n').join('/');
    await mkdir(join(part, names), { recursive: true });
    // Move the folders that exist so far into the new innermost folder.
    if (left < levels) await rename(nested, join(part, names, 'n'));
    await rename(join(part, 'n'), nested);
    await rmdir(part);
  }
}
