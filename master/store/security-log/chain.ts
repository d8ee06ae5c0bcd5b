import { createHash } from 'node:crypto';
import { z } from 'zod';

/** Hash that the first entry of a log contains in place of the hash of an entry before it. */
const NO_ENTRY = '0'.repeat(64);

const hashSchema = z.string().regex(/^[0-9a-f]{64}$/);

/** Content of an entry, without its number, time and hashes. */
const contentSchema = z.looseObject({
  /** Kind of the entry, such as `key.added` or `login.refused`. */
  kind: z.string(),
  /** Name of an authorized key, `local`, or `overworld` for the master's own rules. */
  actor: z.string(),
  /** What happened, in one sentence. */
  message: z.string(),
  /** Why it happened, or what exactly changed. */
  cause: z.string(),
  /** IP address of the client, if one is known. */
  address: z.string().optional(),
  /** Last entry of a file that was removed because of its age. Only in entries of the kind `log.expired`. */
  removed: z.object({ seq: z.int(), hash: hashSchema }).optional(),
});
export type EntryContent = z.infer<typeof contentSchema>;

const entrySchema = contentSchema.extend({
  /** Increases by one with each entry. */
  seq: z.int().min(1),
  /** Time of the entry (ms since epoch). */
  at: z.int(),
  /** Hash of the entry before. */
  previous: hashSchema,
  /** SHA-256 of this entry's canonical form without this field. */
  hash: hashSchema,
});

/** One entry of the security log. Entries of a newer master may have further fields. */
export type SecurityEntry = z.infer<typeof entrySchema>;

/** Number and hash of the last entry. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** Head of a log without entries. */
export const EMPTY: Head = { seq: 0, hash: NO_ENTRY };

/** Appends an entry to the chain that ends with `head`. */
export function sealEntry(head: Head, at: number, content: EntryContent): SecurityEntry {
  const entry = { ...content, seq: head.seq + 1, at, previous: head.hash };
  return { ...entry, hash: hashOf(entry) };
}

/** Returns the line of an entry, without the line break. An entry has exactly one valid line. */
export function lineOf(entry: SecurityEntry): string {
  return canonical(entry);
}

/** Parses a line. Returns null if it is not the line of an entry. Does not check the hash. */
export function parseLine(line: string): SecurityEntry | null {
  try {
    const parsed = entrySchema.safeParse(JSON.parse(line));
    return parsed.success && canonical(parsed.data) === line ? parsed.data : null;
  } catch {
    return null;
  }
}

/** A file of the log. Files are given in the order of their entries. */
export interface ChainFile {
  readonly name: string;
  readonly text: string;
}

/** A place at which the chain is broken. */
interface ChainBreak {
  readonly file: string;
  /** Number of the line, from 1. */
  readonly line: number;
  /** What is wrong and what it means, as a sentence. */
  readonly why: string;
}

/** Result of a verification. */
export interface ChainReport {
  readonly entries: readonly SecurityEntry[];
  readonly head: Head;
  readonly breaks: readonly ChainBreak[];
  /** Place of an incomplete last line, which a crash leaves. Null if there is none. */
  readonly torn: Omit<ChainBreak, 'why'> | null;
}

/**
 * Verifies the chain. Finds each entry that was changed, removed, added or moved, except entries that were removed from
 * the end: for them, compare the head with one that was kept elsewhere.
 */
export function verifyChain(files: readonly ChainFile[]): ChainReport {
  const entries: SecurityEntry[] = [];
  const breaks: ChainBreak[] = [];
  let torn: ChainReport['torn'] = null;
  let head: Head | null = null;
  let first: { readonly entry: SecurityEntry; readonly file: string; readonly line: number } | null = null;
  for (const [i, { name: file, text }] of files.entries()) {
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    for (const [j, text] of lines.entries()) {
      const at = { file, line: j + 1 };
      const entry = parseLine(text);
      if (entry === null) {
        breaks.push({ ...at, why: 'The line is not an entry: it was changed or damaged.' });
        continue;
      }
      const why = breakOf(entry, head);
      if (why !== null) breaks.push({ ...at, why });
      first ??= { entry, ...at };
      head = { seq: entry.seq, hash: entry.hash };
      entries.push(entry);
    }
    if (rest === '') continue;
    const at = { file, line: lines.length + 1 };
    if (i === files.length - 1) torn = at;
    else breaks.push({ ...at, why: 'The file ends within an entry, so it was cut off.' });
  }
  if (first !== null && !isBeginning(first.entry, entries)) {
    const { entry, file, line } = first;
    const why = `The entries before number ${entry.seq} are missing, and the log did not remove them because of their age.`;
    breaks.unshift({ file, line, why });
  }
  return { entries, head: head ?? EMPTY, breaks, torn };
}

/** Returns what is wrong with an entry after `head`. Null: nothing. Null as `head`: it is the first entry. */
function breakOf(entry: SecurityEntry, head: Head | null): string | null {
  if (hashOf(entry) !== entry.hash) return `Entry ${entry.seq} was changed: its hash does not match.`;
  if (head === null) return null;
  if (entry.seq === head.seq + 1 && entry.previous === head.hash) return null;
  return `Entry ${entry.seq} does not follow entry ${head.seq}: entries were removed, added, changed or moved.`;
}

/** Returns whether the log may begin with this entry: it is the very first, or the log says what it removed before. */
function isBeginning({ seq, previous }: SecurityEntry, entries: readonly SecurityEntry[]): boolean {
  if (seq === 1 && previous === NO_ENTRY) return true;
  return entries.some(
    ({ kind, removed }) => kind === 'log.expired' && removed?.seq === seq - 1 && removed.hash === previous,
  );
}

function hashOf(entry: Omit<SecurityEntry, 'hash'> & { readonly hash?: string }): string {
  // JSON leaves out what is undefined.
  const hashed = canonical({ ...entry, hash: undefined });
  return createHash('sha256').update(hashed).digest('hex');
}

/** Canonical form: JSON without spaces, with the keys of each object in the order of their UTF-16 code units. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
