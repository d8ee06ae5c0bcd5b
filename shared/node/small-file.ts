import { constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';

/** Error codes whose cause is not the file itself, but missing resources of the master or a faulty disk. */
const BLIND = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO']);

/**
 * Rethrows an errno error whose cause is not the file, such as EMFILE, so that the caller does not treat the file as
 * missing. Returns otherwise.
 */
export function rethrowUnlessFileError(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && BLIND.has(code)) throw error;
}

/**
 * Reads a small file in a folder in which others can write, too. Reads only a small regular file, follows no link, and does not
 * block at a pipe.
 *
 * @returns null if the file does not exist or is not valid
 * @throws errno errors whose cause is not the file, such as EMFILE
 */
export async function readSmallFile(
  path: string,
  maxBytes: number,
): Promise<{ readonly text: string; readonly stats: Stats } | null> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
    try {
      const stats = await file.stat();
      if (!stats.isFile() || stats.size > maxBytes) return null;
      return { text: await file.readFile('utf8'), stats };
    } finally {
      await file.close();
    }
  } catch (error) {
    rethrowUnlessFileError(error);
    return null;
  }
}
