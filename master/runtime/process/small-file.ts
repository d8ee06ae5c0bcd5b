import { constants, type Stats } from 'node:fs';
import { open } from 'node:fs/promises';

/** Errors that say nothing about what was looked at: the master itself, or the disk, has run out of something. */
const BLIND = new Set(['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN', 'EIO']);

/** Passes on an error that must not be taken for "it is not there": whoever cannot see must not judge. */
export function throwIfBlind(error: unknown): void {
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined && BLIND.has(code)) throw error;
}

/**
 * Reads a note in a service's `run` folder. The service's processes can write there too: nothing but a small regular
 * file is read, and nothing (a pipe) is waited for.
 *
 * @returns null when there is none that can be taken seriously
 * @throws the operating system's error when nothing can be said at all
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
    throwIfBlind(error);
    return null;
  }
}
