import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { identityOf, isAlive, processIdentitySchema } from './process-identity.ts';
import { writeDurably } from './write-durably.ts';

/** Prefix of a folder's name. Such a folder is in the volumes' folder. It contains the files of an import in progress. */
const IMPORT = '.import-';
/**
 * Suffix of a file beside the folder. It names the process that uses the folder. The file is written before the
 * folder is created, and removed after it.
 */
const USER = '.json';

/** Returns a new name for a folder with the files of an import. */
export function newImportName(): string {
  return `${IMPORT}${randomUUID()}`;
}

/** Returns the path of the file beside a folder of an import. The file names the process that uses the folder. */
export function importUserFile(volumes: string, name: string): string {
  return join(volumes, `${name}${USER}`);
}

/**
 * Records that from now on, this process is the only one that uses a folder of an import.
 *
 * @throws errno errors
 */
export async function useImportFolder(volumes: string, name: string): Promise<void> {
  // The command may run as root, and the master as another user. Other users cannot enter the master's folder.
  await writeDurably(importUserFile(volumes, name), JSON.stringify(await identityOf(process.pid)), 0o644);
}

/**
 * Removes the folders of imports whose process has exited, such as those of a killed command. Keeps a folder if its
 * process is running, or if its process is unknown. A folder that cannot be removed stays until the next call.
 *
 * @param volumes folder of the volumes
 * @param removeTree removes a file, or a folder with its content, if it exists
 * @throws errno errors if the folder of the volumes cannot be listed
 */
export async function removeLeftImports(
  volumes: string,
  removeTree: (path: string) => Promise<void>,
): Promise<void> {
  for (const file of await readdir(volumes)) {
    if (!file.startsWith(IMPORT) || !file.endsWith(USER)) continue;
    const path = join(volumes, file);
    if (await mayBeUsed(path)) continue;
    try {
      await removeTree(join(volumes, file.slice(0, -USER.length)));
      await removeTree(path);
    } catch {
      // Files of root, for example, can be removed only by a command that root runs.
    }
  }
}

/** Reports whether the process that a file names is running. Also true if the file cannot be read. */
async function mayBeUsed(file: string): Promise<boolean> {
  try {
    return await isAlive(processIdentitySchema.parse(JSON.parse(await readFile(file, 'utf8'))));
  } catch {
    return true;
  }
}
