import { lstat, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { removeTree } from '../machine/remove-tree.ts';
import { mustRun } from '../machine/run-program.ts';
import type { AsUser } from '../machine/as-user.ts';
import type { Restoration } from './decide/restore-plan.ts';

/** Folders of the data folder that a newer version may change at its start. */
const COPIED = ['config', 'state'];

/** Number of hex digits of a SHA-256. */
const HASH_DIGITS = 64;

/**
 * Returns the size of the data that is copied (bytes).
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function dataBytes(data: string): Promise<number> {
  const folders = COPIED.map((name) => join(data, name));
  const counted = await mustRun('du', ['-sb', '--total', ...folders]);
  return Number.parseInt(counted.trim().split('\n').at(-1) ?? '', 10) || 0;
}

/**
 * Copies configuration and state into a new folder of the same user, with modes and times. Each file is complete, even
 * while a master runs, because the master replaces its files as a whole. The folder appears once it is complete.
 */
export async function copyData(data: string, to: string, as: AsUser): Promise<void> {
  const unfinished = `${to}.part`;
  for (const folder of [to, unfinished]) await removeTree(folder);
  await mustRun('install', ['-d', '-o', as.user, '-m', '700', unfinished]);
  await as.must('cp', ['-a', ...COPIED.map((name) => join(data, name)), unfinished]);
  await rename(unfinished, to);
}

/**
 * Copies a data folder for a check. Folders with the files of templates are links, because a check only reads them.
 */
export async function copyForCheck(data: string, to: string, as: AsUser): Promise<void> {
  await copyData(data, to, as);
  for (const name of ['templates', 'files']) await as.must('ln', ['-s', join(data, name), join(to, name)]);
}

/**
 * Returns the paths below the data folder of all files whose content differs from a copy, or that were added or are
 * missing. Only configuration and state are compared, as they are all that is copied.
 */
export async function findChanges(data: string, copy: string, as: AsUser): Promise<string[]> {
  const [now, then] = await Promise.all([hashesIn(data, as), hashesIn(copy, as)]);
  const paths = new Set([...now.keys(), ...then.keys()]);
  return [...paths].filter((path) => now.get(path) !== then.get(path)).sort();
}

/** Carries out decisions about changed files: restores them from the copy, or removes them. */
export async function restoreData(
  { data, copy }: { readonly data: string; readonly copy: string },
  decisions: readonly { readonly path: string; readonly action: Restoration }[],
  as: AsUser,
): Promise<void> {
  for (const { path, action } of decisions) {
    if (action === 'leave') continue;
    const [here, kept] = [join(data, path), join(copy, path)];
    const isKept = await lstat(kept).then(
      () => true,
      () => false,
    );
    if (action === 'remove' || !isKept) {
      await as.must('rm', ['-f', '--', here]);
    } else {
      await as.must('mkdir', ['-p', '-m', '700', dirname(here)]);
      await as.must('cp', ['-a', '--remove-destination', '--', kept, here]);
    }
  }
}

/**
 * Returns the hash of each file below the copied folders, by its path. Links and sockets are left out. The files are read
 * as their user, because that user could replace them by anything that root can read.
 */
async function hashesIn(root: string, as: AsUser): Promise<Map<string, string>> {
  const script = 'cd "$1" && shift && exec find "$@" -type f -exec sha256sum --zero {} +';
  // A temporary file of a write that was just replaced no longer exists, so the exit code says nothing.
  const { stdout } = await as.run('sh', ['-c', script, 'sh', root, ...COPIED]);
  const entries = stdout.split('\0').filter((entry) => entry !== '');
  return new Map(entries.map((entry) => [entry.slice(HASH_DIGITS + 2), entry.slice(0, HASH_DIGITS)]));
}
