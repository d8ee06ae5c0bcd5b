import { copyFile, lstat, mkdir, readdir, rm, utimes } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Files of the state that a restored master must not have: which services ran is outdated, and the master would stop
 * services that it does not know. Without it, it adopts all of them (docs/operations.md#backup).
 */
const LEFT_OUT = new Set(['services.json', 'moved']);

/** Matches temporary files of writes in progress. */
const HALF_WRITTEN = /^.+\.json\.\d{1,10}$/;

/** How often the folder is copied again because a log has begun a new file meanwhile. */
const PASSES = 5;

/**
 * Copies a folder of documents and logs, which the master replaces as a whole or appends to. A copy of a log ends with the
 * last line at that moment, which may be incomplete.
 *
 * @throws errno errors
 */
export async function stagePlain(from: string, to: string): Promise<void> {
  for (let pass = 1; ; pass++) {
    const before = await logsOf(from);
    await rm(to, { recursive: true, force: true });
    await mkdir(to, { recursive: true, mode: 0o700 });
    for (const path of await filesIn(from)) await copyOne(join(from, path), join(to, path));
    // Between the copies of its two files, a log may have renamed one to the other.
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
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && !HALF_WRITTEN.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .filter((path) => !LEFT_OUT.has(path));
}

/** Returns which files the logs of a folder consist of. */
async function logsOf(folder: string): Promise<string> {
  const logs = (await filesIn(folder)).filter((path) => path.endsWith('.jsonl')).sort();
  const inodes = logs.map(async (path) => {
    const found = await lstat(join(folder, path)).catch(() => null);
    return `${path} ${found?.ino ?? ''}`;
  });
  return (await Promise.all(inodes)).join('\n');
}
