import { randomBytes } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { TreeCopy } from './copy-tree.ts';
import { nameOf, parentOf } from './file-copy.ts';
import { toLocalError } from '../remote/file-errors.ts';
import { partName } from '../remote/names.ts';
import { joinRemote } from '../remote/remote-path.ts';

/**
 * Refuses a move if its source and destination are the same entry. For example, the master's files may be on this
 * computer or on a shared disk. Such a move would delete its own result. If the names of source and destination
 * differ in more than case, they count as different entries, and nothing is checked.
 *
 * For the check, creates an empty file next to the local entry, looks for this file on the master, and deletes it.
 *
 * @throws OverworldError FILE_FORBIDDEN; LOCAL_FILE_UNREADABLE if no file can be created
 */
export async function requireTwoEntries({
  files,
  localPath,
  remotePath,
}: Pick<TreeCopy, 'files' | 'localPath' | 'remotePath'>): Promise<void> {
  // Ignores case, because some disks ignore it.
  if (basename(localPath).toLowerCase() !== nameOf(remotePath).toLowerCase()) return;
  // Named like a partial file, so that no list shows it and a leftover is recognised.
  const name = partName(randomBytes(16).toString('hex'));
  const mark = join(dirname(localPath), name);
  try {
    await writeFile(mark, '', { flag: 'wx', mode: 0o600 });
    if ((await files.find(joinRemote(parentOf(remotePath), name))) === null) return;
  } catch (error) {
    throw error instanceof OverworldError ? error : toLocalError(error, localPath);
  } finally {
    await rm(mark, { force: true });
  }
  const why = 'it is the same file here and on the master, which stores its files on this computer';
  throw new OverworldError('FILE_FORBIDDEN', { path: localPath, why });
}
