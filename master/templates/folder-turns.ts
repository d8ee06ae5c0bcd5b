import { monotonicMs } from '#shared/node/clock.ts';

/** After so long nobody waits any more for people to stop writing, ms. */
const SETTLE_MS = 15_000;

interface FolderTurnsOptions {
  /** So long nothing may change before the folder is looked at, ms. */
  readonly quietMs: number;
  /** Looks at the folder, once it is quiet. Must not reject. */
  readonly look: () => Promise<void>;
}

/**
 * Whose turn it is with a template's folder: people write whenever they like; it is looked at when they have rested
 * for a moment, and what needs the folder for itself (putting it back, copying it) has it one at a time.
 */
export class FolderTurns {
  readonly #options: FolderTurnsOptions;
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | null = null;
  #job: Promise<void> | null = null;
  #isRetry = false;
  #touched = false;
  #closed = false;

  constructor(options: FolderTurnsOptions) {
    this.#options = options;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** True while somebody has written since the present job began. */
  get touched(): boolean {
    return this.#touched;
  }

  /** Somebody wrote to the folder just now. */
  touch(): void {
    if (this.#job !== null) this.#touched = true;
    else this.lookAfter(this.#options.quietMs);
  }

  /** Has the folder looked at, after so many ms. `isRetry`: nobody has to wait for that look. */
  lookAfter(delayMs: number, isRetry = false): void {
    if (this.#closed) return;
    this.#isRetry = isRetry;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.#begin(this.#options.look);
    }, delayMs);
    this.#timer.unref();
  }

  /**
   * Does something once nobody has written to the folder for a moment; again, if it answers that somebody has.
   *
   * @param work resolves to false to be run again after the next look
   * @returns false when people did not stop writing in time, or the folder was closed
   * @throws what the work throws
   */
  async whenSettled(work: () => Promise<boolean>): Promise<boolean> {
    const deadline = monotonicMs() + SETTLE_MS;
    for (;;) {
      const left = deadline - monotonicMs();
      if (this.#closed || left <= 0) return false;
      if (this.#job !== null || (this.#timer !== null && !this.#isRetry)) await this.#nextEnd(left);
      else if (await this.#begin(work)) return true;
    }
  }

  /** Looks no more; resolves once nothing is done to the folder any more. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#job;
  }

  #begin<T>(work: () => Promise<T>): Promise<T> {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#touched = false;
    // Not before it counts as begun: the work itself may say that the folder is touched.
    const job = Promise.resolve().then(work);
    const end = (): void => {
      this.#job = null;
      if (this.#touched) this.lookAfter(this.#options.quietMs);
      for (const wake of this.#waiting) wake();
    };
    this.#job = job.then(end, end);
    return job;
  }

  #nextEnd(timeoutMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      this.#waiting.add(wake);
    });
  }
}
