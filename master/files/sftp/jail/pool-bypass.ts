import { preciseMs } from '#shared/node/clock.ts';

/** Duration from which a call is assumed to have waited for the disk (ms). */
const SLOW_MS = 2;

/**
 * Number of consecutive calls that must return from the thread pool within {@link SLOW_MS} before the next call
 * bypasses the pool.
 */
const QUICK_CALLS = 4;

/**
 * Maximum number of consecutive quick calls that can be required before a call bypasses the pool. The required number
 * starts at {@link QUICK_CALLS}, and doubles each time a call on the event loop is slow.
 */
const MAX_QUICK_CALLS = 64;

/** Maximum size of a file for which reading, writing, closing or removing is a short call (bytes). */
export const SMALL_BYTES = 32_768;

/**
 * Makes short system calls on the event loop instead of the thread pool while the kernel answers them from memory.
 * The kernel is assumed to do so as soon as a few consecutive calls in the pool have returned quickly. After a slow
 * call, the next calls go to the pool again.
 */
export class PoolBypass {
  /** Number of consecutive quick calls so far. */
  #quick = 0;
  /** Number of consecutive quick calls after which the next call bypasses the pool. */
  #needed = QUICK_CALLS;

  /** Makes a call. Calls `now` to make it on the event loop, or `later` to make it in the thread pool. */
  readonly run = async <T>(now: () => T, later: () => Promise<T>): Promise<T> => {
    const begun = preciseMs();
    if (this.#quick >= this.#needed) {
      try {
        return now();
      } finally {
        if (isSlow(begun)) {
          this.#quick = 0;
          this.#needed = Math.min(this.#needed * 2, MAX_QUICK_CALLS);
        }
      }
    }
    try {
      return await later();
    } finally {
      // Reads the count at the end of the call, so that a slow call also discards the quick calls that ran at the
      // same time.
      this.#quick = isSlow(begun) ? 0 : this.#quick + 1;
    }
  };

  /** Makes the next calls on the event loop, because the kernel is known to have everything in memory. */
  trust(): void {
    this.#quick = this.#needed;
  }
}

function isSlow(begun: number): boolean {
  return preciseMs() - begun > SLOW_MS;
}
