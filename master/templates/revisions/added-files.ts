import { join } from 'node:path';
import { hashFile } from '../copy-file.ts';
import { forEachLimited } from '../limited.ts';
import type { SeenFile } from './manifest.ts';
import type { RestorePlan } from './restore-plan.ts';
import type { RevisionStore } from './revision-store.ts';

const PARALLEL_FILES = 4;

/**
 * Paths of files whose content is stored nowhere: people have put them there since the folder was last looked at. What is
 * not as it was last seen is read for that.
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
  await forEachLimited(unknown, PARALLEL_FILES, async ({ path }) => {
    if (!stored.has(await hashFile(join(root, path)))) newcomers.push(path);
  });
  return newcomers;
}

/** The plan without all that would remove or replace one of these files, or needs the place of one. */
export function sparing(plan: RestorePlan, newcomers: readonly string[]): RestorePlan {
  if (newcomers.length === 0) return plan;
  const spared = new Set(newcomers);
  const around = new Set(newcomers.flatMap(foldersAround));
  const isFree = (path: string): boolean =>
    !spared.has(path) && !around.has(path) && !foldersAround(path).some((folder) => spared.has(folder));
  return {
    remove: plan.remove.filter((path) => !spared.has(path)),
    // Those that are not empty stay as it is.
    removeFolders: plan.removeFolders,
    folders: plan.folders.filter((folder) => around.has(folder) || isFree(folder)),
    emptyFolders: plan.emptyFolders.filter(({ path }) => isFree(path.slice(0, -1))),
    put: plan.put.filter(({ path }) => isFree(path)),
  };
}

/** `a/b/c` → `a`, `a/b`. */
function foldersAround(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
