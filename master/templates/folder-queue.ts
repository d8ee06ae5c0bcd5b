import { monotonicMs } from '#shared/node/clock.ts';

/** Maximum time to wait until users stop changing the folder (ms). */
const SETTLE_MS = 15_000;

interface FolderQueueOptions {
  /** Time without changes after which the folder is scanned (ms). */
  readonly quietMs: number;
  /** Scans the folder once it is quiet. Must not reject. */
  readonly scan: () => Promise<void>;
}

/**
 * Runs the jobs of a template's folder one after the other. Users may write to the folder at any time; a scan follows
 * once there have been no changes for a short time. Restoring or copying the folder is a job, too, so no scan runs
 * meanwhile.
 */
export class FolderQueue {
  readonly #options: FolderQueueOptions;
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | null = null;
  #job: Promise<void> | null = null;
  #isRetry = false;
  #touched = false;
  #closed = false;

  constructor(options: FolderQueueOptions) {
    this.#options = options;
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Whether the folder was changed since the current job started. */
  get touched(): boolean {
    return this.#touched;
  }

  /** Schedules a scan. Must be called after each change in the folder. */
  touch(): void {
    if (this.#job !== null) this.#touched = true;
    else this.scanAfter(this.#options.quietMs);
  }

  /** Schedules a scan after `delayMs` (ms). `isRetry` marks a scan that other work need not wait for. */
  scanAfter(delayMs: number, isRetry = false): void {
    if (this.#closed) return;
    this.#isRetry = isRetry;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      void this.#begin(this.#options.scan);
    }, delayMs);
    this.#timer.unref();
  }

  /**
   * Runs `work` once the folder has had no changes for a short time.
   *
   * @param work resolves to false if it must run again after the next scan
   * @returns true when `work` has resolved to true; false if that takes longer than 15 s, or if the queue is closed
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

  /** Stops scanning. Resolves once the current job has finished. */
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
    // The work starts only after #job is set, because the work itself may call touch().
    const job = Promise.resolve().then(work);
    const end = (): void => {
      this.#job = null;
      if (this.#touched) this.scanAfter(this.#options.quietMs);
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
