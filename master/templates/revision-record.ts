import { readFile } from 'node:fs/promises';
import { z } from 'zod';

/** Beside each stored revision: its manifest, and the stamps of the template's files it was made from. */
const recordSchema = z.strictObject({
  revision: z.string().regex(/^[0-9a-f]{16}$/),
  storedAt: z.int(),
  entries: z.array(
    z.strictObject({ path: z.string(), size: z.int(), mode: z.int(), hash: z.string(), stamp: z.string() }),
  ),
});
export type RevisionRecord = z.infer<typeof recordSchema>;

/** Reads a revision's record. A missing or faulty one gives null: the revision is then made anew from the template. */
export async function readRecord(path: string): Promise<RevisionRecord | null> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}
