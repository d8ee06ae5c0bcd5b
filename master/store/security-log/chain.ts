import { createHash } from 'node:crypto';
import {
  securityEntrySchema,
  type EntryContent,
  type SecurityEntry,
} from '#shared/model/access/security-entry.ts';

/** Value that the first entry of a log contains in place of the hash of its predecessor. */
const NO_ENTRY = '0'.repeat(64);

/** Number and hash of the last entry of a log. */
export interface Head {
  readonly seq: number;
  readonly hash: string;
}

/** Head of a log without entries. */
export const EMPTY: Head = { seq: 0, hash: NO_ENTRY };

/** Creates the entry that follows `head`: adds number, time, the hash of its predecessor, and its own hash. */
export function sealEntry(head: Head, at: number, content: EntryContent): SecurityEntry {
  const entry = { ...content, seq: head.seq + 1, at, previous: head.hash };
  return { ...entry, hash: hashOf(entry) };
}

/** Returns the entry as a line, without the line break. Each entry has exactly one valid line. */
export function lineOf(entry: SecurityEntry): string {
  return canonical(entry);
}

/** Parses a line. Returns null if the line is not an entry. Does not check the hash. */
export function parseLine(line: string): SecurityEntry | null {
  try {
    const parsed = securityEntrySchema.safeParse(JSON.parse(line));
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

/** A line of the log. */
export interface ChainPlace {
  readonly file: string;
  /** Number of the line, from 1. */
  readonly line: number;
}

/** A place at which the chain is broken. */
export interface ChainBreak extends ChainPlace {
  /** Number that the entry at this place has, or should have. */
  readonly seq: number;
  /** Describes the break and what it means, as a sentence. */
  readonly why: string;
}

/** Result of a verification. */
export interface ChainReport {
  readonly entries: readonly SecurityEntry[];
  readonly head: Head;
  readonly breaks: readonly ChainBreak[];
  /** Place of an incomplete last line, which a crash leaves. Null if there is none. */
  readonly torn: ChainPlace | null;
}

/**
 * Verifies the chain line by line. Finds each entry that was changed, added or moved, and each entry that was removed
 * before another entry. It cannot find entries that were removed from the end; to find these, compare the head with a
 * head that was stored elsewhere.
 */
export class ChainVerifier {
  readonly #breaks: ChainBreak[] = [];
  /** Last entry of each file that the log has removed because of its age, as the log itself records it. */
  readonly #removed: Head[] = [];
  #head: Head | null = null;
  #first: (ChainPlace & { readonly entry: SecurityEntry }) | null = null;

  /** Checks the next line, without its line break. Returns its entry. Null if the line is not an entry. */
  take(text: string, place: ChainPlace): SecurityEntry | null {
    const entry = parseLine(text);
    if (entry === null) {
      this.#addBreak(place, 'The line is not an entry: it was changed or damaged.');
      return null;
    }
    const why = breakOf(entry, this.#head);
    if (why !== null) this.#breaks.push({ ...place, seq: entry.seq, why });
    if (entry.kind === 'log.expired' && entry.removed !== undefined) this.#removed.push(entry.removed);
    this.#first ??= { entry, ...place };
    this.#head = { seq: entry.seq, hash: entry.hash };
    return entry;
  }

  /** Records a break for a last line without a line break, in a file that is not the last one of the log. */
  takeCutOff(place: ChainPlace): void {
    this.#addBreak(place, 'The file ends within an entry, so it was cut off.');
  }

  /** Number and hash of the last entry that was checked. */
  get head(): Head {
    return this.#head ?? EMPTY;
  }

  /** Returns all places at which the chain is broken. */
  breaks(): ChainBreak[] {
    if (this.#first === null || this.#isBeginning(this.#first.entry)) return [...this.#breaks];
    const { entry, file, line } = this.#first;
    const why = `The entries before number ${entry.seq} are missing, and the log did not remove them because of their age.`;
    return [{ file, line, seq: entry.seq, why }, ...this.#breaks];
  }

  #addBreak(place: ChainPlace, why: string): void {
    this.#breaks.push({ ...place, seq: this.head.seq + 1, why });
  }

  /**
   * Reports whether the log may begin with this entry: it is the very first entry, or the log records that its
   * predecessors were removed because of their age.
   */
  #isBeginning({ seq, previous }: SecurityEntry): boolean {
    if (seq === 1 && previous === NO_ENTRY) return true;
    return this.#removed.some((last) => last.seq === seq - 1 && last.hash === previous);
  }
}

/** Verifies a whole log ({@link ChainVerifier}). */
export function verifyChain(files: readonly ChainFile[]): ChainReport {
  const verifier = new ChainVerifier();
  const entries: SecurityEntry[] = [];
  let torn: ChainPlace | null = null;
  for (const [i, { name: file, text }] of files.entries()) {
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    for (const [j, line] of lines.entries()) {
      const entry = verifier.take(line, { file, line: j + 1 });
      if (entry !== null) entries.push(entry);
    }
    if (rest === '') continue;
    const at = { file, line: lines.length + 1 };
    if (i === files.length - 1) torn = at;
    else verifier.takeCutOff(at);
  }
  return { entries, head: verifier.head, breaks: verifier.breaks(), torn };
}

/**
 * Returns why an entry cannot follow `head`; null if it can. A `head` of null means that this entry is the first one
 * that is checked; then only its own hash is checked.
 */
function breakOf(entry: SecurityEntry, head: Head | null): string | null {
  if (hashOf(entry) !== entry.hash) return `Entry ${entry.seq} was changed: its hash does not match.`;
  if (head === null) return null;
  if (entry.seq === head.seq + 1 && entry.previous === head.hash) return null;
  return `Entry ${entry.seq} does not follow entry ${head.seq}: entries were removed, added, changed or moved.`;
}

function hashOf(entry: Omit<SecurityEntry, 'hash'> & { readonly hash?: string }): string {
  // JSON omits keys whose value is undefined.
  const hashed = canonical({ ...entry, hash: undefined });
  return createHash('sha256').update(hashed).digest('hex');
}

/**
 * Returns the canonical form of a value: JSON without spaces, with the keys of each object in the order of their
 * UTF-16 code units.
 */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)));
  });
}
