import { chmod, mkdir, rename, rmdir, unlink } from 'node:fs/promises';
import { basename as nameOf, dirname as folderOf, join } from 'node:path';
import { basename, dirname } from 'node:path/posix';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import { syncFolder } from '#master/store/write-durably.ts';
import { flushFile } from '../copy-file.ts';
import { copyOut } from './copy-out.ts';
import { diskCode } from '../disk-problem.ts';
import {
  ifExists,
  inFolder,
  pinFolder,
  realRootOf,
  removeTree,
  type PinnedFolder,
} from '../pinned-folder.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { isSameScan, scanFolder } from './scan-folder.ts';
import { findNewcomers, sparing } from './added-files.ts';
import { planRestore, type RestorePlan } from './restore-plan.ts';
import { removeRestoreNote, writeRestoreNote } from './restore-note.ts';
import type { RevisionRecord } from './revision-record.ts';
import type { RevisionStore } from './revision-store.ts';

/**
 * Temporary folder for the new files during a restore. It is inside the template's folder, so on the same disk, but
 * not part of its content (upload-names.ts).
 */
const STAGE = '.overworld-restore.part';

const PARALLEL_FILES = 4;

export interface RestorePlace {
  /** The template's folder, without links in its path. */
  readonly root: string;
  /** Folder of the stored revisions. */
  readonly revisions: string;
  readonly store: RevisionStore;
}

/** A revision to restore, and the steps. */
interface PlannedRestore {
  readonly target: RevisionRecord;
  readonly plan: RestorePlan;
}

/**
 * Reason why a restore did not begin, so that the folder is unchanged. `changed`: users changed the folder during the
 * call or shortly before. `problem`: the folder cannot be scanned.
 */
export type NotBegun = { readonly kind: 'changed' } | { readonly kind: 'problem'; readonly problem: string };

/**
 * Restores a stored revision in a template's folder. The current content must already be stored as a revision. First
 * all files are copied and flushed; the change itself then consists of renames and removals only. Before the change,
 * a note is written to the disk, so that {@link finishRestore} can complete the change after a crash.
 *
 * @returns null if the revision was restored
 * @throws DiskReserveReached, errno errors, OverworldError. If the note still exists then, {@link finishRestore} must
 *   be called. Otherwise, the folder is unchanged
 */
export async function restoreFolder(
  place: RestorePlace & { readonly reserve: DiskReserve },
  target: RevisionRecord,
): Promise<NotBegun | null> {
  const { root, revisions, store, reserve } = place;
  const scan = await scanFolder(root, { isReal: true });
  if (scan.kind === 'problem') return scan;
  const known = store.newest;
  if (known === null || !isSameScan(scan.files, known.entries)) return { kind: 'changed' };
  const plan = planRestore(scan, known, target);
  // The space is checked only here. It is not checked when an interrupted restore is completed, because the folder
  // must not stay half restored.
  const bytes = plan.put.reduce((sum, { size }) => sum + size, 0);
  return withStage(root, async (stage) => {
    await reserve.use(bytes, () => fill(stage, store, { target, plan }));
    const again = await scanFolder(root, { isReal: true });
    if (again.kind === 'problem' || !isSameScan(scan.files, again.files)) return { kind: 'changed' };
    await writeRestoreNote(revisions, target.revision);
    try {
      await change(await realRootOf(root), stage, plan);
    } catch (error) {
      // Undoes the restore: from now on the note contains the previous revision.
      await writeRestoreNote(revisions, known.revision);
      await finishRestore(place, known);
      throw error;
    }
    await removeRestoreNote(revisions);
    return null;
  });
}

/**
 * Completes an interrupted restore. Files that users have added since the interruption are kept, because they are
 * stored nowhere else.
 *
 * @throws errno errors, OverworldError; Error if the folder cannot be scanned. In that case the note on the disk
 *   stays, and the call must be repeated
 */
