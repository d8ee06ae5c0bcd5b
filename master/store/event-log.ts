import { mkdir, open, readFile, rename, stat, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import { activityEventSchema, type ActivityEvent } from '#shared/model/event.ts';
import { tolerant } from '#shared/tolerant.ts';
import { toFilter, type EventFilter } from './event-filter.ts';
import { syncFolder } from './write-durably.ts';

/** An event to add, without its number (`seq`) and time, which the log assigns. */
export type NewEvent = Omit<ActivityEvent, 'seq' | 'at'>;

export interface EventQuery extends EventFilter {
  /** Only events with a number (`seq`) below this one match. If missing, events with any number match. */
  readonly before?: number | undefined;
  /** Maximum number of events to return. */
  readonly limit: number;
  /** Decides which of the matching events the caller may see; by default, all. */
  readonly shows?: (event: ActivityEvent) => boolean;
}

/**
 * Size of the current file at which a new one is begun (bytes). The previous file is kept, so the log takes at most
 * twice this size.
 */
const MAX_FILE_BYTES = 16 * 1_048_576;
/** Number of events in memory for queries, the newest ones. Each takes about 400 bytes. */
const KEPT_IN_MEMORY = 20_000;

/** The activity log: one JSON object per line, append-only. */
export class EventLog {
  readonly #path: string;
  readonly #events: ActivityEvent[];
  readonly #now: () => number;
  readonly #listeners = new Set<(event: ActivityEvent) => void>();
  #file: FileHandle;
  #bytes: number;
  #unwritten: string[] = [];
  #writing: Promise<void> = Promise.resolve();
  #failure: Error | null = null;
  /** Whether the file may end with an incomplete line, because of a crash or a failed write. */
  #mayBeTorn: boolean;
  #scheduled = false;

  private constructor(
    path: string,
    events: ActivityEvent[],
    open: { file: FileHandle; bytes: number; now: () => number },
  ) {
    this.#path = path;
    this.#events = events;
    this.#file = open.file;
    this.#bytes = open.bytes;
    this.#mayBeTorn = open.bytes > 0;
    this.#now = open.now;
  }

  /**
   * Opens the log at `path` and reads the newest 20,000 events. Skips a line that is incomplete because of a crash, and
   * events that an older master wrote twice after a failed write. Writes nothing, so that a master can start on a full
   * disk.
   *
   * @param now clock (ms since epoch)
   * @throws errno errors
   */
  static async open(path: string, now: () => number): Promise<EventLog> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const lines = [...(await readEvents(previousOf(path))), ...(await readEvents(path))];
    const events = [...new Map(lines.map((event) => [event.seq, event])).values()];
    const file = await open(path, 'a', 0o600);
    const { size } = await stat(path);
    return new EventLog(path, events.slice(-KEPT_IN_MEMORY), { file, bytes: size, now });
  }

  /** Adds an event. Queries return it immediately; it is on disk when {@link EventLog.flushed} resolves. */
  add(event: NewEvent): ActivityEvent {
    const numbered = { seq: (this.#events.at(-1)?.seq ?? 0) + 1, at: this.#now(), ...event };
    this.#events.push(numbered);
    if (this.#events.length > KEPT_IN_MEMORY * 1.1)
      this.#events.splice(0, this.#events.length - KEPT_IN_MEMORY);
    this.#unwritten.push(`${JSON.stringify(numbered)}\n`);
    if (!this.#scheduled) {
      this.#scheduled = true;
      this.#writing = this.#writing.then(() => this.#tryToWrite());
    }
    for (const listener of this.#listeners) listener(numbered);
    return numbered;
  }

  /**
   * Resolves when all events so far are on disk.
   *
   * @throws Error if they could not be written (disk full)
   */
  async flushed(): Promise<void> {
    await this.#writing;
    if (this.#failure !== null) throw this.#failure;
  }

  /** Calls the listener with each event that is added. @returns a function that unsubscribes */
  onAdd(listener: (event: ActivityEvent) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns at most `limit` of the events that match the query, newest first. Searches only the events in memory,
   * which are the newest 20,000 or a few more.
   */
  query({ before, limit, shows = () => true, ...filter }: EventQuery): ActivityEvent[] {
    const fits = toFilter(filter);
    const found: ActivityEvent[] = [];
    for (let i = this.#endBefore(before) - 1; i >= 0 && found.length < limit; i--) {
      const event = this.#events[i];
      if (event !== undefined && fits(event) && shows(event)) found.push(event);
    }
    return found;
  }

  /**
   * Returns the number of events in memory whose `seq` is below the given one. Uses a binary search, because the
   * numbers increase.
   */
  #endBefore(seq: number | undefined): number {
    if (seq === undefined) return this.#events.length;
    let [low, high] = [0, this.#events.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#events[middle]?.seq ?? seq) < seq) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Writes the events that are not on disk yet, and closes the file. Does not throw if that write fails. */
  async close(): Promise<void> {
    await this.#writing;
    if (this.#unwritten.length > 0) await this.#tryToWrite();
    await this.#file.close();
  }

  /**
   * Writes the pending lines. If that fails, keeps them in memory (the newest {@link KEPT_IN_MEMORY}) and tries again
   * with the next event.
   */
  async #tryToWrite(): Promise<void> {
    const lines = this.#unwritten;
    this.#unwritten = [];
    this.#scheduled = false;
    try {
      await this.#write(lines.join(''));
      this.#failure = null;
    } catch (error) {
      this.#unwritten = [...lines, ...this.#unwritten].slice(-KEPT_IN_MEMORY);
      this.#failure = error instanceof Error ? error : new Error(String(error));
    }
  }

  async #write(text: string): Promise<void> {
    if (this.#bytes > MAX_FILE_BYTES) await this.#rotate();
    // Removes lines that a failed attempt has written, because they are written again now.
    if (this.#mayBeTorn) {
      // An admin may have emptied the file. A truncation would then fill it with zeros.
      this.#bytes = Math.min(this.#bytes, (await this.#file.stat()).size);
      await this.#file.truncate(this.#bytes);
    }
    // A line break separates the new lines from a line that is incomplete because of a crash.
    const whole = this.#mayBeTorn ? `\n${text}` : text;
    this.#mayBeTorn = true;
    // `write` is not used, because on an almost full disk it may write only a part of the text without an error.
    await this.#file.appendFile(whole);
    await this.#file.datasync();
    this.#bytes += Buffer.byteLength(whole);
    this.#mayBeTorn = false;
  }

  /**
   * Begins a new file. The old one stays open until the new one is open, so that writing can continue if a step
   * fails.
   */
  async #rotate(): Promise<void> {
    const full = this.#file;
    await rename(this.#path, previousOf(this.#path)).catch((error: unknown) => {
      // An earlier attempt renamed the file and then failed to open the new one.
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    });
    this.#file = await open(this.#path, 'a', 0o600);
    this.#bytes = 0;
    await full.close();
    await syncFolder(dirname(this.#path));
  }
}

function previousOf(path: string): string {
  return path.replace(/\.jsonl$/, '.1.jsonl');
}

/** Also reads events of a newer master. Otherwise, their numbers would be assigned again. */
const storedEvent = tolerant(activityEventSchema);

async function readEvents(path: string): Promise<ActivityEvent[]> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
  return text.split('\n').flatMap((line) => {
    if (line === '') return [];
    try {
      const event = storedEvent.safeParse(JSON.parse(line));
      return event.success ? [event.data] : [];
    } catch {
      return [];
    }
  });
}
