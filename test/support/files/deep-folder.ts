import { mkdir, rename } from 'node:fs/promises';
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
