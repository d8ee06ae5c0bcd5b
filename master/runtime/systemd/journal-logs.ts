import { rm } from 'node:fs/promises';
import { monotonicMs } from '#shared/node/clock.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { MAX_LOG_BYTES, readPieces } from '../log/log-file.ts';
import type { LogStore } from '../log/log-store.ts';
import type { JournalEntry } from './journal-entry.ts';
import { readJournalNote, writeJournalNote, type JournalNote } from './journal-note.ts';

/** A note is written at most so often, ms; before a log's first line and its cut always. */
const NOTE_MS = 1000;

interface Place {
  readonly path: string;
  readonly giveBack: () => void;
  readonly logs: LogStore;
}

/**
 * Writes the lines of one node's journal into the master's logs, each once: what a killed master added after its last
 * note comes again, is recognized, and is not added again. Nothing is ever taken out of a log, as another node may
 * write to it by now.
 */
export class JournalLogs {
  readonly #path: string;
  readonly #giveBack: () => void;
  readonly #logs: LogStore;
  #cursor: string | null;
  /** Bytes of each log when all up to the cursor stood in it. */
  readonly #sizes: Map<ServiceId, number>;
  /** Logs that may hold more than that already, as far as their lines come again. */
  readonly #again: Set<ServiceId>;
  /** Services in the middle of a line that is too long. */
  readonly #cutLines = new Set<ServiceId>();
  #notedAt = 0;
  #isNoted = true;
  #closed = false;
  /** The last note that was begun. */
  #noting: Promise<void> = Promise.resolve();

  private constructor(place: Place, note: JournalNote) {
    this.#path = place.path;
    this.#giveBack = place.giveBack;
    this.#logs = place.logs;
    this.#cursor = note.cursor;
    this.#sizes = new Map(Object.entries(note.sizes));
    this.#again = new Set(this.#sizes.keys());
  }

  /** Waits until nobody else writes the lines of this node. */
  static async open(node: string, logs: LogStore): Promise<JournalLogs> {
    const { path, giveBack } = await logs.takeNote(`${node}.journal.json`);
    return new JournalLogs({ path, giveBack, logs }, await readJournalNote(path));
  }

  /** All up to here stands in the logs. */
  get cursor(): string | null {
    return this.#cursor;
  }

  /** Whether this node may add to a service's log. */
  has(id: ServiceId): boolean {
    return this.#sizes.has(id);
  }

  /** Services whose logs this node may add to. */
  get services(): readonly ServiceId[] {
    return [...this.#sizes.keys()];
  }

  /** Adds what came next, in its order. After a failure the same may be added again, and more. */
  async add(entries: readonly JournalEntry[]): Promise<void> {
    const last = entries.at(-1);
    if (last === undefined) return;
    const texts = this.#textsOf(entries);
    await this.#begin([...texts.keys()]);
    const sizes = new Map<ServiceId, number>();
    const whole = new Set<ServiceId>();
    for (const [id, text] of texts) {
      // Until all of them stand, a failure makes them come again.
      this.#again.add(id);
      const size = await this.#append(id, Buffer.from(text));
      sizes.set(id, size);
      if (size >= (await this.#logs.size(id))) whole.add(id);
    }
    // In one step: a note may be written at any wait.
    for (const [id, size] of sizes) this.#sizes.set(id, size);
    for (const id of whole) this.#again.delete(id);
    this.#cursor = last.cursor;
    this.#isNoted = false;
    await this.#cutLong(sizes);
    if (monotonicMs() - this.#notedAt > NOTE_MS) await this.note();
  }

  /** Puts down how far the logs are. Cheap when that has not changed. */
  async note(): Promise<void> {
    if (!this.#isNoted && !this.#closed) {
      this.#isNoted = true;
      this.#notedAt = monotonicMs();
      const note = { cursor: this.#cursor, sizes: Object.fromEntries(this.#sizes) };
      this.#noting = writeJournalNote(this.#path, note).catch((error: unknown) => {
        this.#isNoted = false;
        throw error;
      });
    }
    await this.#noting;
  }

  /** Nothing is added to this log any more. */
  async end(id: ServiceId): Promise<void> {
    if (!this.#sizes.delete(id)) return;
    this.#again.delete(id);
    this.#isNoted = false;
    await this.note();
  }

  /**
   * Puts down how far the logs are, for the last time.
   *
   * @param nodeGone nothing comes from this node again: there is nothing to remember
   */
  async close(nodeGone: boolean): Promise<void> {
    try {
      if (!nodeGone) await this.note();
      // What somebody still waits for (the last lines of an ended service) changes nothing any more.
      this.#closed = true;
      await this.#noting;
      if (nodeGone) await rm(this.#path, { force: true });
    } finally {
      this.#closed = true;
      this.#giveBack();
    }
  }

  #textsOf(entries: readonly JournalEntry[]): Map<ServiceId, string> {
    const texts = new Map<ServiceId, string>();
    for (const entry of entries) {
      if (entry.kind !== 'line') continue;
      const { service, text, goesOn } = entry;
      // The rest of a line that is longer than a log keeps.
      if (!this.#cutLines.has(service)) texts.set(service, `${texts.get(service) ?? ''}${text}\n`);
      if (goesOn) this.#cutLines.add(service);
      else this.#cutLines.delete(service);
    }
    return texts;
  }

  /** Notes logs before their first line is added: what a killed master adds is known to be its own. */
  async #begin(ids: readonly ServiceId[]): Promise<void> {
    const fresh = ids.filter((id) => !this.#sizes.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) this.#sizes.set(id, await this.#logs.size(id));
    this.#isNoted = false;
    await this.note();
  }

  /** Adds text to a log, without what stands there already. @returns where the text ends in it */
  async #append(id: ServiceId, text: Buffer): Promise<number> {
    const from = this.#sizes.get(id) ?? 0;
    const standing = this.#again.has(id) ? await this.#commonBytes(id, from, text) : 0;
    if (standing === text.length) return from + standing;
    return this.#logs.append(id, text.subarray(standing));
  }

  /**
   * So many bytes of the text stand in the log at this place already: all of it, or up to the log's end, where a master
   * was killed while it wrote; else none, as somebody else wrote there.
   */
  async #commonBytes(id: ServiceId, from: number, text: Buffer): Promise<number> {
    const pieces: Buffer[] = [];
    await readPieces(this.#logs.pathOf(id), { from, to: from + text.length }, (piece) => {
      pieces.push(Buffer.from(piece));
    });
    const there = Buffer.concat(pieces);
    return there.equals(text.subarray(0, there.length)) ? there.length : 0;
  }

  /** Between the two notes nothing is added, so that a kill at any moment loses and doubles nothing. */
  async #cutLong(sizes: ReadonlyMap<ServiceId, number>): Promise<void> {
    for (const [id, size] of sizes) {
      if (size <= MAX_LOG_BYTES) continue;
      await this.note();
      await this.#logs.putAside(id);
      this.#sizes.set(id, 0);
      this.#isNoted = false;
      await this.note();
    }
  }
}
