import type { LogLine } from '#shared/model/log-line.ts';
import type { LogHits, LogPage, LogSearch } from '../runtime.ts';
import { readLastLines, readPieces, sizeOf } from './log-file.ts';
import { LogLineSplitter } from './log-lines.ts';
import { countKeptLines, readPage, searchParts, type KeptPart } from './log-pages.ts';

export type LogListener = (lines: readonly LogLine[], ended: boolean) => void;

/** Interval at which a followed log is read (ms). */
const POLL_MS = 150;
/** Maximum number of bytes to send to followers at once. If more was written, the older lines are only counted. */
const MAX_STEP_BYTES = 1_048_576;

interface LogReaderOptions {
  readonly path: string;
  /** Number of lines that were cut off permanently, before the first stored line. */
  readonly gone: number;
  /** Returns false once no process writes to the log any more. Called before each read. */
  readonly mayGrow: () => boolean;
  /** Called when the reader is no longer needed or the log is complete. */
  readonly finished: () => void;
}

/**
 * Reads one log for all its followers and queries. Each step (read new lines, add a follower, cut, read a page) runs
 * alone, so that no follower gets a line twice. If more than 1 MiB is written between two reads, followers get only
 * the last 1 MiB; the gap shows in the line numbers. Line numbers continue after a cut.
 */
export class LogReader {
  readonly #path: string;
  readonly #mayGrow: () => boolean;
  readonly #finished: () => void;
  readonly #listeners = new Set<LogListener>();
  readonly #splitter = new LogLineSplitter();
  #gone: number;
  #offset = 0;
  #nextSeq = 0;
  #steps: Promise<unknown>;
  /** Number of steps in progress that callers requested. The reader stays open while steps are in progress. */
  #pending = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor({ path, gone, mayGrow, finished }: LogReaderOptions) {
    this.#path = path;
    this.#gone = gone;
    this.#mayGrow = mayGrow;
    this.#finished = finished;
    this.#steps = this.#start();
    // The error is reported by the first step that awaits this promise.
    this.#steps.catch(() => undefined);
  }

  /** Number of lines that were cut off permanently, which is also the line number of the first stored line. */
  get gone(): number {
    return this.#gone;
  }

  /**
   * Adds a follower. The listener receives later lines about every 150 ms; if more than 1 MiB was written since the
   * last read, it receives only the last 1 MiB.
   *
   * @returns the last `count` complete lines so far, oldest first
   */
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

  /** Removes a follower. Closes the reader if it is no longer needed. */
  leave(listener: LogListener): void {
    this.#listeners.delete(listener);
    this.#closeUnlessNeeded();
  }

  /** Reads new lines immediately if there are followers. Called after text was appended to the log. */
  poke(): void {
    if (this.#timer === null) return;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#lookNow();
  }

  /**
   * Cuts the log. If this fails, the log stays unchanged.
   *
   * @param cut moves the log's content to `.1`; returns the number of bytes at the end of `.1` that have not been
   *   read. `readToEnd` reads the current content, sends it to the followers, and returns the log's size (bytes)
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

  /** Returns at most `limit` stored lines, starting at line number `from`; see {@link readPage}. */
  page(from: number, limit: number): Promise<LogPage> {
    return this.#serve(async () => {
      await this.#read();
      return readPage(await this.#kept(), { from, limit });
    });
  }

  /** Returns stored lines that contain a text; see {@link searchParts}. */
  search(search: LogSearch): Promise<LogHits> {
    return this.#serve(async () => {
      await this.#read();
      return searchParts(await this.#kept(), search);
    });
  }

  /** Stops reading and removes all followers without notifying them. */
  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#listeners.clear();
    this.#finished();
  }

  /**
   * Continues at offset 0 after a cut. If the cut split an unfinished line, its start counts as one line and its rest
   * as another.
   *
   * @returns the new offset, 0
   */
  #restart(): number {
    const rest = this.#splitter.flush();
    if (rest !== null) this.#deliver([rest], false);
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
    // The unfinished last line is read again from its start.
    this.#offset = last;
    this.#nextSeq = before + count;
  }

  /**
   * Returns the stored parts with their line numbers. An unfinished last line counts only once no process writes to
   * the log any more.
   */
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

  /** Runs a step for a caller, and then closes the reader if it is no longer needed. */
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

  /**
   * Errors are ignored here, because the log is read again after 150 ms. Callers of pages and searches get the error.
   */
  #lookNow(): void {
    void this.#step(() => this.#look())
      .catch(() => undefined)
      .finally(() => this.#schedule());
  }

  async #look(): Promise<void> {
    const ended = !this.#mayGrow();
    await this.#read();
    if (!ended) return;
    const rest = this.#splitter.flush();
    this.#deliver(rest === null ? [] : [rest], true);
    this.close();
  }

  async #read(): Promise<void> {
    const size = await sizeOf(this.#path);
    // The file is shorter than the part that was already read, so another process has cut it.
    if (size < this.#offset) this.#offset = this.#restart();
    await this.#take(this.#path, { from: this.#offset, to: size });
  }

  /** Processes a piece of a file as the continuation of the log. */
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
    if (texts.length > 0) this.#deliver(texts, false);
  }

  #deliver(texts: readonly string[], ended: boolean): void {
    const lines = texts.map((text) => ({ seq: this.#nextSeq++, text }));
    for (const listener of [...this.#listeners]) listener(lines, ended);
  }
}

/**
 * Returns the last `count` lines of a log before the offset `end` (bytes), oldest first. If the log has fewer lines,
 * the result starts with lines of `<log>.1`, which contains the part that was cut off from the log.
 */
export async function lastLinesOf(path: string, end: number, count: number): Promise<string[]> {
  const lines = await readLastLines(path, end, count);
  if (lines.length >= count) return lines;
  const old = `${path}.1`;
  return [...(await readLastLines(old, await sizeOf(old), count - lines.length)), ...lines];
}
