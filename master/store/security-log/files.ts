import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainFile } from './chain.ts';

/** Name of a file: the number of its first entry. Sorting the names therefore sorts the files by their entries. */
const FILE = /^\d{12}\.jsonl$/;

/** Returns the folder of the security log in a state folder. */
export function securityLogFolder(state: string): string {
  return join(state, 'security');
}

/** Returns the name of the file that begins with the entry `seq`. */
export function fileNameOf(seq: number): string {
  return `${String(seq).padStart(12, '0')}.jsonl`;
}

/**
 * Lists the files of a security log in the order of their entries. Returns an empty list if the folder does not
 * exist.
 */
export async function listSecurityFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => FILE.test(name)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Reads the whole security log. The last line may be incomplete, if a running master is writing it. */
export async function readSecurityFiles(folder: string): Promise<ChainFile[]> {
  const names = await listSecurityFiles(folder);
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })));
}
