/** Counts the tasks that are in progress. Callers can wait until no task is in progress. */
export class InProgress {
  #count = 0;
  #waiting: (() => void)[] = [];

  /** Whether no work is in progress. */
  get none(): boolean {
    return this.#count === 0;
  }

  /** Runs `work`. It counts as in progress until it has finished. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    this.#count += 1;
    try {
      return await work();
    } finally {
      this.#count -= 1;
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve();
    }
  }

  /** Resolves when no work is in progress. */
  whenNone(): Promise<void> {
    if (this.none) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
