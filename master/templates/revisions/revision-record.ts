import { open, readFile } from 'node:fs/promises';
import { z } from 'zod';
import { writeDurably } from '#master/store/write-durably.ts';

const revisionNameSchema = z.string().regex(/^[0-9a-f]{16}$/);

/**
 * Record that is stored with each revision: its manifest, and the stamps that the template's files had when the
 * revision was stored.
 */
const recordSchema = z.object({
  revision: revisionNameSchema,
  storedAt: z.int(),
  /** Number of regular files, and their total size (bytes); absent in records of older masters. */
  files: z.int().optional(),
  bytes: z.int().optional(),
  entries: z.array(
    z.object({ path: z.string(), size: z.int(), mode: z.int(), hash: z.string(), stamp: z.string() }),
  ),
});
export type RevisionRecord = z.infer<typeof recordSchema>;

/** Summary of a stored revision. It stays in memory, unlike the record, which may be large. */
export interface RevisionSummary {
  readonly revision: string;
  /** Time at which the revision became the newest one (ms since epoch). */
  readonly storedAt: number;
  readonly files: number;
  readonly bytes: number;
}

/**
 * Reads the record of a revision. Returns null if it is missing or faulty; the revision is then created again from
 * the template.
 */
export async function readRecord(path: string): Promise<RevisionRecord | null> {
  try {
    return recordSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return null;
  }
}

/** Writes the record of a revision. The summary comes first, so that {@link readSummary} need not read the rest. */
export async function writeRecord(path: string, record: RevisionRecord): Promise<void> {
  const { revision, storedAt, entries } = record;
  const { files, bytes } = summaryOf(record);
  await writeDurably(path, JSON.stringify({ revision, storedAt, files, bytes, entries }));
}

const HEAD_BYTES = 256;
const HEAD =
  /^\{"revision":"(?<revision>[0-9a-f]{16})","storedAt":(?<storedAt>\d+),"files":(?<files>\d+),"bytes":(?<bytes>\d+),/;

/**
 * Reads only the summary at the beginning of a record, and does not check the rest. Returns null if the record is
 * missing or has no valid summary.
 */
export async function readSummary(path: string): Promise<RevisionSummary | null> {
  const head = HEAD.exec(await readHead(path))?.groups;
  if (head === undefined) {
    const record = await readRecord(path);
    return record === null ? null : summaryOf(record);
  }
  return {
    revision: head['revision'] ?? '',
    storedAt: Number(head['storedAt']),
    files: Number(head['files']),
    bytes: Number(head['bytes']),
  };
}

/** Returns the summary of a record: the number and size (bytes) of its files, without folders. */
export function summaryOf({ revision, storedAt, entries }: RevisionRecord): RevisionSummary {
  const files = entries.filter(({ path }) => !path.endsWith('/'));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return { revision, storedAt, files: files.length, bytes };
}

async function readHead(path: string): Promise<string> {
  try {
    const file = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await file.close();
    }
  } catch {
    return '';
  }
}

/** Returns whether a file in the folder of the revisions has the name of a record. */
export function isRecordName(name: string): boolean {
  return /^[0-9a-f]{16}\.json$/.test(name);
}
