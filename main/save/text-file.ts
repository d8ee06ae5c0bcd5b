import { randomBytes } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/**
 * Writes a text piece by piece to a file that a person chose. Writes to a temporary file next to it first, so that
 * a failure leaves the old content.
 *
 * @throws OverworldError DISK_FULL, LOCAL_FILE_UNREADABLE; and what `pieces` throws
 */
export async function saveText(path: string, pieces: AsyncIterable<string>): Promise<void> {
  // The name is random, because a file with a fixed name may belong to the person or be a link.
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
