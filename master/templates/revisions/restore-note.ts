import { rm, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { syncFolder, writeDurably } from '#master/store/write-durably.ts';

/** Among the stored revisions: names the one that the folder is being put back to. Gone once it is. */
export const RESTORE_NOTE = 'restore.json';

const noteSchema = z.strictObject({ revision: z.string() });

/** Says, also after a crash, that the folder may be half one content, half another, and which it is to become. */
export async function writeRestoreNote(revisions: string, revision: string): Promise<void> {
  await writeDurably(join(revisions, RESTORE_NOTE), JSON.stringify({ revision }));
}

export async function removeRestoreNote(revisions: string): Promise<void> {
  await rm(join(revisions, RESTORE_NOTE), { force: true });
  await syncFolder(revisions);
}

/** @returns the revision that a restore was on its way to when the master ended; null when there was none */
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
