import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Typical sizes of configuration files and small data of game servers (bytes). */
const SIZES = [200, 900, 2_000, 4_000, 12_000];
const FOLDERS = 20;

/** Fills a folder with many small files of random bytes. */
export async function writeSmallFiles(folder: string, files: number): Promise<void> {
  for (let at = 0; at < FOLDERS; at += 1) await mkdir(join(folder, `folder-${at}`), { recursive: true });
  for (let at = 0; at < files; at += 1) {
    const bytes = randomBytes(SIZES[at % SIZES.length] ?? 0);
    await writeFile(join(folder, `folder-${at % FOLDERS}`, `file-${at}.dat`), bytes);
  }
}

/** Returns the number of small files below a folder. */
export async function countSmallFiles(folder: string): Promise<number> {
  return (await readdir(folder, { recursive: true })).filter((path) => path.endsWith('.dat')).length;
}

/** Describes the small files in the note of a metric. */
export function smallFilesNote(files: number): string {
  return `${files} files of ${SIZES.join(', ')} bytes in ${FOLDERS} folders on tmpfs`;
}
