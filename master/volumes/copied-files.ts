import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { syncFolder } from '#master/store/write-durably.ts';
import { flushFile } from '#master/templates/copy-file.ts';
import type { RevisionRecord } from '#master/templates/revisions/revision-record.ts';
import { scanFolder } from '#master/templates/revisions/scan-folder.ts';

const PARALLEL_FILES = 4;

/** Permission bits that the master needs in order to read and replace a file. */
const MASTER_FILE = 0o600;

type Entry = RevisionRecord['entries'][number];

/**
 * The files of a copy that are unchanged since they were copied from a save. For each path: the stamp of the copied
 * file, and the file's entry in the save.
 */
export type KnownFiles = ReadonlyMap<string, { readonly stamp: string; readonly entry: Entry }>;

/**
 * Flushes a copy of a save to the disk, and makes all of its files writable for the master. Returns the copied files
 * with their stamps.
 *
 * @param entries the files of the save
 * @throws errno errors
 */
export async function flushTree(root: string, entries: readonly Entry[]): Promise<KnownFiles> {
  const files = entries.filter(({ path }) => !path.endsWith('/'));
  await forEachLimited(files, PARALLEL_FILES, async ({ path, mode }) => {
    if ((mode & MASTER_FILE) !== MASTER_FILE) await chmod(join(root, path), mode | MASTER_FILE);
    await flushFile(join(root, path));
  });
  for (const folder of new Set(entries.map(({ path }) => (path.endsWith('/') ? path : dirname(path)))))
    await syncFolder(join(root, folder));
  const scan = await scanFolder(root);
  const seen = new Map(scan.kind === 'ok' ? scan.files.map(({ path, stamp }) => [path, stamp]) : []);
  return new Map(
    entries.flatMap((entry) => {
      const stamp = seen.get(entry.path);
      return stamp === undefined ? [] : [[entry.path, { stamp, entry }]];
    }),
  );
}
