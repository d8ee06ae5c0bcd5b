import type { LogLine } from '#shared/model/log-line.ts';
import { stripAnsi } from '#shared/text/ansi.ts';
import type { LogHits, LogPage, LogSearch } from '../runtime.ts';
import { readPieces } from './log-file.ts';
import { LogLineSplitter } from './log-lines.ts';

/**
 * Size limit of the text in one answer (bytes). In JSON, escape sequences may make the text six times as long, and
 * a message has at most 8 MB.
 */
const MAX_ANSWER_BYTES = 1_048_576;

const NEWLINE = 0x0a;

/** One of the two files of a stored log. */
export interface KeptPart {
  readonly path: string;
  /** Number of bytes to read, from the start of the file. Text after the last line end counts as a line. */
  readonly end: number;
  /** Line number of the file's first line. */
  readonly first: number;
}

/** Counts the lines in the first `end` bytes of a file. Text after the last line end counts as a line. */
export async function countKeptLines(path: string, end: number): Promise<number> {
  let count = 0;
  let last = NEWLINE;
  await readPieces(path, { from: 0, to: end }, (piece) => {
    for (let at = piece.indexOf(NEWLINE); at >= 0; at = piece.indexOf(NEWLINE, at + 1)) count++;
    last = piece.at(-1) ?? last;
  });
  return last === NEWLINE ? count : count + 1;
}

/**
 * Reads stored lines starting at line number `from`, or at the first stored line if that is later.
 *
 * @param parts files of the log, the older one first
 * @returns at most `limit` lines and 1 MiB of text, but at least one line if there is one; `next` is the number of
 *   the first line that did not fit, or null
 */
export async function readPage(
  parts: readonly KeptPart[],
  { from, limit }: { readonly from: number; readonly limit: number },
): Promise<LogPage> {
  const page = new PageInTheMaking(limit);
  for (const part of parts) {
    const start = await offsetOf(part, from - part.first);
    if (start === null) continue;
    let seq = Math.max(from, part.first);
    await eachLine(part, start, (text) => page.take({ seq: seq++, text }));
    if (page.next !== null) break;
  }
  return { lines: page.lines, next: page.next };
}

class PageInTheMaking {
  readonly lines: LogLine[] = [];
  next: number | null = null;
  readonly #limit: number;
  #bytes = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Adds a line to the page.
   *
   * @returns whether the line fitted; otherwise it belongs to the next page
   */
  take(line: LogLine): boolean {
    this.#bytes += Buffer.byteLength(line.text);
    const full =
      this.lines.length >= this.#limit || (this.#bytes > MAX_ANSWER_BYTES && this.lines.length > 0);
    if (full) this.next = line.seq;
    else this.lines.push(line);
    return !full;
  }
}

/**
 * Returns stored lines that contain a text, ignoring colour codes, oldest first. If there are more than
 * `search.limit` lines or more than 1 MiB of text, returns the newest lines, and `more` is true.
 */
export async function searchParts(parts: readonly KeptPart[], search: LogSearch): Promise<LogHits> {
  const hits: LogLine[] = [];
  let bytes = 0;
  let more = false;
  const fits = matcherOf(search);
  for (const part of parts) {
    let seq = part.first;
    await eachLine(part, 0, (text) => {
      if (fits(text)) {
        hits.push({ seq, text });
        bytes += Buffer.byteLength(text);
        while (hits.length > search.limit || (bytes > MAX_ANSWER_BYTES && hits.length > 1)) {
          bytes -= Buffer.byteLength(hits.shift()?.text ?? '');
          more = true;
        }
      }
      seq += 1;
      return true;
    });
  }
  return { lines: hits, more };
}

function matcherOf({ text, caseSensitive }: LogSearch): (line: string) => boolean {
  if (caseSensitive) return (line) => stripAnsi(line).includes(text);
  const low = text.toLowerCase();
  return (line) => stripAnsi(line).toLowerCase().includes(low);
}

/**
 * Returns the offset at which line `index` of a part starts; null if the part has fewer lines. A negative index
 * means the first line.
 */
async function offsetOf({ path, end }: KeptPart, index: number): Promise<number | null> {
  if (index <= 0) return end > 0 ? 0 : null;
  const found = { lineEnds: 0, at: end };
  let read = 0;
  await readPieces(path, { from: 0, to: end }, (piece) => {
    let at = piece.indexOf(NEWLINE);
    while (at >= 0 && ++found.lineEnds < index) at = piece.indexOf(NEWLINE, at + 1);
    if (at >= 0) found.at = read + at + 1;
    read += piece.length;
    return at < 0;
  });
  return found.at < end ? found.at : null;
}

/** Calls `each` with every line of a part, starting at the offset `from` (bytes), until `each` returns false. */
async function eachLine(
  { path, end }: KeptPart,
  from: number,
  each: (text: string) => boolean,
): Promise<void> {
  const splitter = new LogLineSplitter();
  const done = { early: false };
  await readPieces(path, { from, to: end }, (piece) => {
    done.early = !splitter.push(piece).every(each);
    return !done.early;
  });
  const rest = done.early ? null : splitter.flush();
  if (rest !== null) each(rest);
}
