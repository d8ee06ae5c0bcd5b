/** Limits how many tasks run in parallel; further tasks wait in order of arrival. */
export class Slots {
  #free: number;
  readonly #waiting = new Set<() => void>();

  constructor(limit: number) {
    this.#free = limit;
  }

  /**
   * Resolves once a slot is free.
   *
   * @param signal cancels the wait; without it, the wait cannot be cancelled
   * @returns a function that releases the slot; further calls do nothing
   * @throws the signal's abort reason
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    if (this.#free > 0) this.#free -= 1;
    else await this.#turn(signal);
    let held = true;
    return () => {
      if (held) this.#release();
      held = false;
    };
  }

  #turn(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        this.#waiting.delete(enter);
        reject(signal?.reason instanceof Error ? signal.reason : new Error('cancelled'));
      };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.add(enter);
    });
  }

  #release(): void {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#free += 1;
      return;
    }
    this.#waiting.delete(next);
    next();
  }
}
