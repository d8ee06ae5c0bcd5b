import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { LocalFolder } from '#shared/ipc/contract.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { toLocalError } from '../remote/file-errors.ts';
import { byKindAndName, PERMISSION_BITS } from '../remote/entry.ts';

type LocalEntry = LocalFolder['entries'][number];

/**
 * Number of entries examined in parallel. More would not be faster, because Node.js examines files in four threads.
 */
const LOOKS_AT_A_TIME = 16;

/**
 * Lists a folder on this computer, including hidden entries: folders first, then by name. An entry that cannot be
 * examined has size, time and mode 0. An entry that is removed during the call is left out.
 *
 * @param real path of the folder to read
 * @param shown prefix of the returned paths
 * @throws OverworldError LOCAL_FILE_UNREADABLE
 */
export async function listFolder(real: string, shown: string): Promise<LocalEntry[]> {
  const found = await readdir(real, { withFileTypes: true }).catch((error: unknown) => {
    throw toLocalError(error, shown);
  });
  const entries: LocalEntry[] = [];
  await forEachLimited(found, LOOKS_AT_A_TIME, async (dirent) => {
    const entry = { name: dirent.name, path: join(shown, dirent.name), kind: kindOf(dirent) };
    try {
      const stats = await lstat(join(real, dirent.name));
      entries.push({ ...entry, ...measuresOf(stats), kind: kindOf(stats) });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
      entries.push({ ...entry, bytes: 0, modifiedAt: 0, mode: 0 });
    }
  });
  return entries.sort(byKindAndName);
}

function measuresOf({ size, mtimeMs, mode }: Stats): Pick<LocalEntry, 'bytes' | 'modifiedAt' | 'mode'> {
  return { bytes: size, modifiedAt: Math.floor(mtimeMs), mode: mode & PERMISSION_BITS };
}

function kindOf(entry: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): LocalEntry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}
