import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChainFile } from './chain.ts';

/** Files are named after the number of their first entry, so that their names have the order of their entries. */
const FILE = /^\d{12}\.jsonl$/;

/** Returns the folder of the security log in a state folder. */
export function securityLogFolder(state: string): string {
  return join(state, 'security');
}

/** Returns the name of the file that begins with the entry `seq`. */
export function fileNameOf(seq: number): string {
  return `${String(seq).padStart(12, '0')}.jsonl`;
}

/** Lists the files of a security log in the order of their entries. A folder that does not exist has none. */
export async function listSecurityFiles(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).filter((name) => FILE.test(name)).sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** Reads the whole security log. A running master may write its last line meanwhile. */
export async function readSecurityFiles(folder: string): Promise<ChainFile[]> {
  const names = await listSecurityFiles(folder);
  return Promise.all(names.map(async (name) => ({ name, text: await readFile(join(folder, name), 'utf8') })));
}
