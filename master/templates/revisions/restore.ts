import { chmod, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { DiskReserve } from '#master/store/disk-reserve.ts';
import { syncFolder } from '#master/store/write-durably.ts';
import { flushFile } from '../copy-file.ts';
import { copyOut } from './copy-out.ts';
import { diskCode } from '../disk-problem.ts';
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
  /** The template's folder. */
  readonly root: string;
  /** Folder of the stored revisions. */
  readonly revisions: string;
  readonly store: RevisionStore;
}

/**
 * Reason why a restore did not begin, so that the folder is unchanged. `changed`: users changed the folder during the
 * call or shortly before. `problem`: the folder cannot be scanned.
 */
export type NotBegun = { readonly kind: 'changed' } | { readonly kind: 'problem'; readonly problem: string };

/**
 * Restores a stored revision in a template's folder. The current content must already be stored as a revision.
 * First all files are copied and flushed; the change itself then consists of renames and removals only. Before the
 * change, a note is written to the disk, so that {@link finishRestore} can complete the change after a crash.
 *
 * @returns null if the revision was restored
 * @throws DiskReserveReached, errno errors, OverworldError. The folder is unchanged in that case, unless the note still exists; then
 *   {@link finishRestore} must be called
 */
export async function restoreFolder(
  place: RestorePlace & { readonly reserve: DiskReserve },
  target: RevisionRecord,
): Promise<NotBegun | null> {
  const { root, revisions, store, reserve } = place;
  const scan = await scanFolder(root);
  if (scan.kind === 'problem') return scan;
  const known = store.newest;
  if (known === null || !isSameScan(scan.files, known.entries)) return { kind: 'changed' };
  const plan = planRestore(scan, known, target);
  // Completing an interrupted restore is not checked: the folder must not stay half restored.
  const bytes = plan.put.reduce((sum, { size }) => sum + size, 0);
  try {
    await reserve.use(bytes, () => stage(place, target, plan));
    const again = await scanFolder(root);
    if (again.kind === 'problem' || !isSameScan(scan.files, again.files)) return { kind: 'changed' };
    await writeRestoreNote(revisions, target.revision);
    try {
      await change(root, plan);
    } catch (error) {
      // Undoes the restore: from now on the note contains the previous revision.
      await writeRestoreNote(revisions, known.revision);
      await rm(join(root, STAGE), { recursive: true, force: true });
      await finishRestore(place, known);
      throw error;
    }
    await removeRestoreNote(revisions);
    return null;
  } finally {
    await rm(join(root, STAGE), { recursive: true, force: true });
  }
}

/**
 * Completes an interrupted restore. Files that users have added since the interruption are kept, because they are
 * stored nowhere else.
 *
 * @throws errno errors, OverworldError. In that case the note on the disk stays, and the call must be repeated
 */
export async function finishRestore(place: RestorePlace, target: RevisionRecord): Promise<void> {
  const { root, revisions, store } = place;
  await mkdir(root, { recursive: true, mode: 0o700 });
  await rm(join(root, STAGE), { recursive: true, force: true });
  const scan = await scanFolder(root);
  if (scan.kind === 'problem') throw new Error(scan.problem);
  const newcomers = await findNewcomers(root, scan.files, store);
  const plan = sparing(planRestore(scan, store.newest, target), newcomers);
  await stage(place, target, plan);
  await change(root, plan);
  await rm(join(root, STAGE), { recursive: true, force: true });
  await removeRestoreNote(revisions);
}

async function stage(
  { root, store }: RestorePlace,
  target: RevisionRecord,
  plan: RestorePlan,
): Promise<void> {
  await rm(join(root, STAGE), { recursive: true, force: true });
  await mkdir(join(root, STAGE), { mode: 0o700 });
  await forEachLimited([...plan.put.entries()], PARALLEL_FILES, async ([index, entry]) => {
    const to = staged(root, index);
    await copyOut(join(store.pathOf(target.revision), entry.path), entry, { to, asItWas: true });
    await flushFile(to);
  });
  await syncFolder(join(root, STAGE));
}

async function change(root: string, plan: RestorePlan): Promise<void> {
  for (const path of plan.remove) await rm(join(root, path), { force: true });
  for (const folder of plan.removeFolders) await removeIfEmpty(join(root, folder));
  for (const folder of plan.folders) await mkdir(join(root, folder), { recursive: true, mode: 0o750 });
  for (const [index, { path }] of plan.put.entries()) await rename(staged(root, index), join(root, path));
  for (const { path, mode } of plan.emptyFolders) await chmod(join(root, path), mode);
  for (const folder of ['', ...plan.folders]) await syncFolder(join(root, folder));
}

/** Removes a folder if it is empty. A folder that still contains something, such as an incomplete upload, stays. */
async function removeIfEmpty(folder: string): Promise<void> {
  try {
    await rmdir(folder);
  } catch (error) {
    if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(diskCode(error) ?? '')) throw error;
  }
}

function staged(root: string, index: number): string {
  return join(root, STAGE, String(index));
}
