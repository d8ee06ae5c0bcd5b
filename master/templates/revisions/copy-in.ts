import { join } from 'node:path';
import { copyAndHash } from '../copy-file.ts';
import { openWithoutLinks } from '../links.ts';
import type { SeenFile } from './manifest.ts';

/**
 * Copies one file that a scan saw to a path that must not exist, down to the disk. Links that the scan followed are not
 * followed again: a file that has become one since is refused.
 *
 * @param root real path of the template's folder
 * @returns the sha256 of the copy, hex
 * @throws errno errors
 */
export async function copyIn(
  root: string,
  { path, source, mode }: Pick<SeenFile, 'path' | 'source' | 'mode'>,
  to: string,
): Promise<string> {
  const from = join(root, source);
  const file = await openWithoutLinks(from);
  if (file === null) throw new Error(`${path} is not a file any more`);
  try {
    // The open file itself, whatever its path leads to by now. Elsewhere a later scan sees what was exchanged.
    const opened = process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : from;
    return await copyAndHash(opened, to, mode);
  } finally {
    await file.close();
  }
}
