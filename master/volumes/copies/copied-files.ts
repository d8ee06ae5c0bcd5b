import { chmod } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { syncFolder } from '#master/store/write-durably.ts';
import { flushFile, hashOpenFile } from '#master/templates/copy-file.ts';
import { openWithoutLinks } from '#master/templates/links.ts';
import type { RevisionRecord } from '#master/templates/revisions/revision-record.ts';
import type { FileContent } from '#master/templates/revisions/take-in.ts';
import { inodeOf, scanFolder, type SeenFile } from '#master/templates/revisions/scan-folder.ts';

const PARALLEL_FILES = 4;

/** Permission bits that the master needs in order to read and replace a file. */
const MASTER_FILE = 0o600;

type Entry = RevisionRecord['entries'][number];

/**
 * Files that were copied from a save. For each path: the stamp of the file when it was copied, and the file's entry
 * in the save. A file that still has this stamp is unchanged.
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

/** The files of a folder, with their hashes. */
export interface FolderContent {
  readonly entries: RevisionRecord['entries'];
  /** Returns a file with the content of a hash. */
  readonly contentOf: (hash: string) => FileContent;
}

/** Thrown if a file cannot be read, because a link or special file has replaced it. */
export class NoLongerFile extends Error {}

/**
 * Reads the files of a folder that are not known yet. Follows no link, even if files and links swap names meanwhile.
 *
 * @param root real path of the folder
 * @param files the files that a scan of the folder has found
 * @param known files whose content is already known
 * @throws NoLongerFile; errno errors
 */
export async function readContent(
  root: string,
  files: readonly SeenFile[],
  known: KnownFiles,
): Promise<FolderContent> {
  const contents = new Map<string, FileContent>();
  const entries: RevisionRecord['entries'] = [];
  for (const { path, source, size, mode, stamp } of files) {
    const at = { path: join(root, source), isFlushed: false };
    const before = known.get(path);
    if (before?.stamp === stamp) {
      contents.set(before.entry.hash, { ...at, inode: inodeOf(stamp) });
      entries.push(before.entry);
      continue;
    }
    const { hash, inode } = path.endsWith('/') ? FOLDER : await hashAt(at.path, path);
    contents.set(hash, { ...at, inode });
    entries.push({ path, size, mode, hash, stamp });
  }
  const none = { path: '', inode: null, isFlushed: false };
  return { entries, contentOf: (hash) => contents.get(hash) ?? none };
}

const FOLDER = { hash: '', inode: null };

/** Returns the hash and the inode of a file. `shown` is its path in messages. */
async function hashAt(path: string, shown: string): Promise<{ hash: string; inode: bigint }> {
  const file = await openWithoutLinks(path);
  if (file === null) throw new NoLongerFile(`${shown} is no longer a file`);
  try {
    const { ino } = await file.stat({ bigint: true });
    return { hash: await hashOpenFile(file), inode: ino };
  } finally {
    await file.close();
  }
}
