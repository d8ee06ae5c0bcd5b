import { mkdir, readdir, rename as renameFile, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { syncFolder } from '#master/store/write-durably.ts';

export interface PutInPlaceOptions {
  /** Folder that contains the folders to move into place. It is on the disk of the data folder. */
  readonly built: string;
  readonly dataFolder: string;
  /** Names of entries in the data folder that are moved aside first. */
  readonly existing: readonly string[];
  /** Folder that is created for the entries that are moved aside. */
  readonly aside: string;
  readonly rename?: (from: string, to: string) => Promise<void>;
}

/**
 * Moves the existing entries of a data folder aside, then moves the built folders into the data folder, the
 * configuration last. If that fails, moves everything back.
 *
 * @throws OverworldError RESTORE_REFUSED if everything was moved back, so that nothing has changed;
 * RESTORE_INCOMPLETE if moving back failed as well
 */
export async function putInPlace({
  built,
  dataFolder,
  existing,
  aside,
  rename = renameFile,
}: PutInPlaceOptions): Promise<void> {
  const done: { readonly from: string; readonly to: string }[] = [];
  const move = async (from: string, to: string): Promise<void> => {
    await rename(from, to);
    done.push({ from, to });
  };
  try {
    if (existing.length > 0) await mkdir(aside, { mode: 0o700 });
    // The configuration is moved first, by the sort order. Without it, no master starts with this folder any more.
    for (const name of [...existing].sort()) await move(join(dataFolder, name), join(aside, name));
    const names = (await readdir(built)).filter((name) => name !== 'config');
    for (const name of [...names, 'config']) {
      await removeEmptyFolders(join(dataFolder, name));
      await move(join(built, name), join(dataFolder, name));
      await syncFolder(dataFolder);
    }
  } catch (error) {
    const why = reason(error);
    try {
      for (const { from, to } of done.reverse()) await rename(to, from);
      if (existing.length > 0) await removeEmptyFolders(aside);
      await syncFolder(dirname(aside));
      await syncFolder(dataFolder);
    } catch (undoing) {
      const details = { folder: dataFolder, aside, why: `${why}; then ${reason(undoing)}` };
      throw new OverworldError('RESTORE_INCOMPLETE', details, error);
    }
    const advice = 'Remove the cause, then restore again.';
    throw new OverworldError('RESTORE_REFUSED', { folder: dataFolder, why, advice }, error);
  }
}

/** Removes a folder, if it exists and contains only empty folders. @throws ENOTEMPTY if it contains a file */
async function removeEmptyFolders(path: string): Promise<void> {
  const entries = await readdir(path, { withFileTypes: true }).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  });
  if (entries === null) return;
  for (const entry of entries) if (entry.isDirectory()) await removeEmptyFolders(join(path, entry.name));
  await rmdir(path);
}

function reason(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
