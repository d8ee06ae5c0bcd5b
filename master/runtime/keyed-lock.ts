/** Runs tasks that have the same key one after the other, and tasks with different keys in parallel. */
export class KeyedLock {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** Runs a task after all earlier tasks with the same key. Returns its result, or rejects with its error. */
  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const before = this.#tails.get(key) ?? Promise.resolve();
    const run = before.then(work);
    const tail = run
      .catch(() => undefined)
      .finally(() => {
        if (this.#tails.get(key) === tail) this.#tails.delete(key);
      });
    this.#tails.set(key, tail);
    return run;
  }
}
