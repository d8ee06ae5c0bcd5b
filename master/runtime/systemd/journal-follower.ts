import type { RunningCommand, NodeShell } from '#master/nodes/shell.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { Budget } from './budget.ts';
import { isAtOrBehind, journalCommand, parseJournalEntry, type JournalEntry } from './journal-entry.ts';
import type { JournalLogs } from './journal-logs.ts';

/** After a failure that is not the connection's: the journal cannot be read, or the master's disk is full. */
const RETRY_MS = 5000;
/** So often what was read is put down while nothing comes, ms. */
const IDLE_NOTE_MS = 1000;
/** A longer line than any that journald gives (48 KiB, as numbers). */
const MAX_PENDING_BYTES = 4 * 1_048_576;

/**
 * A node that says more than this waits: what comes is left on the node meanwhile, and other nodes are heard as ever. Well
 * above what services write (5,000 lines a second are 2 MB), and enough to catch up with a day in a minute or two. Bytes.
 */
const READ_BUDGET = { perSecond: 4 * 1_048_576, atOnce: 64 * 1_048_576 };

export interface FollowerOptions {
  readonly shell: NodeShell;
  readonly logs: JournalLogs;
  /** Whether what the journal says of a service is taken: it may name any. */
  readonly isHeard: (id: ServiceId, kind: 'line' | 'ended') => boolean;
  readonly ended: (id: ServiceId) => void;
  readonly failed: (error: unknown) => void;
  /** How fast the journal is read. */
  readonly budget?: Budget;
}

/**
 * Reads a node's journal as long as there is a connection, goes on where it was after each break, and writes the lines
 * into the logs before it tells of an end.
 */
export class JournalFollower {
  readonly #options: FollowerOptions;
  readonly #leave: () => void;
  readonly #waiting = new Set<{ readonly cursor: string; readonly finish: (reached: boolean) => void }>();
  readonly #budget: Budget;
  #command: RunningCommand | null = null;
  #running: Promise<void> | null = null;
  #timer: NodeJS.Timeout | null = null;
  #idle: NodeJS.Timeout | null = null;
  #closed = false;

  constructor(options: FollowerOptions) {
    this.#options = options;
    this.#budget = options.budget ?? new Budget(READ_BUDGET);
    this.#leave = options.shell.onChange(() => this.#begin());
    this.#begin();
  }

  /**
   * Waits until all up to a cursor stands in the logs.
   *
   * @returns false when the time was up before
   */
  async reach(cursor: string, timeoutMs: number): Promise<boolean> {
    if (this.#isReached(cursor)) return true;
    return new Promise((resolve) => {
      const finish = (reached: boolean): void => {
        clearTimeout(timer);
        this.#waiting.delete(waiter);
        resolve(reached);
      };
      const timer = setTimeout(() => finish(false), timeoutMs);
      const waiter = { cursor, finish };
      this.#waiting.add(waiter);
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#leave();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#budget.close();
    this.#command?.close();
    for (const waiter of [...this.#waiting]) waiter.finish(false);
    await this.#running;
  }

  #begin(): void {
    if (this.#closed || this.#running !== null || !this.#options.shell.connected) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#running = this.#follow()
      .catch((error: unknown) => {
        if (!this.#closed && !hasCode(error, 'NODE_UNREACHABLE')) this.#options.failed(error);
      })
      .finally(() => {
        this.#running = null;
        this.#retry();
      });
  }

  /** After a break of the connection its return begins; whatever else ended the command, a while later. */
  #retry(): void {
    if (this.#closed || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#begin();
    }, RETRY_MS);
    this.#timer.unref();
  }

  async #follow(): Promise<void> {
    const { shell, logs } = this.#options;
    const command = await shell.follow(journalCommand(logs.cursor));
    this.#command = command;
    // Closed while it was being started.
    if (this.#closed) command.close();
    try {
      let held = Buffer.alloc(0);
      for await (const data of command.stdout) {
        // The stream has no encoding: it gives buffers.
        const chunk = data as Buffer;
        const bytes = Buffer.concat([held, chunk]);
        const end = bytes.lastIndexOf(0x0a) + 1;
        held = bytes.subarray(end);
        if (held.length > MAX_PENDING_BYTES) throw new Error('a line of the journal has no end');
        if (end > 0) await this.#take(bytes.toString('utf8', 0, end));
        await this.#budget.spend(chunk.length);
      }
      const result = await command.ended;
      if (result !== null && !this.#closed) throw new Error(`journalctl ended: ${result.stderr.trim()}`);
    } finally {
      this.#command = null;
      command.close();
      if (this.#idle !== null) clearTimeout(this.#idle);
      this.#idle = null;
      await logs.note();
    }
  }

  async #take(text: string): Promise<void> {
    const { logs, isHeard, ended } = this.#options;
    const entries: JournalEntry[] = text
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => parseJournalEntry(line) ?? [])
      .map((entry) =>
        entry.kind === 'other' || isHeard(entry.service, entry.kind)
          ? entry
          : { kind: 'other', cursor: entry.cursor },
      );
    await logs.add(entries);
    this.#noteWhenIdle();
    for (const waiter of [...this.#waiting]) if (this.#isReached(waiter.cursor)) waiter.finish(true);
    for (const entry of entries) if (entry.kind === 'ended') ended(entry.service);
  }

  #isReached(cursor: string): boolean {
    const at = this.#options.logs.cursor;
    return at !== null && isAtOrBehind(at, cursor);
  }

  #noteWhenIdle(): void {
    this.#idle ??= setTimeout(() => {
      this.#idle = null;
      this.#options.logs.note().catch(this.#options.failed);
    }, IDLE_NOTE_MS).unref();
  }
}
