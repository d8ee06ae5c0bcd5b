import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

/** Prefix of the folders with the new contents of a save in progress. */
const INCOMING = 'incoming-';

/** Creates the folder for the new contents of a save. The next master may already save while a save of this one ends. */
export function makeIncoming(volume: string): Promise<string> {
  return mkdtemp(join(volume, INCOMING));
}

/** Removes what saves of a killed master have left. Creates the folder of a new volume. */
export async function removeIncoming(volume: string): Promise<void> {
  await mkdir(volume, { recursive: true, mode: 0o700 });
  for (const name of await readdir(volume))
    if (name.startsWith(INCOMING)) await rm(join(volume, name), { recursive: true, force: true });
}
