import { mkdir, mkdtemp, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { removeTree } from '#master/templates/pinned-folder.ts';

/** Prefix of the names of folders that receive the new contents of a save in progress. */
const INCOMING = 'incoming-';

/**
 * Creates a folder for the new contents of a save, and returns its path. The folder's name is unique, because another
 * master process may make a save of the same volume at the same time.
 */
export function makeIncoming(volume: string): Promise<string> {
  return mkdtemp(join(volume, INCOMING));
}

/** Removes the folders that saves of a killed master have left. Creates the volume's folder if it does not exist. */
export async function removeIncoming(volume: string): Promise<void> {
  await mkdir(volume, { recursive: true, mode: 0o700 });
  for (const name of await readdir(volume))
    if (name.startsWith(INCOMING)) await removeTree(join(volume, name));
}
