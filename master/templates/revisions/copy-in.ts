import { join } from 'node:path';
import { copyAndHash } from '../copy-file.ts';
import { openWithoutLinks, pathOfOpened } from '../links.ts';
import type { SeenFile } from './scan-folder.ts';

/**
 * Copies one scanned file and flushes the copy to the disk. The destination must not exist. Links are not followed
 * again: a file that has been replaced by a link since the scan is refused.
 *
 * @param root real path of the template's folder
 * @returns the sha256 of the copy in hex
 * @throws errno errors; Error if the path no longer names a regular file
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
    // On systems other than Linux, a later scan detects an exchanged file.
    return await copyAndHash(pathOfOpened(file, from), to, mode);
  } finally {
    await file.close();
  }
}
