import type { LogLine } from '#shared/rpc/contract.ts';
import type { LogHits, LogPage, LogSearch } from '../runtime.ts';
import { readLastLines, readPieces, sizeOf } from './log-file.ts';
import { LineSplitter } from './log-lines.ts';
import { countKeptLines, readPage, searchParts, type KeptPart } from './log-pages.ts';

export type LogListener = (lines: readonly LogLine[], ended: boolean) => void;

/** While somebody follows, the log is looked at so often: soon enough for a console, cheap with many of them. */
const POLL_MS = 150;
/** More than this at one look is a flood: its older part is counted, not shown. */
const MAX_STEP_BYTES = 1_048_576;

interface LogReaderOptions {
  readonly path: string;
  /** Lines that were there before what is kept now. */
  readonly gone: number;
  /** False once nothing can write to the log any more; asked before each look. */
  readonly mayGrow: () => boolean;
  /** Called when nobody needs it any more, or the log has ended. */
  readonly finished: () => void;
}

/**
 * Reads one log for all who follow it or look into it. Its steps (look for more, let somebody join, cut, read a page)
 * run one after the other, so that nobody misses or gets a line twice. Line numbers go on over a cut.
 */
export class LogReader {
  readonly #path: string;
  readonly #mayGrow: () => boolean;
  readonly #finished: () => void;
  readonly #listeners = new Set<LogListener>();
  readonly #splitter = new LineSplitter();
  #gone: number;
  #offset = 0;
  #nextSeq = 0;
  #steps: Promise<unknown>;
  /** Steps of callers that are not done yet: while there are some, it is needed. */
  #pending = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor({ path, gone, mayGrow, finished }: LogReaderOptions) {
    this.#path = path;
    this.#gone = gone;
    this.#mayGrow = mayGrow;
    this.#finished = finished;
    this.#steps = this.#start();
    // Told by the first step that needs it.
    this.#steps.catch(() => undefined);
  }

  /** Lines cut off for good: the number of the first kept one. */
  get gone(): number {
    return this.#gone;
  }

  /** Adds a follower. @returns the last complete lines so far, oldest first; all later ones go to the listener */
  join(count: number, listener: LogListener): Promise<readonly LogLine[]> {
    return this.#serve(async () => {
      const end = this.#offset - this.#splitter.pendingBytes;
      const texts = await lastLinesOf(this.#path, end, count);
      this.#listeners.add(listener);
      this.#schedule();
      const first = this.#nextSeq - texts.length;
      return texts.map((text, index) => ({ seq: first + index, text }));
    });
  }

  leave(listener: LogListener): void {
    this.#listeners.delete(listener);
    this.#closeUnlessNeeded();
  }

  /** Something was written just now: followers need not wait for the next look. */
  poke(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#lookNow();
  }

  /**
   * Cuts the log. When that fails, everything stays as it was.
   *
   * @param cut puts the log aside as `.1`; returns how many bytes at the end of that have not been read. `readToEnd` reads
   *   and shows what there is, and returns the log's size
   */
  cut(cut: (path: string, readToEnd: () => Promise<number>) => Promise<number>): Promise<void> {
    return this.#serve(async () => {
      const unread = await cut(this.#path, async () => {
        await this.#read();
        return this.#offset;
      });
      const old = `${this.#path}.1`;
      const end = await sizeOf(old);
      await this.#take(old, { from: end - unread, to: end });
      this.#offset = this.#restart();
      this.#gone = (await this.#kept())[0].first;
    });
  }

  /** Kept lines from a number on. */
  page(from: number, limit: number): Promise<LogPage> {
    return this.#serve(async () => {
      await this.#read();
      return readPage(await this.#kept(), { from, limit });
    });
  }

  /** Kept lines that hold a text. */
  search(search: LogSearch): Promise<LogHits> {
    return this.#serve(async () => {
      await this.#read();
      return searchParts(await this.#kept(), search);
    });
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#listeners.clear();
    this.#finished();
  }

  /** The begin of a line is gone with the cut; its rest counts as a line of its own. */
  #restart(): number {
    const rest = this.#splitter.flush();
    if (rest !== null) this.#tell([rest], false);
    return 0;
  }

  async #start(): Promise<void> {
    this.#offset = await sizeOf(this.#path);
    const old = `${this.#path}.1`;
    const before = this.#gone + (await countKeptLines(old, await sizeOf(old)));
    let last = 0;
    let read = 0;
    let count = 0;
    await readPieces(this.#path, { from: 0, to: this.#offset }, (piece) => {
      for (let at = piece.indexOf(0x0a); at >= 0; at = piece.indexOf(0x0a, at + 1)) {
        count++;
        last = read + at + 1;
      }
      read += piece.length;
    });
    // The line that stands unfinished is read again from its begin.
    this.#offset = last;
    this.#nextSeq = before + count;
  }

  /** What is kept, with the numbers of its lines. An unfinished line counts once nothing can finish it. */
  async #kept(): Promise<readonly [KeptPart, KeptPart]> {
    const end = this.#mayGrow() ? this.#offset - this.#splitter.pendingBytes : this.#offset;
    const whole = this.#offset - this.#splitter.pendingBytes;
    const first = this.#nextSeq - (await countKeptLines(this.#path, whole));
    const old = `${this.#path}.1`;
    const oldEnd = await sizeOf(old);
    return [
      { path: old, end: oldEnd, first: first - (await countKeptLines(old, oldEnd)) },
      { path: this.#path, end, first },
    ];
  }

  /** A step for a caller; without followers it is the last one. */
  async #serve<T>(work: () => Promise<T>): Promise<T> {
    this.#pending += 1;
    try {
      return await this.#step(work);
    } finally {
      this.#pending -= 1;
      this.#closeUnlessNeeded();
    }
  }

  #closeUnlessNeeded(): void {
    if (this.#pending === 0 && this.#listeners.size === 0) this.close();
  }

  #step<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#steps.then(work);
    this.#steps = run.catch(() => undefined);
    return run;
  }

  #schedule(): void {
    if (this.#timer !== null || this.#listeners.size === 0) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#lookNow();
    }, POLL_MS);
    this.#timer.unref();
  }

  #lookNow(): void {
    void this.#step(() => this.#look()).finally(() => this.#schedule());
  }

  async #look(): Promise<void> {
    const ended = !this.#mayGrow();
    await this.#read();
    if (!ended) return;
    const rest = this.#splitter.flush();
    this.#tell(rest === null ? [] : [rest], true);
    this.close();
  }

  async #read(): Promise<void> {
    const size = await sizeOf(this.#path);
    // Shorter than what was read: somebody else cut it.
    if (size < this.#offset) this.#offset = this.#restart();
    await this.#take(this.#path, { from: this.#offset, to: size });
  }

  /** Takes a piece of a file for the next of the log. */
  async #take(path: string, { from, to }: { readonly from: number; readonly to: number }): Promise<void> {
    const shownFrom = Math.max(from, to - MAX_STEP_BYTES);
    const texts: string[] = [];
    let at = from;
    await readPieces(path, { from, to }, (piece) => {
      const lines = this.#splitter.push(piece);
      this.#offset += piece.length;
      at += piece.length;
      if (at > shownFrom) texts.push(...lines);
      else this.#nextSeq += lines.length;
    });
    if (texts.length > 0) this.#tell(texts, false);
  }

  #tell(texts: readonly string[], ended: boolean): void {
    const lines = texts.map((text) => ({ seq: this.#nextSeq++, text }));
    for (const listener of [...this.#listeners]) listener(lines, ended);
  }
}

/** The last lines of a log up to `end`; what it lacks comes from the part that was cut off. */
export async function lastLinesOf(path: string, end: number, count: number): Promise<string[]> {
  const lines = await readLastLines(path, end, count);
  if (lines.length >= count) return lines;
  const old = `${path}.1`;
  return [...(await readLastLines(old, await sizeOf(old), count - lines.length)), ...lines];
}
