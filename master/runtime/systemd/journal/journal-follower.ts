import type { NodeShell, RunningCommand, ShellResult } from '#master/nodes/shell.ts';
import { hasCode } from '#shared/errors/overworld-error.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { Budget } from './budget.ts';
import {
  followCommand,
  isAtOrBehind,
  parseJournalEntry,
  readCommand,
  type JournalEntry,
} from './journal-entry.ts';
import type { JournalLogs } from './journal-logs.ts';

/**
 * Delay before a retry after an error that the connection did not cause (ms), such as an unreadable journal or a
 * full disk on the master.
 */
const RETRY_MS = 5000;
/** Interval at which the read position is saved while no entries arrive (ms). */
const IDLE_NOTE_MS = 1000;
/**
 * Size limit of an incomplete line of journalctl's output (bytes). It is above the size of any entry: a line in the
 * journal has at most 48 KiB, and the output may contain each byte as a number.
 */
const MAX_PENDING_BYTES = 4 * 1_048_576;

/**
 * Rate limit for reading one node's journal (bytes). If services write more, the remaining entries wait in the node's
 * journal, and other nodes are not affected. The limit is well above the usual output of services (5,000 lines per
 * second are 2 MB). It is also high enough to read the output of a whole day within two minutes.
 */
const READ_BUDGET = { perSecond: 4 * 1_048_576, burst: 64 * 1_048_576 };

export interface FollowerOptions {
  readonly shell: NodeShell;
  readonly logs: JournalLogs;
  /** Group of proxies on the node. */
  readonly group: string;
  /**
   * Reports whether an entry about a service is accepted. The check is needed because the journal of a node may
   * contain the id of any service, including services of other nodes.
   */
  readonly accepts: (id: ServiceId, kind: 'line' | 'ended') => boolean;
  /** Called when systemd has reported the exit of a service, after the lines before this report are in the log. */
  readonly ended: (id: ServiceId) => void;
  readonly failed: (error: unknown) => void;
  /** Rate limit for reading the journal; default {@link READ_BUDGET}. */
  readonly budget?: Budget;
}

/**
 * Reads a node's journal while the node is connected, and resumes at the last position after an interruption. All
 * lines of a service are in its log before its exit is reported.
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
   * Waits until everything up to a cursor is written to the logs.
   *
   * @returns false after `timeoutMs`, and if the follower is closed
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

  /** Stops following. Calls of {@link reach} in progress return false. */
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

  /** Schedules a restart after an error. A restored connection restarts the follower earlier. */
  #retry(): void {
    if (this.#closed || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#begin();
    }, RETRY_MS);
    this.#timer.unref();
  }

  async #follow(): Promise<void> {
    const { logs, group } = this.#options;
    const read = await this.#read(readCommand(logs.cursor, group));
    if (read === null) return;
    if (read.code !== 0) throw exited(read);
    const followed = await this.#read(followCommand(logs.cursor, group));
    // The command never exits without an error. It exits, for example, if the machine has no free inotify instance.
    if (followed !== null) throw exited(followed);
  }

  /**
   * Takes the output of a command until it exits.
   *
   * @returns null if the connection or the follower was closed before
   */
  async #read(line: string): Promise<ShellResult | null> {
    const { shell, logs } = this.#options;
    const command = await shell.follow(line);
    this.#command = command;
    // The follower was closed while the command was starting.
    if (this.#closed) command.close();
    try {
      let held = Buffer.alloc(0);
      for await (const data of command.stdout) {
        // A stream without an encoding yields buffers.
        const chunk = data as Buffer;
        const bytes = Buffer.concat([held, chunk]);
        const end = bytes.lastIndexOf(0x0a) + 1;
        held = bytes.subarray(end);
        if (held.length > MAX_PENDING_BYTES) throw new Error('a line of the journal is too long');
        if (end > 0) await this.#take(bytes.toString('utf8', 0, end));
        await this.#budget.spend(chunk.length);
      }
      const result = await command.ended;
      return this.#closed ? null : result;
    } finally {
      this.#command = null;
      command.close();
      if (this.#idle !== null) clearTimeout(this.#idle);
      this.#idle = null;
      await logs.note();
    }
  }

  async #take(text: string): Promise<void> {
    const { logs, accepts, ended } = this.#options;
    const entries: JournalEntry[] = text
      .split('\n')
      .filter((line) => line !== '')
      .flatMap((line) => parseJournalEntry(line) ?? [])
      .map((entry) =>
        entry.kind === 'other' || accepts(entry.service, entry.kind)
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

function exited({ code, stderr }: ShellResult): Error {
  return new Error(`journalctl exited with code ${code}: ${stderr.trim()}`);
}
