import { monotonicMs } from '#shared/node/clock.ts';
import type { Logger } from 'pino';

/** However often it happens, it is one line in the log a minute, not one each. */
const TOLD_EVERY_MS = 60_000;

/** Warns of what strangers and services may make happen as often as they like, with how often it was since the last line. */
export class RareWarning {
  readonly #log: Logger;
  readonly #message: string;
  #count = 0;
  #toldAt = -Infinity;

  constructor(log: Logger, message: string) {
    this.#log = log;
    this.#message = message;
  }

  /** @param example of this time; the line has that of the time at which it is written */
  count(example: object = {}): void {
    this.#count += 1;
    const now = monotonicMs();
    if (now - this.#toldAt < TOLD_EVERY_MS) return;
    this.#log.warn({ ...example, count: this.#count }, this.#message);
    this.#toldAt = now;
    this.#count = 0;
  }
}
