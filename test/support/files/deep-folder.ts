import { mkdir, rename, rmdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Names of a folder in a folder, and so on: 3,000 bytes. */
const HALF = Array.from({ length: 12 }, () => 'n'.repeat(249)).join('/');

/**
 * Creates folders in `parent` that are nested so deeply that the path of the innermost one has more than 4,096 bytes,
 * Linux's limit for one system call. A server or an SFTP client can do the same: the half of the path is moved.
 */
export async function makeDeepFolder(parent: string): Promise<void> {
  const [deep, half] = [join(parent, 'deep'), join(parent, 'half')];
  await mkdir(join(deep, HALF), { recursive: true });
  await mkdir(join(half, HALF), { recursive: true });
  await rename(half, join(deep, HALF, 'half'));
}

/** Number of folders with short names whose path one system call can create. */
const LEVELS_AT_ONCE = 1_500;

/**
 * Creates nested folders with the name `n` in `parent`, one in the other.
 *
 * @param levels number of folders
 */
export async function makeNestedFolders(parent: string, levels: number): Promise<void> {
  const [part, nested] = [join(parent, 'part'), join(parent, 'n')];
  for (let left = levels; left > 0; left -= LEVELS_AT_ONCE) {
    const names = Array.from({ length: Math.min(left, LEVELS_AT_ONCE) }, () => 'n').join('/');
    await mkdir(join(part, names), { recursive: true });
    // The folders so far become the innermost ones.
    if (left < levels) await rename(nested, join(part, names, 'n'));
    await rename(join(part, 'n'), nested);
    await rmdir(part);
  }
}
