import { setImmediate as breathe } from 'node:timers/promises';

/**
 * One piece of work that is done again whenever something calls for it: one turn at a time, and many calls during one make
 * one more. However many follow each other, others get their time in between.
 */
export class SingleFlight {
  readonly #turn: () => Promise<boolean>;
  readonly #failed: (error: unknown) => void;
  /** Whoever waits for the next turn to have ended. */
  #waiting: (() => void)[] = [];
  #isCalled = false;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  /**
   * @param turn resolves to whether another one is to follow at once
   * @param failed told of each turn that failed; what called meanwhile waits for the next call
   */
  constructor(turn: () => Promise<boolean>, failed: (error: unknown) => void) {
    this.#turn = turn;
    this.#failed = failed;
  }

  /** Something calls for a turn: it begins now, or after the one that is under way. */
  call(): void {
    if (this.#isClosed) return;
    this.#isCalled = true;
    // A turn may call before it has waited for anything.
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#running = this.#run();
  }

  /** Calls for a turn, and resolves when one that began after that has ended, whether or not others follow; at once when closed. */
  async next(): Promise<void> {
    if (this.#isClosed) return;
    const ended = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.call();
    await ended;
  }

  /** Begins no more turns. Resolves when the last one has ended. */
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
        // What failed would fail again: only who waits for a turn gets one.
        this.#isCalled = this.#waiting.length > 0;
      }
      for (const done of waiting) done();
      await breathe();
    }
    this.#isRunning = false;
    if (this.#isClosed) for (const done of this.#waiting.splice(0)) done();
  }
}
