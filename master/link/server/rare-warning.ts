import { monotonicMs } from '#shared/node/clock.ts';
import type { Logger } from 'pino';

/** Minimum time between two warnings (ms). */
const TOLD_EVERY_MS = 60_000;

/**
 * Logs warnings about events that others can cause at any rate, at most once a minute, with their number since the
 * last one.
 */
export class RareWarning {
  readonly #log: Logger;
  readonly #message: string;
  #count = 0;
  #toldAt = -Infinity;

  constructor(log: Logger, message: string) {
    this.#log = log;
    this.#message = message;
  }

  /** @param example details of this event; the log line has those of the event that triggers it */
  count(example: object = {}): void {
    this.#count += 1;
    const now = monotonicMs();
    if (now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#log.warn({ ...example, count: this.#count }, this.#message);
    this.#toldAt = now;
    this.#count = 0;
  }
}
