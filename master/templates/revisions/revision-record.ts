import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import { z } from 'zod';
import { READ_ONLY_FILE, readSmallFile } from '#shared/node/small-file.ts';
import { writeDurably } from '#master/store/write-durably.ts';
import { isPathInside, revisionOf } from './manifest.ts';
import { MAX_FILES, MAX_PATH_BYTES } from './scan-folder.ts';

/**
 * Maximum size of a record (bytes). It is enough for the maximum number of files if their paths have some 400 bytes
 * on average.
 */
const MAX_RECORD_BYTES = 128 * 1_048_576;

/** Maximum length of a stamp (characters). */
const MAX_STAMP_LENGTH = 128;

/** Maximum time of a revision (ms since epoch): the last one that `Date` supports. */
const MAX_TIME = 8.64e15;

const revisionNameSchema = z.string().regex(/^[0-9a-f]{16}$/);
const timeSchema = z.int().max(MAX_TIME);
const sizeSchema = z.int().nonnegative();
const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);

const entrySchema = z
  .object({
    // The path of a folder has a slash at its end.
    path: z.string().refine((path) => Buffer.byteLength(path) <= MAX_PATH_BYTES + 1),
    size: sizeSchema,
    mode: z.int().min(0).max(0o777),
    hash: hashSchema.or(z.literal('')),
    stamp: z.string().max(MAX_STAMP_LENGTH),
  })
  .refine(({ path, hash }) => {
    if (path.endsWith('/')) return hash === '' && isPathInside(path.slice(0, -1));
    return hash !== '' && isPathInside(path);
  });

/**
 * Record that is stored with each revision: its manifest, and the stamps that the template's files had when the
 * revision was stored. Records are checked, because their paths and hashes become paths on this machine and on nodes,
 * where root uses them.
 */
const recordSchema = z
  .object({
    revision: revisionNameSchema,
    storedAt: timeSchema,
    /** Number of regular files, and their total size (bytes); absent in records of older masters. */
    files: sizeSchema.optional(),
    bytes: sizeSchema.optional(),
    entries: z.array(z.unknown()).max(MAX_FILES).pipe(z.array(entrySchema)),
  })
  .refine(({ revision, entries }) => revision === revisionOf(entries));
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
 * Reads the record of a revision, `<revision>.json`. Returns null if the record is missing or faulty. The revision is
 * then created again from the template. A record is faulty if the name in it is not the hash of its manifest, or
 * differs from the name of its file. It is also faulty if it has an invalid hash or a path that leads out of a
 * folder, or if it is too large.
 */
export async function readRecord(path: string): Promise<RevisionRecord | null> {
  try {
    const file = await readSmallFile(path, MAX_RECORD_BYTES);
    if (file === null) return null;
    const record = recordSchema.parse(JSON.parse(file.text));
    return isNameOf(path, record) ? record : null;
  } catch {
    return null;
  }
}

const contentsSchema = z.object({ entries: z.array(z.object({ hash: z.string(), size: sizeSchema })) });

/**
 * Reads the hashes and sizes (bytes) of the contents that a record names. Checks nothing else of the record, which
 * takes a fraction of the time of {@link readRecord}. Use the result only to count: it may differ from the files.
 * Returns null if the record cannot be read.
 */
export async function readContents(
  path: string,
): Promise<readonly { readonly hash: string; readonly size: number }[] | null> {
  try {
    const file = await readSmallFile(path, MAX_RECORD_BYTES);
    return file === null ? null : contentsSchema.parse(JSON.parse(file.text)).entries;
  } catch {
    return null;
  }
}

/**
 * Writes the record of a revision. The summary comes first, so that {@link readSummary} need not read the rest.
 *
 * @throws Error if {@link readRecord} would not accept the record because of its time or size; errno errors
 */
export async function writeRecord(path: string, record: RevisionRecord): Promise<void> {
  const { revision, storedAt, entries } = record;
  const { files, bytes } = summaryOf(record);
  const text = JSON.stringify({ revision, storedAt, files, bytes, entries });
  if (Buffer.byteLength(text) > MAX_RECORD_BYTES)
    throw new Error(`the list of its files has more than ${MAX_RECORD_BYTES / 1_048_576} MiB`);
  if (storedAt > MAX_TIME) throw new Error('its time is too late; a record of an earlier one was changed');
  await writeDurably(path, text);
}

const HEAD_BYTES = 256;
const HEAD =
  /^\{"revision":"(?<revision>[0-9a-f]{16})","storedAt":(?<storedAt>\d+),"files":(?<files>\d+),"bytes":(?<bytes>\d+),/;

const summarySchema = z.object({
  revision: revisionNameSchema,
  storedAt: z.coerce.number().pipe(timeSchema),
  files: z.coerce.number().pipe(sizeSchema),
  bytes: z.coerce.number().pipe(sizeSchema),
});

/**
 * Reads the summary at the beginning of a record, and does not check the rest. If the record does not begin with a
 * summary, as in records of older masters, the whole record is read. Returns null if the record is missing, or if
 * what was read is not valid.
 */
export async function readSummary(path: string): Promise<RevisionSummary | null> {
  const head = HEAD.exec(await readHead(path))?.groups;
  if (head === undefined) {
    const record = await readRecord(path);
    return record === null ? null : summaryOf(record);
  }
  const { data } = summarySchema.safeParse(head);
  return data !== undefined && isNameOf(path, data) ? data : null;
}

function isNameOf(path: string, { revision }: Pick<RevisionSummary, 'revision'>): boolean {
  return basename(path) === `${revision}.json`;
}

/** Returns the summary of a record: the number and size (bytes) of its files, without folders. */
export function summaryOf({ revision, storedAt, entries }: RevisionRecord): RevisionSummary {
  const files = entries.filter(({ path }) => !path.endsWith('/'));
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  return { revision, storedAt, files: files.length, bytes };
}

async function readHead(path: string): Promise<string> {
  try {
    const file = await open(path, READ_ONLY_FILE);
    try {
      if (!(await file.stat()).isFile()) return '';
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
