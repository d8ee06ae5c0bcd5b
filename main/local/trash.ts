import { toLocalError } from '../transfers/remote/file-errors.ts';
import { existsHere } from '../transfers/operations/file-copy.ts';

/**
 * Moves entries of this computer to the system's trash, one after the other. Ignores entries that do not exist.
 *
 * @param trash function of the system (Electron's `shell.trashItem`)
 * @throws OverworldError LOCAL_FILE_UNREADABLE for the first entry that fails; the entries before it are in the trash
 */
export async function trashAll(
  paths: readonly string[],
  trash: (path: string) => Promise<void>,
): Promise<void> {
  for (const path of paths) {
    if (!(await existsHere(path))) continue;
    await trash(path).catch((error: unknown) => {
      throw toLocalError(error, path);
    });
  }
}
