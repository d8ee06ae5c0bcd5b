import { Slots } from './slots.ts';

/** Limits how many tasks with the same key run in parallel. Further tasks of that key wait in order of arrival. */
export class KeyedSlots {
  readonly #limit: number;
  readonly #slots = new Map<string, { readonly slots: Slots; tasks: number }>();

  /** @param limit number of parallel tasks for each key */
  constructor(limit: number) {
    this.#limit = limit;
  }

  /**
   * Runs a task once a slot of the key is free. Throws what the task throws.
   *
   * @param signal cancels the wait, but not the task
   * @throws the signal's reason
   */
  async run<T>(key: string, task: () => Promise<T>, signal: AbortSignal): Promise<T> {
    const own = this.#slots.get(key) ?? { slots: new Slots(this.#limit), tasks: 0 };
    this.#slots.set(key, own);
    own.tasks += 1;
    try {
      const release = await own.slots.acquire(signal);
      try {
        return await task();
      } finally {
        release();
      }
    } finally {
      own.tasks -= 1;
      if (own.tasks === 0) this.#slots.delete(key);
    }
  }
}
