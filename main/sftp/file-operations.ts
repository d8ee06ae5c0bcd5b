import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { RemoteEntry } from '#shared/ipc/contract.ts';
import { parentOf } from './copy-file.ts';
import { requirePlainName } from './names.ts';
import type { RemoteFiles } from './remote-files.ts';

/** Makes one folder. @throws OverworldError FILE_EXISTS, FILE_NAME_INVALID */
export async function makeFolder(files: RemoteFiles, path: string): Promise<void> {
  requirePlainName(lastName(path));
  await orExists(files, path, () => files.makeFolder(path));
}

/** Renames or moves; never over something. @throws OverworldError FILE_EXISTS, FILE_NOT_FOUND, FILE_NAME_INVALID */
export async function renameEntry(files: RemoteFiles, from: string, to: string): Promise<void> {
  requirePlainName(lastName(to));
  if ((await files.find(from)) === null) throw new OverworldError('FILE_NOT_FOUND', { path: from });
  await orExists(files, to, () => files.rename(from, to));
}

/** Deletes files, links (not what they point to), and folders with all that is in them. What is gone already is fine. */
export async function deleteEntries(files: RemoteFiles, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    const entry = await files.find(path);
    if (entry !== null) await deleteEntry(files, entry);
  }
}

async function deleteEntry(files: RemoteFiles, entry: RemoteEntry): Promise<void> {
  if (entry.kind !== 'folder') {
    await files.deleteFile(entry.path);
    return;
  }
  for (const child of await files.listAll(entry.path)) await deleteEntry(files, child);
  await files.deleteEmptyFolder(entry.path);
}

/** SFTP version 3 says only "failure" where a name is taken: look, to say it in a better sentence. */
async function orExists(files: RemoteFiles, path: string, operation: () => Promise<void>): Promise<void> {
  if ((await files.find(path)) !== null) throw new OverworldError('FILE_EXISTS', { path });
  await operation();
}

function lastName(path: string): string {
  return path.slice(parentOf(path) === '/' ? 1 : parentOf(path).length + 1);
}
