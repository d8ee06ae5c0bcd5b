import type { Logger } from 'pino';

/** A flood of strangers is one line in the log a minute, not one each. */
const TOLD_EVERY_MS = 60_000;

/** Counts who was turned away before it greeted. */
export class TurnedAway {
  readonly #log: Logger;
  #count = 0;
  #toldAt = -Infinity;

  constructor(log: Logger) {
    this.#log = log;
  }

  count(): void {
    this.#count += 1;
    const now = performance.now();
    if (now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#log.warn({ count: this.#count }, 'connections to the plugin link were turned away');
    this.#toldAt = now;
    this.#count = 0;
  }
}
