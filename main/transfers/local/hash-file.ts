import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { toLocalError } from '../remote/file-errors.ts';

/**
 * Returns the SHA-256 of a file on this computer. Null if it does not exist.
 *
 * @throws OverworldError LOCAL_FILE_UNREADABLE
 */
export async function hashLocalFile(path: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
    return hash.digest('hex');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw toLocalError(error, path);
  }
}
