import { join } from 'node:path';
import { copyAndHash } from '../copy-file.ts';
import { openWithoutLinks } from '../links.ts';
import type { SeenFile } from './manifest.ts';

/**
 * Copies one scanned file to a path that must not exist and flushes it to the disk. Links are not followed again: a
 * file that has been replaced by a link since the scan is refused.
 *
 * @param root real path of the template's folder
 * @returns the sha256 of the copy in hex
 * @throws errno errors
 */
export async function copyIn(
  root: string,
  { path, source, mode }: Pick<SeenFile, 'path' | 'source' | 'mode'>,
  to: string,
): Promise<string> {
  const from = join(root, source);
  const file = await openWithoutLinks(from);
  if (file === null) throw new Error(`${path} is no longer a file`);
  try {
    // Refers to the open file, whatever its path leads to now. On other systems a later scan detects the exchange.
    const opened = process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : from;
    return await copyAndHash(opened, to, mode);
  } finally {
    await file.close();
  }
}
