import { toLocalError } from '../transfers/remote/file-errors.ts';
import { existsHere } from '../transfers/operations/file-copy.ts';

/**
 * Puts entries of this computer into the system's trash, one after the other. What is gone already is fine.
 *
 * @param trash the system's own way (Electron's `shell.trashItem`)
 * @throws OverworldError LOCAL_FILE_UNREADABLE for the first that could not; those before it are in the trash
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
