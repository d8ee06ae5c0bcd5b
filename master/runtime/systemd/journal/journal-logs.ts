import { rm } from 'node:fs/promises';
import { monotonicMs } from '#shared/node/clock.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { MAX_LOG_BYTES, readPieces } from '../../log/log-file.ts';
import type { LogStore } from '../../log/log-store.ts';
import type { JournalEntry } from './journal-entry.ts';
import { readJournalNote, writeJournalNote, type JournalNote } from './journal-note.ts';

/**
 * Minimum interval between two saves of the note (ms). The note is also saved before a log's first line is written,
 * and before a log is cut.
 */
const NOTE_MS = 1000;

interface Place {
  readonly path: string;
  readonly giveBack: () => void;
  readonly logs: LogStore;
}

/**
 * Writes the lines of one node's journal to the master's logs, each exactly once. If a master was killed, the lines
 * after the position in its last saved note arrive again; they are recognized and not added again. Lines are never
 * removed from a log to undo a write, because another node may be writing to the log by now.
 */
export class JournalLogs {
  readonly #path: string;
  readonly #giveBack: () => void;
  readonly #logs: LogStore;
  #cursor: string | null;
  /** Size of each log when it contained everything up to the cursor (bytes). */
  readonly #sizes: Map<ServiceId, number>;
  /** Logs that may already contain lines after the cursor. The journal sends these lines again. */
  readonly #again: Set<ServiceId>;
  /** Services whose current line is too long. The remainder of that line is dropped. */
  readonly #cutLines = new Set<ServiceId>();
  #notedAt = 0;
  #isNoted = true;
  #closed = false;
  /** Resolves when the latest note is saved. */
  #noting: Promise<void> = Promise.resolve();
  /** Resolves when the latest entries are added, or adding them has failed. */
  #adding: Promise<unknown> = Promise.resolve();

  private constructor(place: Place, note: JournalNote) {
    this.#path = place.path;
    this.#giveBack = place.giveBack;
    this.#logs = place.logs;
    this.#cursor = note.cursor;
    this.#sizes = new Map(Object.entries(note.sizes));
    this.#again = new Set(this.#sizes.keys());
  }

  /** Opens the logs of a node. Waits while another {@link JournalLogs} of the node is open. */
  static async open(node: string, logs: LogStore): Promise<JournalLogs> {
    const { path, giveBack } = await logs.takeNote(`${node}.journal.json`);
    return new JournalLogs({ path, giveBack, logs }, await readJournalNote(path));
  }

  /** Position in the journal up to which everything is in the logs; null before the first entry. */
  get cursor(): string | null {
    return this.#cursor;
  }

  /** Reports whether this node writes to a service's log. */
  has(id: ServiceId): boolean {
    return this.#sizes.has(id);
  }

  /** Services to whose logs this node writes. */
  get services(): readonly ServiceId[] {
    return [...this.#sizes.keys()];
  }

  /**
   * Adds the next entries of the journal.
   *
   * @throws errno errors. The caller may then add the same entries again, followed by later ones
   */
  async add(entries: readonly JournalEntry[]): Promise<void> {
    const adding = this.#add(entries);
    this.#adding = adding.catch(() => undefined);
    await adding;
  }

  /** Saves the current position. Does nothing if it has not changed. @throws errno errors */
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

  /** Waits for entries that are being added. Then this node no longer counts as a writer of the service's log. */
  async end(id: ServiceId): Promise<void> {
    await this.#adding;
    if (!this.#sizes.delete(id)) return;
    this.#again.delete(id);
    this.#isNoted = false;
    await this.note();
  }

  /**
   * Saves the position for the last time.
   *
   * @param nodeGone whether the node is removed, so that no position need be kept
   */
  async close(nodeGone: boolean): Promise<void> {
    try {
      if (!nodeGone) await this.note();
      // From now on, pending work such as waiting for the last lines of an exited service does not change the note.
      this.#closed = true;
      await this.#noting;
      if (nodeGone) await rm(this.#path, { force: true });
    } finally {
      this.#closed = true;
      this.#giveBack();
    }
  }

  async #add(entries: readonly JournalEntry[]): Promise<void> {
    const last = entries.at(-1);
    if (last === undefined) return;
    const texts = this.#textsOf(entries);
    await this.#begin([...texts.keys()]);
    const sizes = new Map<ServiceId, number>();
    const whole = new Set<ServiceId>();
    for (const [id, text] of texts) {
      // If a later append fails, these lines will arrive again.
      this.#again.add(id);
      const size = await this.#append(id, Buffer.from(text));
      sizes.set(id, size);
      if (size >= (await this.#logs.size(id))) whole.add(id);
    }
    // Update all sizes synchronously, because a note may be saved at any await.
    for (const [id, size] of sizes) this.#sizes.set(id, size);
    for (const id of whole) this.#again.delete(id);
    this.#cursor = last.cursor;
    this.#isNoted = false;
    await this.#cutLong(sizes);
    if (monotonicMs() - this.#notedAt > NOTE_MS) await this.note();
  }

  #textsOf(entries: readonly JournalEntry[]): Map<ServiceId, string> {
    const texts = new Map<ServiceId, string>();
    for (const entry of entries) {
      if (entry.kind !== 'line') continue;
      const { service, text, goesOn } = entry;
      // Skips the rest of a line that exceeds the maximum length.
      if (!this.#cutLines.has(service)) texts.set(service, `${texts.get(service) ?? ''}${text}\n`);
      if (goesOn) this.#cutLines.add(service);
      else this.#cutLines.delete(service);
    }
    return texts;
  }

  /**
   * Records the sizes of logs before their first line is added. After the master was killed, the recorded sizes
   * show which lines it had already written.
   */
  async #begin(ids: readonly ServiceId[]): Promise<void> {
    const fresh = ids.filter((id) => !this.#sizes.has(id));
    if (fresh.length === 0) return;
    for (const id of fresh) this.#sizes.set(id, await this.#logs.size(id));
    this.#isNoted = false;
    await this.note();
  }

  /**
   * Appends text to a log, except for the part that the log already contains.
   *
   * @returns the offset of the text's end in the log (bytes)
   */
  async #append(id: ServiceId, text: Buffer): Promise<number> {
    const from = this.#sizes.get(id) ?? 0;
    const standing = this.#again.has(id) ? await this.#commonBytes(id, from, text) : 0;
    if (standing === text.length) return from + standing;
    return this.#logs.append(id, text.subarray(standing));
  }

  /**
   * Returns how many bytes of the text are already in the log at the offset `from`: all of them, or only the first
   * part if a master was killed while writing. Returns 0 if the log contains another writer's text at this offset.
   */
  async #commonBytes(id: ServiceId, from: number, text: Buffer): Promise<number> {
    const pieces: Buffer[] = [];
    await readPieces(this.#logs.pathOf(id), { from, to: from + text.length }, (piece) => {
      pieces.push(Buffer.from(piece));
    });
    const there = Buffer.concat(pieces);
    return there.equals(text.subarray(0, there.length)) ? there.length : 0;
  }

  /**
   * Cuts logs that are too long. Saves the note before and after, and adds nothing in between, so that no line is
   * lost or duplicated if the master is killed at any moment.
   */
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
