import type { Topic } from '#shared/rpc/contract.ts';

/**
 * Minimum time between two `stale` notifications of one connection (ms). The contract with the app allows ten a
 * second.
 */
const INTERVAL_MS = 100;

/**
 * Sends `stale` notifications at most ten times a second. The first is sent immediately, and later ones are
 * combined.
 */
export class StaleNotifier {
  readonly #send: (topics: Topic[]) => void;
  readonly #waiting = new Set<Topic>();
  #timer: NodeJS.Timeout | undefined;

  constructor(send: (topics: Topic[]) => void) {
    this.#send = send;
  }

  add(topics: readonly Topic[]): void {
    for (const topic of topics) this.#waiting.add(topic);
    if (this.#timer === undefined) this.#flush();
  }

  /** Drops pending notifications. */
  close(): void {
    clearTimeout(this.#timer);
    this.#waiting.clear();
  }

  #flush(): void {
    this.#timer = undefined;
    if (this.#waiting.size === 0) return;
    const topics = [...this.#waiting];
    this.#waiting.clear();
    this.#timer = setTimeout(() => this.#flush(), INTERVAL_MS);
    this.#timer.unref();
    this.#send(topics);
  }
}
