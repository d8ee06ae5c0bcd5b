import { copyFile, lstat, mkdir, rm, utimes } from 'node:fs/promises';
import { existsSync, type Dirent } from 'node:fs';
import { dirname, join } from 'node:path';
import { listTree } from '#master/store/list-tree.ts';
import { OBSERVED_ANEW } from '#master/store/observed-anew.ts';

/** Files of the state that a restored master must not have. */
const LEFT_OUT: ReadonlySet<string> = new Set([...OBSERVED_ANEW, 'moved']);

/** Matches temporary files that the master has not renamed yet. In `config/`, such a file may be a person's copy. */
const HALF_WRITTEN = /^.+\.json\.\d{1,10}$/;

/** Maximum number of times that a folder is read, if it changes during the reading. */
const PASSES = 5;

/** Copies the folder `config/`. @throws errno errors */
export function stageConfig(from: string, to: string): Promise<void> {
  return stagePlain({ from, to, isContent: () => true });
}

/**
 * Copies the folder `state/`, without half-written files and without the files that a restored master must not have.
 *
 * @throws errno errors
 */
export function stageState(from: string, to: string): Promise<void> {
  return stagePlain({ from, to, isContent: (path) => !LEFT_OUT.has(path) && !HALF_WRITTEN.test(path) });
}

interface Plain {
  readonly from: string;
  readonly to: string;
  /** Reports whether a file is part of a backup. */
  readonly isContent: (path: string) => boolean;
}

/**
 * Copies a folder of documents and logs. The master replaces documents as a whole, and appends to logs. The copy of a
 * log ends with the last line at the time of the copy, which may be incomplete.
 */
async function stagePlain({ from, to, isContent }: Plain): Promise<void> {
  for (let pass = 1; ; pass++) {
    const before = await logsOf(from);
    await rm(to, { recursive: true, force: true });
    await mkdir(to, { recursive: true, mode: 0o700 });
    for (const path of (await filesIn(from)).filter(isContent))
      await copyOne(join(from, path), join(to, path));
    // A log has two files. Between the copies of both, the log may have renamed one file to the other.
    if (before === (await logsOf(from)) || pass === PASSES) return;
  }
}

async function copyOne(from: string, to: string): Promise<void> {
  try {
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    const { atimeMs, mtimeMs } = await lstat(from);
    await copyFile(from, to);
    await utimes(to, atimeMs / 1000, mtimeMs / 1000);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}

async function filesIn(folder: string): Promise<string[]> {
  return (await entriesIn(folder))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1));
}

/** Lists all files and folders in a folder, recursively. Returns an empty list if the folder does not exist. */
async function entriesIn(folder: string): Promise<Dirent[]> {
  for (let pass = 1; ; pass++) {
    if (!existsSync(folder)) return [];
    try {
      return await listTree(folder);
    } catch (error) {
      // A subfolder was removed while it was listed.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || pass === PASSES) throw error;
    }
  }
}

/** Returns a text that identifies the log files of a folder. It changes when a log begins a new file. */
async function logsOf(folder: string): Promise<string> {
  const logs = (await filesIn(folder)).filter((path) => path.endsWith('.jsonl')).sort();
  const inodes = logs.map(async (path) => {
    const found = await lstat(join(folder, path)).catch(() => null);
    return `${path} ${found?.ino ?? ''}`;
  });
  return (await Promise.all(inodes)).join('\n');
}
