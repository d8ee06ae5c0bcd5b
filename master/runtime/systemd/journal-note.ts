import { readFile } from 'node:fs/promises';
import writeFileAtomic from 'write-file-atomic';
import { z } from 'zod';
import { serviceIdSchema } from '#shared/model/service.ts';

/** How far a node's journal was read, and how long the logs were when all up to there stood in them. */
const noteSchema = z.object({
  /** Null: from the begin. */
  cursor: z.string().nullable(),
  /** Bytes of each log that this node's services write to. */
  sizes: z.record(serviceIdSchema, z.int().nonnegative()),
});
export type JournalNote = z.infer<typeof noteSchema>;

/** Reads a note. A missing or faulty one counts as none: then all that the node has is read. */
export async function readJournalNote(path: string): Promise<JournalNote> {
  try {
    return noteSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return { cursor: null, sizes: {} };
  }
}

/** Replaces a note. It is for masters that are killed: then what was written is there, on the disk or not. */
export async function writeJournalNote(path: string, note: JournalNote): Promise<void> {
  await writeFileAtomic(path, JSON.stringify(note), { mode: 0o600, fsync: false });
}
