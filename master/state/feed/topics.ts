import type { Topic } from '#shared/rpc/contract.ts';

/** Notifies subscribers about stale data, so that they fetch it again. */
export class Topics {
  readonly #listeners = new Set<(topics: readonly Topic[]) => void>();

  /** Calls all subscribers with the given topics, whose data is stale. The calls are synchronous. */
  publish(...topics: readonly Topic[]): void {
    for (const listener of this.#listeners) listener(topics);
  }

  /**
   * Adds a subscriber.
   *
   * @returns a function that unsubscribes
   */
  subscribe(listener: (topics: readonly Topic[]) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}
