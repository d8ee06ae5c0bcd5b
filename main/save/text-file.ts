import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/**
 * Writes a text piece by piece to a file of a person's choice: under a temporary name beside it first, so that a
 * failure leaves what stood there.
 *
 * @throws OverworldError DISK_FULL, LOCAL_FILE_UNREADABLE; and what `pieces` throws
 */
export async function saveText(path: string, pieces: AsyncIterable<string>): Promise<void> {
  // Never one that is there: it may be somebody's, or a link to it.
  const part = `${path}.${randomBytes(8).toString('hex')}.overworld-part`;
  try {
    await pipeline(Readable.from(pieces), createWriteStream(part, { mode: 0o644, flags: 'wx' }));
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw toLocalError(path, error);
  }
}

function toLocalError(path: string, error: unknown): unknown {
  if (error instanceof OverworldError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOSPC' || code === 'EDQUOT') return new OverworldError('DISK_FULL', { path }, error);
  return code === undefined
    ? error
    : new OverworldError('LOCAL_FILE_UNREADABLE', { path, why: message }, error);
}
