import { monotonicMs } from '#shared/node/clock.ts';
import type { Logger } from 'pino';

/** Minimum time between two warnings (ms). */
const MIN_INTERVAL_MS = 60_000;

/**
 * Logs warnings about events that clients can cause at any rate. Logs at most one warning per minute, which contains
 * the number of events since the last warning.
 */
export class RareWarning {
  readonly #log: Logger;
  readonly #message: string;
  #count = 0;
  #loggedAt = -Infinity;

  constructor(log: Logger, message: string) {
    this.#log = log;
    this.#message = message;
  }

  /**
   * Counts an event, and logs a warning if the last warning is at least a minute old.
   *
   * @param example details of the event; if the event causes a warning, the log line contains them
   */
  count(example: object = {}): void {
    this.#count += 1;
    const now = monotonicMs();
    if (now - this.#loggedAt < MIN_INTERVAL_MS) return;
    this.#log.warn({ ...example, count: this.#count }, this.#message);
    this.#loggedAt = now;
    this.#count = 0;
  }
}
