import { constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';

/** Error codes that say nothing about the file itself: the master lacks resources, or the disk is faulty. */
const BLIND = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO']);

/**
 * Rethrows an errno error whose cause is not the file itself, such as EMFILE, so that the caller does not treat the
 * file as missing. Does nothing for other errors.
 */
export function rethrowUnlessFileError(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && BLIND.has(code)) throw error;
}

/**
 * Flags for opening a file to read it in a folder in which an attacker may place links and pipes: follows no link,
 * and does not wait for the writer of a pipe. Windows has neither of these flags.
 */
export const READ_ONLY_FILE = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW;

/**
 * Reads a small file in a folder that is also writable for other users. Accepts only a small regular file, follows no
 * link, and does not block on a pipe.
 *
 * @returns null if the file does not exist or is not acceptable
 * @throws errno errors whose cause is not the file itself, such as EMFILE
 */
export async function readSmallFile(
  path: string,
  maxBytes: number,
): Promise<{ readonly text: string; readonly stats: Stats } | null> {
  try {
    const file = await open(path, READ_ONLY_FILE);
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