export async function finishRestore(place: RestorePlace, target: RevisionRecord): Promise<void> {
  const { root, revisions, store } = place;
  await inFolder(await realRootOf(folderOf(root)), '', (folder) =>
    mkdir(join(folder, nameOf(root)), { recursive: true, mode: 0o700 }),
  );
  const scan = await scanFolder(root, { isReal: true });
  if (scan.kind === 'problem') throw new Error(scan.problem);
  const newcomers = await findNewcomers(root, scan.files, store);
  const plan = sparing(planRestore(scan, store.newest, target), newcomers);
  await carryOut(root, store, { target, plan });
  await removeRestoreNote(revisions);
}

/**
 * Fills an empty folder with the files of a stored revision, with permission bits and times, and flushes them to the
 * disk. The folder may be one in which people can swap folders and links during the call.
 *
 * @param root real path of the folder
 * @throws errno errors; Error if the folder, or one in it, was replaced by a link that leads outside
 */
export async function fillFolder(root: string, store: RevisionStore, target: RevisionRecord): Promise<void> {
  await carryOut(root, store, { target, plan: planRestore({ files: [], links: [] }, null, target) });
}

/** Carries out a plan that does not depend on what people change in the folder meanwhile. */
async function carryOut(root: string, store: RevisionStore, restore: PlannedRestore): Promise<void> {
  await withStage(root, async (stage) => {
    await fill(stage, store, restore);
    await change(await realRootOf(root), stage, restore.plan);
  });
}

/** Runs work with an empty folder for the new files, which is removed afterwards. */
async function withStage<T>(root: string, work: (stage: PinnedFolder) => Promise<T>): Promise<T> {
  const real = await realRootOf(root);
  return inFolder(real, '', async (folder) => {
    const path = join(folder, STAGE);
    await removeTree(path);
    await mkdir(path, { mode: 0o700 });
    try {
      const stage = await pinFolder(real, STAGE);
      try {
        return await work(stage);
      } finally {
        await stage.close();
      }
    } finally {
      await removeTree(path);
    }
  });
}

async function fill(
  stage: PinnedFolder,
  store: RevisionStore,
  { target, plan }: PlannedRestore,
): Promise<void> {
  await forEachLimited([...plan.put.entries()], PARALLEL_FILES, async ([index, entry]) => {
    const to = `${stage.path}/${index}`;
    await copyOut(join(store.pathOf(target.revision), entry.path), entry, { to, asItWas: true });
    await flushFile(to);
  });
  await syncFolder(stage.path);
}

/**
 * Changes a folder according to a plan. People can swap folders and links in it meanwhile, so every call works in a
 * folder that was checked when it was opened.
 *
 * @param root real path of the folder
 * @throws errno errors; Error if a folder was replaced by a link that leads outside
 */
async function change(root: string, stage: PinnedFolder, plan: RestorePlan): Promise<void> {
  const around = <T>(path: string, work: (at: string) => Promise<T>): Promise<T> =>
    inFolder(root, dirname(path), (folder) => work(`${folder}/${basename(path)}`));
  for (const path of plan.remove) await ifExists(around(path, unlink));
  for (const folder of plan.removeFolders) await ifExists(around(folder, removeIfEmpty));
  for (const folder of plan.folders) await around(folder, makeFolder);
  for (const [index, { path }] of plan.put.entries())
    await around(path, (at) => rename(`${stage.path}/${index}`, at));
  for (const { path, mode } of plan.emptyFolders) await inFolder(root, path, (at) => chmod(at, mode));
  for (const folder of ['', ...plan.folders]) await inFolder(root, folder, syncFolder);
}

/** Creates a folder unless it exists. */
async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o750 });
  } catch (error) {
    if (diskCode(error) !== 'EEXIST') throw error;
  }
}

/** Removes a folder if it is empty. A folder that still contains something, such as an incomplete upload, stays. */
async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(diskCode(error) ?? '')) throw error;
  }
}
