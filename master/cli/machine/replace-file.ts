import { readFile, realpath, stat } from 'node:fs/promises';
import { writeDurably } from '#master/store/write-durably.ts';

/** Mode of a new file. All users may read it, because the files in /etc contain no secrets of the master. */
const NEW_MODE = 0o644;

/** Returns the text of a file. Empty if the file does not exist. */
export async function readText(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  }
}

/**
 * Replaces the text of a system file atomically. Keeps the file's mode. If the path is a link, replaces its target,
 * because admins may link files in /etc.
 *
 * @param change receives the old text (empty if the file does not exist), and returns the new text
 * @returns whether the text was changed
 */
export async function changeFile(path: string, change: (text: string) => string): Promise<boolean> {
  const before = await readText(path);
  const after = change(before);
  if (after === before) return false;
  const mode = await stat(path).then(
    (found) => found.mode & 0o777,
    () => NEW_MODE,
  );
  const real = await realpath(path).catch(() => path);
  await writeDurably(real, after, mode);
  return true;
}
