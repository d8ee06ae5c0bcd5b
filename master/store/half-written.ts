import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** As write-file-atomic names what it has not put in its place yet: the file's name and a number of 32 bits. */
const HALF_WRITTEN = /^.+\.json\.\d{1,10}$/;

/**
 * Removes what a killed master had begun to write and never put in its place. For the folder of its own state only: in
 * `config/` such a name may be somebody's copy.
 *
 * @param folder looked through with all below; nobody else may be writing there (lease.ts)
 * @returns the paths that were removed
 */
export async function removeHalfWritten(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const left = entries.filter((entry) => entry.isFile() && HALF_WRITTEN.test(entry.name));
  const paths = left.map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(paths.map((path) => rm(path, { force: true })));
  return paths;
}
