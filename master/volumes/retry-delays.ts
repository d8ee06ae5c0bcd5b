import { exponentialDelayMs, type BackoffRange } from '#shared/backoff.ts';
import type { MasterConfig } from '#shared/config/master.ts';

interface Failure {
  /** When the attempt failed (ms on the monotonic clock). */
  readonly at: number;
  /** Number of failures before it, in succession, that make the delay grow. */
  readonly earlier: number;
  /** The settings of volumes at that time, as JSON. */
  readonly settings: string;
}

interface RetryDelaysOptions {
  /** Delays after the first failure and after many failures. */
  readonly range: BackoffRange;
  /** Returns the monotonic time (ms). */
  readonly clock: () => number;
  /** Returns the settings `volumes` of the master configuration. A change of them ends all delays. */
  readonly settings: () => MasterConfig['volumes'];
}

/** Delays further attempts to save after failures, separately for each key. */
export class RetryDelays<Key> {
  readonly #options: RetryDelaysOptions;
  readonly #failures = new Map<Key, Failure>();

  constructor(options: RetryDelaysOptions) {
    this.#options = options;
  }

  /**
   * Notes at the end of an attempt that it has failed. Its delay begins now.
   *
   * Example: with 30 s to 600 s, failures in succession cause delays of 30, 60, 120, 240, 480, 600, 600 … s.
   *
   * @param grows whether the delay is longer than the one before. If not, it is the shortest delay
   */
  failed(key: Key, grows: boolean): void {
    const before = this.#failures.get(key);
    const settings = this.#settings();
    const earlier = grows && before?.settings === settings ? before.earlier + 1 : 0;
    this.#failures.set(key, { at: this.#options.clock(), earlier, settings });
  }

  /** Returns the time until the next attempt may begin (ms); 0 if it may begin now. */
  remainingMs(key: Key): number {
    const failure = this.#failures.get(key);
    if (failure?.settings !== this.#settings()) return 0;
    const { range, clock } = this.#options;
    return Math.max(0, failure.at + exponentialDelayMs(failure.earlier, range) - clock());
  }

  /** Ends the delay of a key. The next failure counts as the first one. */
  end(key: Key): void {
    this.#failures.delete(key);
  }

  /** Ends all delays. */
  endAll(): void {
    this.#failures.clear();
  }

  /** Ends the delays of all other keys. */
  keepOnly(keys: ReadonlySet<Key>): void {
    for (const key of this.#failures.keys()) if (!keys.has(key)) this.#failures.delete(key);
  }

  #settings(): string {
    return JSON.stringify(this.#options.settings());
  }
}
