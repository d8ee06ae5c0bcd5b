import { randomUUID } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from '#master/store/write-durably.ts';
import { removeTree } from '#master/templates/pinned-folder.ts';

/** Prefix of the names of folders with deleted volumes, in the folder of all volumes. */
const REMOVED = '.removed-';

/**
 * Moves the folder of a volume to a hidden folder, if it exists. This is one step, so that neither a crash nor a save
 * in progress leaves a part of the volume in its place.
 *
 * @param folder `<volumes>/<template>/<number>`
 * @returns path of the hidden folder, which the caller removes
 * @throws errno errors
 */
export async function hideFolder(folder: string): Promise<string> {
  const template = dirname(folder);
  const hidden = join(dirname(template), `${REMOVED}${randomUUID()}`);
  try {
    await rename(folder, hidden);
    for (const changed of [dirname(template), template]) await syncFolder(changed);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  return hidden;
}

/**
 * Removes the folders of deleted volumes that a killed master has left. A folder that cannot be removed stays until
 * the next call.
 *
 * @param volumes folder of all volumes
 * @throws errno errors if the folder of the volumes cannot be listed
 */
export async function removeHidden(volumes: string): Promise<void> {
  for (const name of await readdir(volumes))
    if (name.startsWith(REMOVED)) await removeTree(join(volumes, name)).catch(() => undefined);
}
