import { rm, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { syncFolder, writeDurably } from '#master/store/write-durably.ts';

/**
 * Name of the file that records which revision is being restored. The file is next to the stored revisions, and is
 * removed when the restore is complete.
 */
export const RESTORE_NOTE = 'restore.json';

const noteSchema = z.object({ revision: z.string() });

/**
 * Records on disk which revision is being restored. After a crash during the restore, the folder may contain files
 * of both revisions.
 */
export async function writeRestoreNote(revisions: string, revision: string): Promise<void> {
  await writeDurably(join(revisions, RESTORE_NOTE), JSON.stringify({ revision }));
}

/** Removes the note of {@link writeRestoreNote} from the disk. Does nothing if there is none. */
export async function removeRestoreNote(revisions: string): Promise<void> {
  await rm(join(revisions, RESTORE_NOTE), { force: true });
  await syncFolder(revisions);
}

/**
 * Reads the restore note.
 *
 * @returns the revision whose restore was interrupted when the master stopped; null if there is none
 * @throws Error if the note is faulty; errno errors
 */
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
