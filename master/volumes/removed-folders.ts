import { randomUUID } from 'node:crypto';
import { readdir, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { serialQueue } from '#master/store/serial.ts';
import { syncFolder } from '#master/store/write-durably.ts';
import { removeTree } from '#master/templates/pinned-folder.ts';

/** Prefix of the names of folders with deleted volumes, in the folder of all volumes. */
const REMOVED = '.removed-';

/**
 * Moves the folder of a volume to a hidden folder, if it exists. This is one step, so that neither a crash nor a save
 * in progress leaves a part of the volume in its place.
 *
 * @param folder `<volumes>/<template>/<number>`
 * @returns path of the hidden folder, to be removed with {@link FolderRemovals}
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
 * Returns the paths of the folders of deleted volumes that an earlier master has left.
 *
 * @param volumes folder of all volumes
 * @throws errno errors if the folder of the volumes cannot be listed
 */
export async function hiddenFolders(volumes: string): Promise<string[]> {
  const names = await readdir(volumes);
  return names.filter((name) => name.startsWith(REMOVED)).map((name) => join(volumes, name));
}

/**
 * Removes folders of deleted volumes in the background, one after the other, because a large volume may take minutes.
 * A folder that cannot be removed stays until the next master.
 */
export class FolderRemovals {
  readonly #closing = new AbortController();
  readonly #queue = serialQueue();
  readonly #onError: (error: unknown, folder: string) => void;

  constructor(onError: (error: unknown, folder: string) => void) {
    this.#onError = onError;
  }

  /** Removes a folder soon. */
  add(folder: string): void {
    const { signal } = this.#closing;
    this.#queue(() => removeTree(folder, signal)).catch((error: unknown) => {
      if (!signal.aborted) this.#onError(error, folder);
    });
  }

  /** Ends all removals. Resolves when nothing more is removed. The next master removes the rest. */
  async close(): Promise<void> {
    this.#closing.abort();
    await this.#queue(() => Promise.resolve());
  }
}
