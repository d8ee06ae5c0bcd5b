import { rm, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { syncFolder, writeDurably } from '#master/store/write-durably.ts';

/**
 * File beside the stored revisions that names the revision being restored. It is removed when the restore is
 * complete.
 */
export const RESTORE_NOTE = 'restore.json';

const noteSchema = z.strictObject({ revision: z.string() });

/** Records which revision is being restored, because the folder may be in a mixed state after a crash. */
export async function writeRestoreNote(revisions: string, revision: string): Promise<void> {
  await writeDurably(join(revisions, RESTORE_NOTE), JSON.stringify({ revision }));
}

export async function removeRestoreNote(revisions: string): Promise<void> {
  await rm(join(revisions, RESTORE_NOTE), { force: true });
  await syncFolder(revisions);
}

/** @returns the revision whose restore was interrupted when the master stopped; null if there is none */
export async function readRestoreNote(revisions: string): Promise<string | null> {
  let text: string;
  try {
    text = await readFile(join(revisions, RESTORE_NOTE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return noteSchema.parse(JSON.parse(text)).revision;
}
