import type { BigIntStats } from 'node:fs';
import { join } from 'node:path';
import { hashOpenFile } from '../copy-file.ts';
import { diskCode } from '../disk-problem.ts';
import { openWithoutLinks } from '../links.ts';
import { realRootOf } from '../pinned-folder.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { inodeOf, stampOf, type FoundFiles, type SeenFile } from './scan-folder.ts';
import type { RestorePlan } from './restore-plan.ts';
import type { RevisionStore } from './revision-store.ts';

const PARALLEL_FILES = 4;

/**
 * Returns the paths of files that users have added since the last scan and whose content is not stored in any
 * revision. Only files that have changed since that scan are read. A link or special file that has replaced a file by
 * now counts as a new file, too.
 *
 * @throws errno errors
 */
export async function findNewcomers(
  root: string,
  files: readonly SeenFile[],
  store: RevisionStore,
): Promise<string[]> {
  const seen = new Map(store.newest?.entries.map(({ path, stamp }) => [path, stamp]));
  const unknown = files.filter(({ path, stamp }) => !path.endsWith('/') && seen.get(path) !== stamp);
  if (unknown.length === 0) return [];
  const stored = await store.hashes();
  const newcomers: string[] = [];
  const real = await realRootOf(root);
  await forEachLimited(unknown, PARALLEL_FILES, async ({ path, source }) => {
    const file = await openWithoutLinks(join(real, source)).catch((error: unknown) => {
      if (['ELOOP', 'ENXIO'].includes(diskCode(error) ?? '')) return null;
      throw error;
    });
    try {
      if (file === null || !stored.has(await hashOpenFile(file))) newcomers.push(path);
    } finally {
      await file?.close();
    }
  });
  return newcomers;
}

/**
 * Returns the plan without the steps that conflict with a new file: steps that would remove or replace the file, put
 * a file at the path of one of its parent folders, or use its own path as a folder.
 *
 * @param newcomers paths of the new files
 */
export function sparing(plan: RestorePlan, newcomers: readonly string[]): RestorePlan {
  if (newcomers.length === 0) return plan;
  const spared = new Set(newcomers);
  const around = new Set(newcomers.flatMap(foldersAround));
  const isFree = (path: string): boolean =>
    !spared.has(path) && !around.has(path) && !foldersAround(path).some((folder) => spared.has(folder));
  return {
    remove: plan.remove.filter((path) => !spared.has(path)),
    // These steps are harmless: folders that contain files are never removed.
    removeFolders: plan.removeFolders,
    folders: plan.folders.filter((folder) => around.has(folder) || isFree(folder)),
    emptyFolders: plan.emptyFolders.filter(({ path }) => isFree(path.slice(0, -1))),
    put: plan.put.filter(({ path }) => isFree(path)),
  };
}

/**
 * Returns a function that compares the object at a path with a scan. The function returns whether the scan has found
 * the same version of the same file there, or a link if the object is a link.
 */
export function sameAsFound({ files, links }: FoundFiles): (path: string, stats: BigIntStats) => boolean {
  const own = files.filter(({ path, source }) => path === source);
  const inodes = new Set<bigint | null>();
  const linked = new Set<bigint | null>();
  for (const { stamp } of own) (inodes.has(inodeOf(stamp)) ? linked : inodes).add(inodeOf(stamp));
  // If one of several hard links is removed, the ctime of the others changes.
  const toVersion = (stamp: string): string =>
    linked.has(inodeOf(stamp)) ? stamp.split(':').toSpliced(2, 1).join(':') : stamp;
  const found = new Map(own.map(({ path, stamp }) => [path, toVersion(stamp)]));
  const foundLinks = new Set(links);
  return (path, stats) =>
    foundLinks.has(path) ? stats.isSymbolicLink() : found.get(path) === toVersion(stampOf(stats));
}

/**
 * Returns all parent folders of a path.
 *
 * Example: `a/b/c` gives `a` and `a/b`.
 */
function foldersAround(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
