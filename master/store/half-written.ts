import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { listTree } from './list-tree.ts';

/** Matches names of temporary files of write-file-atomic: the name of the final file and a 32-bit number. */
const HALF_WRITTEN = /^.+\.json\.\d{1,10}$/;

/**
 * Removes temporary files that a killed master has left. Use it only for the master's state folder: in `config/`, a
 * file with such a name may be a person's copy.
 *
 * @param folder searched recursively; no other process may be writing in it (lease.ts)
 * @returns the removed paths
 */
export async function removeHalfWritten(folder: string): Promise<readonly string[]> {
  const left = (await listTree(folder)).filter((entry) => entry.isFile() && HALF_WRITTEN.test(entry.name));
  const paths = left.map((entry) => join(entry.parentPath, entry.name));
  await Promise.all(paths.map((path) => rm(path, { force: true })));
  return paths;
}
