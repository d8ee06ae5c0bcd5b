import { mkdir, readdir, rename as renameFile, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { syncFolder } from '#master/store/write-durably.ts';

export interface PutInPlaceOptions {
  /** Folder with the folders that were built, on the disk of the data folder. */
  readonly built: string;
  readonly dataFolder: string;
  /** Names in the data folder that are moved aside first. */
  readonly existing: readonly string[];
  /** Folder to create for them. */
  readonly aside: string;
  readonly rename?: (from: string, to: string) => Promise<void>;
}

/**
 * Moves built folders into a data folder, the configuration last, and what is there aside before. If that fails, moves
 * everything back.
 *
 * @throws OverworldError RESTORE_REFUSED if nothing has changed, RESTORE_INCOMPLETE if moving back failed, too
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
    // Without its configuration, no master starts with the folder any more.
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
    const advice = 'Correct this, then restore again.';
    throw new OverworldError('RESTORE_REFUSED', { folder: dataFolder, why, advice }, error);
  }
}

/** Removes a folder that contains only empty folders, if it exists. @throws ENOTEMPTY if there is a file in it */
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
