import { preciseMs } from '#shared/node/clock.ts';

/** Duration from which a call presumably waited for a disk (ms). */
const SLOW_MS = 2;

/**
 * Number of calls in a row that have to return from the thread pool within {@link SLOW_MS} before the next call
 * bypasses the pool.
 */
const QUICK_CALLS = 4;

/**
 * Maximum number of quick calls in a row that can be required before a call bypasses the pool. The required number
 * starts at {@link QUICK_CALLS} and doubles with each call that blocks the event loop.
 */
const MAX_QUICK_CALLS = 64;

/** Size up to which reading, writing, closing or removing a file is a short call (bytes). */
export const SMALL_BYTES = 32_768;

/**
 * Makes short system calls on the event loop instead of the thread pool while the kernel answers them from memory.
 * The kernel is assumed to do so after a few calls in a row returned from the pool at once; a slow call sends the
 * next ones to the pool again.
 */
export class PoolBypass {
  /** Number of quick calls in a row so far. */
  #quick = 0;
  /** Number of quick calls in a row after which the next call bypasses the pool. */
  #needed = QUICK_CALLS;

  /** Makes a call: `now` on the event loop, or `later` through the thread pool. */
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
      // Calls that were in progress during a slow call do not count: counting begins again after the slow call.
      this.#quick = isSlow(begun) ? 0 : this.#quick + 1;
    }
  };

  /** Assumes from now on that the kernel has everything in memory. */
  trust(): void {
    this.#quick = this.#needed;
  }
}

function isSlow(begun: number): boolean {
  return preciseMs() - begun > SLOW_MS;
}
