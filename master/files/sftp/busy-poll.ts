import { preciseMs } from '#shared/node/clock.ts';

/**
 * Maximum time for which the event loop polls after an answer (ms). Polling pays off only if the client's next
 * request arrives within this time.
 */
const POLL_MS = 0.3;

/**
 * Number of consecutive requests that must each follow an answer within {@link POLL_MS} before the event loop polls.
 */
const QUICK_REQUESTS = 2;

/**
 * If an iteration of the event loop takes longer than this while polling, something else needed the processor (ms).
 */
const BUSY_MS = 3;

/** Time without polling after something else needed the processor (ms). */
const REST_MS = 20;

/**
 * Keeps the event loop awake for a moment after an answer, because a client that works file by file sends its next
 * request right after the last answer. Waking a sleeping process takes about as long as the answer itself
 * (docs/design/sftp-server.md). Does not poll for a client on a slow network, because its requests arrive too late.
 * On a busy machine, polling would take the processor from the client. So polling pauses for {@link REST_MS} if an
 * iteration of the event loop takes longer than {@link BUSY_MS}.
 */
export class BusyPoll {
  readonly #now: () => number;
  readonly #defer: (next: () => void) => void;
  #answeredAt = -Infinity;
  /** Number of consecutive requests so far that followed an answer within {@link POLL_MS}. */
  #quick = 0;
  #polling = false;
  /** Start of the current iteration while polling. */
  #iteratedAt = -Infinity;
  /** Time before which the event loop does not poll, because the machine is busy. */
  #restsUntil = -Infinity;

  /**
   * @param now returns a monotonic time (ms)
   * @param defer runs a function in the next iteration of the event loop, and keeps the event loop from sleeping
   *   until then
   */
  constructor(now: () => number = preciseMs, defer: (next: () => void) => void = setImmediate) {
    this.#now = now;
    this.#defer = defer;
  }

  /** Must be called when requests have arrived. */
  requested(): void {
    this.#quick = this.#isRecent() ? this.#quick + 1 : 0;
  }

  /**
   * Must be called when all requests have been answered. Polls for {@link POLL_MS} if the next request is expected
   * within this time.
   */
  answered(): void {
    this.#answeredAt = this.#now();
    if (this.#polling || this.#quick < QUICK_REQUESTS || this.#answeredAt < this.#restsUntil) return;
    this.#polling = true;
    this.#iteratedAt = this.#answeredAt;
    this.#defer(this.#poll);
  }

  readonly #poll = (): void => {
    const now = this.#now();
    if (now - this.#iteratedAt > BUSY_MS) this.#restsUntil = now + REST_MS;
    this.#iteratedAt = now;
    if (now >= this.#restsUntil && this.#isRecent(now)) this.#defer(this.#poll);
    else this.#polling = false;
  };

  #isRecent(now = this.#now()): boolean {
    return now - this.#answeredAt <= POLL_MS;
  }
}
