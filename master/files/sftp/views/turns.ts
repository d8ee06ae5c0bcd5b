/** Runs tasks in parallel, except for tasks that must run alone. Each task waits only for earlier tasks. */
export class Turns {
  readonly #shared = new Set<Promise<void>>();
  /** Resolves when all tasks that must run alone have ended. */
  #alone: Promise<void> = Promise.resolve();

  /** Runs a task after all earlier tasks that must run alone. */
  shared<T>(work: () => Promise<T>): Promise<T> {
    const run = this.#alone.then(work);
    const end = ended(run);
    this.#shared.add(end);
    void end.then(() => this.#shared.delete(end));
    return run;
  }

  /** Runs a task after all earlier ones. No other task runs at the same time. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    const run = Promise.all([this.#alone, ...this.#shared]).then(work);
    this.#alone = ended(run);
    return run;
  }
}

/** Resolves when a task has ended, even if it has failed. */
function ended(task: Promise<unknown>): Promise<void> {
  return task.then(
    () => undefined,
    () => undefined,
  );
}
