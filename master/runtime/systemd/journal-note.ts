import { readFile } from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { serviceIdSchema } from '#shared/model/service.ts';

/** Read position in a node's journal, and the sizes of the logs when everything up to it was in them. */
const noteSchema = z.object({
  /** Null means the start of the journal. */
  cursor: z.string().nullable(),
  /** Size of each log that this node's services write to (bytes). */
  sizes: z.record(serviceIdSchema, z.int().nonnegative()),
});
export type JournalNote = z.infer<typeof noteSchema>;

/** Reads a note. A missing or faulty one counts as empty, and the whole journal is read again. */
export async function readJournalNote(path: string): Promise<JournalNote> {
  try {
    return noteSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return { cursor: null, sizes: {} };
  }
}

/**
 * Replaces a note. It protects against a killed master, not against a power failure, so it is not flushed to the
 * disk.
 */
export async function writeJournalNote(path: string, note: JournalNote): Promise<void> {
  await writeFileAtomic(path, JSON.stringify(note), { mode: 0o600, fsync: false });
}
