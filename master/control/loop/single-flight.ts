import { setImmediate as breathe } from 'node:timers/promises';

/**
 * Runs work whenever it is requested, one turn at a time. Any number of calls during a turn cause one more turn.
 * Other tasks of the process run between turns.
 */
export class SingleFlight {
  readonly #turn: () => Promise<boolean>;
  readonly #failed: (error: unknown) => void;
  /** Callers that wait for the next turn to finish. */
  #waiting: (() => void)[] = [];
  #isCalled = false;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  /**
   * @param turn resolves to whether another turn follows at once
   * @param failed called with the error of each failed turn; calls made during that turn are dropped
   */
  constructor(turn: () => Promise<boolean>, failed: (error: unknown) => void) {
    this.#turn = turn;
    this.#failed = failed;
  }

  /** Requests a turn. It begins now, or after the current one. */
  call(): void {
    if (this.#isClosed) return;
    this.#isCalled = true;
    // The turn itself may call this before its first await.
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#running = this.#run();
  }

  /** Requests a turn. Resolves when a turn that began after this call has finished, or at once if closed. */
  async next(): Promise<void> {
    if (this.#isClosed) return;
    const ended = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.call();
    await ended;
  }

  /** Begins no more turns. Resolves when the current one has finished. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  async #run(): Promise<void> {
    while (this.#isCalled && !this.#isClosed) {
      this.#isCalled = false;
      const waiting = this.#waiting.splice(0);
      try {
        if (await this.#turn()) this.#isCalled = true;
      } catch (error) {
        this.#failed(error);
        // Another turn would probably fail again, so only callers that wait for one get it.
        this.#isCalled = this.#waiting.length > 0;
      }
      for (const done of waiting) done();
      await breathe();
    }
    this.#isRunning = false;
    if (this.#isClosed) for (const done of this.#waiting.splice(0)) done();
  }
}
