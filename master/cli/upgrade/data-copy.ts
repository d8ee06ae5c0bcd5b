import { lstat, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { documentPaths } from '#master/store/documents.ts';
import { syncFolder } from '#master/store/write-durably.ts';
import { removeTree } from '../machine/remove-tree.ts';
import { mustRun } from '../machine/run-program.ts';
import type { AsUser } from '../machine/as-user.ts';
import type { Restoration } from './decide/restore-plan.ts';

/** Number of hex digits of a SHA-256. */
const HASH_DIGITS = 64;

/**
 * Returns the size of the data that is copied (bytes).
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function dataBytes(data: string): Promise<number> {
  const counted = await withDocuments(data, (paths) =>
    mustRun('du', ['-sb', '--total', ...paths.map((path) => join(data, path))]),
  );
  return Number.parseInt(counted.trim().split('\n').at(-1) ?? '', 10) || 0;
}

/**
 * Copies everything that a newer version may change when it starts ({@link documentPaths}) into a new folder of the
 * same user, with modes and times. Each copied file is complete even while a master runs, because the master always
 * replaces whole files. The new folder appears only when the copy is complete, and has reached the disk.
 *
 * @throws OverworldError COMMAND_FAILED; errno errors
 */
export async function copyData(data: string, to: string, as: AsUser): Promise<void> {
  const unfinished = `${to}.part`;
  for (const folder of [to, unfinished]) await removeTree(folder);
  await mustRun('install', ['-d', '-o', as.user, '-m', '700', unfinished]);
  await withDocuments(data, (paths) =>
    as.must('env', ['-C', data, 'cp', '-a', '--parents', '--', ...paths, unfinished]),
  );
  await flushDisks([unfinished], as);
  await rename(unfinished, to);
  await syncFolder(dirname(to));
}

/** Flushes everything on the disks of these folders to the devices, so that it survives a power failure. */
async function flushDisks(folders: readonly string[], as: AsUser): Promise<void> {
  await as.must('sync', ['-f', '--', ...folders]);
}

/**
 * Runs a program with the paths of all documents. If it fails because one of them has disappeared since, runs it again
 * with the others: a master may run, and a person may have deleted a volume.
 */
async function withDocuments<T>(data: string, run: (paths: string[]) => Promise<T>): Promise<T> {
  const paths = await documentPaths(data);
  try {
    return await run(paths);
  } catch (error) {
    const left = new Set(await documentPaths(data));
    if (paths.every((path) => left.has(path))) throw error;
    return run([...left]);
  }
}

/**
 * Copies a data folder for a check. The folders of template files are not copied but linked, because a check only
 * reads them.
 */
export async function copyForCheck(data: string, to: string, as: AsUser): Promise<void> {
  await copyData(data, to, as);
  for (const name of ['templates', 'files']) await as.must('ln', ['-s', join(data, name), join(to, name)]);
}

/**
 * Compares a data folder with a copy. Returns the paths of all files that differ, were added or are missing. Compares
 * only documents of the master, because a copy contains nothing else.
 */
export async function findChanges(data: string, copy: string, as: AsUser): Promise<string[]> {
  const [now, then] = await Promise.all([hashesIn(data, as), hashesIn(copy, as)]);
  const paths = new Set([...now.keys(), ...then.keys()]);
  return [...paths].filter((path) => now.get(path) !== then.get(path)).sort();
}

/**
 * Restores or removes changed files as `planRestore` has decided. A file to restore is removed if the copy does not
 * contain it. The changes survive a power failure.
 */
export async function restoreData(
  { data, copy }: { readonly data: string; readonly copy: string },
  decisions: readonly { readonly path: string; readonly action: Restoration }[],
  as: AsUser,
): Promise<void> {
  // Subfolders of the data folder may be on disks of their own.
  const changed = new Set<string>();
  for (const { path, action } of decisions) {
    if (action === 'leave') continue;
    const [here, kept] = [join(data, path), join(copy, path)];
    changed.add(dirname(here));
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
  if (changed.size > 0) await flushDisks([...changed], as);
}

/**
 * Returns the hash of each file that is copied, by its path. Links and sockets are left out. The files are
 * read as the master's user, because that user could replace them with links to files that only root can read.
 */
async function hashesIn(root: string, as: AsUser): Promise<Map<string, string>> {
  const paths = await documentPaths(root);
  const script = 'cd "$1" && shift && exec find "$@" -type f -exec sha256sum --zero {} +';
  // A temporary file may disappear while it is read, because a write replaced it. The exit code is therefore ignored.
  const { stdout } = await as.run('sh', ['-c', script, 'sh', root, ...paths]);
  const entries = stdout.split('\0').filter((entry) => entry !== '');
  return new Map(entries.map((entry) => [entry.slice(HASH_DIGITS + 2), entry.slice(0, HASH_DIGITS)]));
}
