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

/** Name of a file in which a master that was killed has begun to write a new version of `volume.json`. */
const UNFINISHED = /^volume\.json\.\d+$/;

/**
 * Removes unfinished saves and documents that a killed master has left. Creates the volume's folder if it does not
 * exist.
 */
export async function removeIncoming(volume: string): Promise<void> {
  await mkdir(volume, { recursive: true, mode: 0o700 });
  for (const name of await readdir(volume))
    if (name.startsWith(INCOMING) || UNFINISHED.test(name)) await removeTree(join(volume, name));
}
