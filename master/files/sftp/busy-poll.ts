import { preciseMs } from '#shared/node/clock.ts';

/** Maximum time between an answer and the client's next request at which polling pays off (ms). */
const POLL_MS = 0.3;

/**
 * Number of consecutive requests that must each follow an answer within {@link POLL_MS} before the event loop polls.
 */
const QUICK_REQUESTS = 2;

/**
 * Keeps the event loop awake for a moment after an answer, because a client that works file by file sends its next
 * request right after the last answer. Waking a sleeping process takes about as long as the answer itself
 * (docs/design/sftp-server.md). Does not poll for a client on a slow network or a busy machine, because its requests
 * arrive too late.
 */
export class BusyPoll {
  readonly #now: () => number;
  readonly #defer: (next: () => void) => void;
  #answeredAt = -Infinity;
  /** Number of consecutive requests so far that followed an answer within {@link POLL_MS}. */
  #quick = 0;
  #polling = false;

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
    if (this.#polling || this.#quick < QUICK_REQUESTS) return;
    this.#polling = true;
    this.#defer(this.#poll);
  }

  readonly #poll = (): void => {
    if (this.#isRecent()) this.#defer(this.#poll);
    else this.#polling = false;
  };

  #isRecent(): boolean {
    return this.#now() - this.#answeredAt <= POLL_MS;
  }
}
