import { constants } from 'node:fs';
import { cp, readdir } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toLocalError } from '../sftp/file-errors.ts';
import { freeName } from '../sftp/names.ts';

/**
 * Copies entries of this computer into a folder of it, with all that is in them, their times, and links as links. Nothing is
 * replaced: where a name is taken the copy gets one of its own beside it (`server (2).jar`).
 *
 * @param sources real paths
 * @param folder real path
 * @throws OverworldError FILE_FORBIDDEN (a folder into itself), LOCAL_FILE_UNREADABLE; what is copied by then stays
 */
export async function copyHere(sources: readonly string[], folder: string): Promise<void> {
  for (const path of sources) {
    const way = relative(path, folder);
    if (way === '' || (way !== '..' && !way.startsWith(`..${sep}`))) {
      throw new OverworldError('FILE_FORBIDDEN', { path, why: 'a folder cannot be copied into itself' });
    }
  }
  const taken = new Set(
    await readdir(folder).catch((error: unknown) => {
      throw toLocalError(error, folder);
    }),
  );
  for (const path of sources) {
    const name = freeName(basename(path), taken);
    taken.add(name);
    await cp(path, join(folder, name), {
      ...{ recursive: true, preserveTimestamps: true, verbatimSymlinks: true },
      // What came there meanwhile is not replaced either.
      ...{ force: false, errorOnExist: true, mode: constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE },
    }).catch((error: unknown) => {
      throw toLocalError(error, path);
    });
  }
}
