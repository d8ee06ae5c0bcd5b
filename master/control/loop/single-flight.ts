import { setImmediate as breathe } from 'node:timers/promises';

/**
 * Runs a task whenever it is requested, but only one run at a time. Any number of requests during a run cause one
 * more run. Between runs, the process can do other work.
 */
export class SingleFlight {
  readonly #turn: () => Promise<boolean>;
  readonly #failed: (error: unknown) => void;
  /** Callers that wait for the next run to finish. */
  #waiting: (() => void)[] = [];
  #isCalled = false;
  #isRunning = false;
  #running: Promise<void> = Promise.resolve();
  #isClosed = false;

  /**
   * Creates the runner of a task.
   *
   * @param turn the task; resolves to whether another run follows immediately
   * @param failed called with the error of each failed run. Requests that were made with `call` during a failed run
   *   are dropped
   */
  constructor(turn: () => Promise<boolean>, failed: (error: unknown) => void) {
    this.#turn = turn;
    this.#failed = failed;
  }

  /** Requests a run. It begins now, or after the current run. */
  call(): void {
    if (this.#isClosed) return;
    this.#isCalled = true;
    // The task itself may call this before its first await.
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#running = this.#run();
  }

  /** Requests a run. Resolves when a run that began after this call has finished, or immediately if closed. */
  async next(): Promise<void> {
    if (this.#isClosed) return;
    const ended = new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.call();
    await ended;
  }

  /** Begins no more runs. Resolves when the current run has finished. */
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
        // Another run would probably fail, too, so it starts only if a caller waits for it.
        this.#isCalled = this.#waiting.length > 0;
      }
      for (const done of waiting) done();
      await breathe();
    }
    this.#isRunning = false;
    if (this.#isClosed) for (const done of this.#waiting.splice(0)) done();
  }
}
