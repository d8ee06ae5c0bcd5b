import { lstat, open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { diskProblem } from '#master/templates/disk-problem.ts';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import type { HandOverFile, HandOverRefresh } from '../runtime.ts';
import type { ServiceFolder } from './service-folder.ts';
import { readSmallFile } from '#shared/node/small-file.ts';

/** Number of files that are read or written in parallel. */
const PARALLEL_FILES = 8;

/** Calls `work` with the folder of a service while nothing else changes the service. */
type InFolder = (id: ServiceId, work: (folder: ServiceFolder) => Promise<boolean>) => Promise<boolean>;

/**
 * Replaces the hand-over files of services on this machine if their content differs (`Runtime.refreshHandOver`). The
 * result also contains the services whose files could not be replaced.
 *
 * @param inFolder calls `work` with the folder of a service. Nothing else changes the folder in the meantime
 */
export async function refreshHandOver(
  files: readonly HandOverFile[],
  inFolder: InFolder,
): Promise<HandOverRefresh> {
  const written: ServiceId[] = [];
  const failed: { id: ServiceId; why: string }[] = [];
  await forEachLimited(files, PARALLEL_FILES, async ({ id, content }) => {
    try {
      if (await inFolder(id, (folder) => refresh(folder, content))) written.push(id);
    } catch (error) {
      failed.push({ id, why: diskProblem(error) });
    }
  });
  return { written, failed };
}

/**
 * Replaces the file of one service if its content differs. Returns whether the file was replaced; false also if the
 * service has no record. Links are never followed, because the service may have created them.
 */
async function refresh(folder: ServiceFolder, content: Buffer): Promise<boolean> {
  if ((await folder.readRecord()) === null) return false;
  if (!(await lstat(folder.files)).isDirectory())
    throw new Error('its folder was replaced by something else');
  const path = join(folder.files, HAND_OVER_FILE);
  if ((await readSmallFile(path, content.length))?.text === content.toString()) return false;
  const part = `${path}.part`;
  // An interrupted call may have left it.
  await rm(part, { force: true });
  try {
    await write(part, content);
    await rename(part, path);
  } catch (error) {
    await rm(part, { force: true }).catch(() => undefined);
    throw error;
  }
  return true;
}

async function write(path: string, content: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(content);
    // The umask may have cleared bits of the mode.
    await file.chmod(0o600);
  } finally {
    await file.close();
  }
}
