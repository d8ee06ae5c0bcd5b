import { chmod, mkdir, rename, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { syncFolder } from '#master/store/write-durably.ts';
import { flushFile } from '../copy-file.ts';
import { copyOut } from './copy-out.ts';
import { diskCode } from '../disk-problem.ts';
import { forEachLimited } from '../limited.ts';
import { isSameScan, scanFolder } from './manifest.ts';
import { findNewcomers, sparing } from './added-files.ts';
import { planRestore, type RestorePlan } from './restore-plan.ts';
import { removeRestoreNote, writeRestoreNote } from './restore-note.ts';
import type { RevisionRecord } from './revision-record.ts';
import type { RevisionStore } from './revision-store.ts';

/** Where files wait for the moment of change: in the template's own folder, so on its disk; no content (upload-names.ts). */
const STAGE = '.overworld-restore.part';

const PARALLEL_FILES = 4;

export interface RestorePlace {
  /** The template's folder. */
  readonly root: string;
  /** Where its revisions are stored. */
  readonly revisions: string;
  readonly store: RevisionStore;
}

/** Why a restore was not begun: nothing in the folder was touched. */
export type NotBegun = { readonly kind: 'changed' } | { readonly kind: 'problem'; readonly problem: string };

/**
 * Puts a template's folder back to a stored content, if what stands in it now is stored too. All files are copied and
 * flushed first; then comes the change itself, of renames and removals alone, announced by a note on the disk so that
 * a crash in the middle is made good by {@link finishRestore}.
 *
 * @throws errno errors, OverworldError; then the folder is as it was, unless the note still stands
 */
export async function restoreFolder(place: RestorePlace, target: RevisionRecord): Promise<NotBegun | null> {
  const { root, revisions, store } = place;
  const scan = await scanFolder(root);
  if (scan.kind === 'problem') return scan;
  const known = store.newest;
  if (known === null || !isSameScan(scan.files, known.entries)) return { kind: 'changed' };
  const plan = planRestore(scan, known, target);
  try {
    await stage(place, target, plan);
    const again = await scanFolder(root);
    if (again.kind === 'problem' || !isSameScan(scan.files, again.files)) return { kind: 'changed' };
    await writeRestoreNote(revisions, target.revision);
    try {
      await change(root, plan);
    } catch (error) {
      // Back to what it was, and that is what the note says from now on.
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
 * Brings a folder to a stored content after a restore that was cut off. Files that people have put there since stay, as
 * they are stored nowhere else.
 *
 * @throws errno errors, OverworldError; then the note stays, and it is to be tried again
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

/** Something that is no content (half an upload) may be left in it. */
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
