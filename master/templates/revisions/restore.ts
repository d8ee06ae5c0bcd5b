import type { BigIntStats } from 'node:fs';
import { chmod, lstat, mkdir, rename, rmdir, unlink } from 'node:fs/promises';
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
import { isSameScan, scanFolder, type FoundFiles } from './scan-folder.ts';
import { findNewcomers, sameAsFound, sparing } from './added-files.ts';
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

/** The steps that change a folder. */
interface FolderChange {
  readonly plan: RestorePlan;
  /** The scan from which the steps were planned. */
  readonly found: FoundFiles;
  /**
   * Whether a file stays if users have added or changed it since the scan. If false, the first such file ends the
   * change.
   */
  readonly keepsChanged: boolean;
}

/** Thrown if a step would destroy a file that users have added or changed since the scan. */
class ChangedSinceScan extends Error {}

/**
 * Reason why a revision was not restored, so that the folder has only the changes of users. `changed`: users changed
 * the folder during the call or shortly before. `problem`: the folder cannot be scanned.
 */
export type NotBegun = { readonly kind: 'changed' } | { readonly kind: 'problem'; readonly problem: string };

/**
 * Restores a stored revision in a template's folder. The current content must already be stored as a revision. First
 * all files are copied and flushed; the change itself then consists of renames and removals only. If users change one
 * of these files before its turn, the restore is undone, and their file is kept. Before the change, a note is written
 * to the disk, so that {@link finishRestore} can complete the change after a crash.
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
      await change(await realRootOf(root), stage, { plan, found: scan, keepsChanged: false });
    } catch (error) {
      // Undoes the restore: from now on the note contains the previous revision.
      await writeRestoreNote(revisions, known.revision);
      await finishRestore(place, known);
      if (error instanceof ChangedSinceScan) return { kind: 'changed' };
      throw error;
    }
    await removeRestoreNote(revisions);
    return null;
  });
}

/**
 * Completes an interrupted restore. Files that users have added since the interruption, or add or change during the
 * call, are kept, because they are stored nowhere else.
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
  await carryOut(root, store, { target, plan, found: scan });
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
  const found: FoundFiles = { files: [], links: [] };
  await carryOut(root, store, { target, plan: planRestore(found, null, target), found });
}

/** Carries out a plan. Files that people add or change meanwhile are kept. */
async function carryOut(
  root: string,
  store: RevisionStore,
  { target, plan, found }: PlannedRestore & Pick<FolderChange, 'found'>,
): Promise<void> {
  await withStage(root, async (stage) => {
    await fill(stage, store, { target, plan });
    await change(await realRootOf(root), stage, { plan, found, keepsChanged: true });
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
 * folder that was checked when it was opened. People can also upload files meanwhile, so each file is compared with
 * the scan right before it is removed or replaced.
 *
 * @param root real path of the folder
 * @throws ChangedSinceScan; errno errors; Error if a folder was replaced by a link that leads outside
 */
async function change(
  root: string,
  stage: PinnedFolder,
  { plan, found, keepsChanged }: FolderChange,
): Promise<void> {
  const around = <T>(path: string, work: (at: string) => Promise<T>): Promise<T> =>
    inFolder(root, dirname(path), (folder) => work(`${folder}/${basename(path)}`));
  const isSame = sameAsFound(found);
  const unlessChanged = (path: string, step: (at: string) => Promise<void>): Promise<void> =>
    around(path, async (at) => {
      const stats = await statsOf(at);
      // A folder needs no comparison, because the steps for files do not remove it.
      if (stats === null || stats.isDirectory() || isSame(path, stats)) await step(at);
      else if (!keepsChanged) throw new ChangedSinceScan(`${path} was changed during the restore`);
    });
  for (const path of plan.remove) await ifExists(unlessChanged(path, unlink));
  for (const folder of plan.removeFolders) await ifExists(around(folder, removeIfEmpty));
  for (const folder of plan.folders) await around(folder, makeFolder);
  for (const [index, { path }] of plan.put.entries())
    await unlessChanged(path, (at) => rename(`${stage.path}/${index}`, at));
  for (const { path, mode } of plan.emptyFolders) await inFolder(root, path, (at) => chmod(at, mode));
  for (const folder of ['', ...plan.folders]) await inFolder(root, folder, syncFolder);
}

/** Returns the attributes of the object at a path, and follows no link. Null if nothing exists there. */
async function statsOf(path: string): Promise<BigIntStats | null> {
  try {
    return await lstat(path, { bigint: true });
  } catch (error) {
    if (diskCode(error) === 'ENOENT') return null;
    throw error;
  }
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
