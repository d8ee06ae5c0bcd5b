import { readFile } from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { serviceIdSchema } from '#shared/model/service.ts';

/**
 * Read position in a node's journal, and the sizes of the logs when they contained everything up to that position.
 */
const noteSchema = z.object({
  /** Position in the journal; null means its start. */
  cursor: z.string().nullable(),
  /** Size of each log to which the node's services write, when it contained everything up to `cursor` (bytes). */
  sizes: z.record(serviceIdSchema, z.int().nonnegative()),
});
export type JournalNote = z.infer<typeof noteSchema>;

/**
 * Reads the stored position in a node's journal, and the sizes of the logs at that position. If the file is missing
 * or faulty, returns an empty note, so that the whole journal is read again.
 */
export async function readJournalNote(path: string): Promise<JournalNote> {
  try {
    return noteSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return { cursor: null, sizes: {} };
  }
}

/**
 * Stores the position in a node's journal, atomically. The file need only survive a killed master, not a power
 * failure, so it is not flushed to the disk.
 *
 * @throws errno errors
 */
export async function writeJournalNote(path: string, note: JournalNote): Promise<void> {
  await writeFileAtomic(path, JSON.stringify(note), { mode: 0o600, fsync: false });
}
