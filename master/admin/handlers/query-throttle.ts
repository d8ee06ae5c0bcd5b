import { setTimeout as delay } from 'node:timers/promises';
import { preciseMs } from '#shared/node/clock.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Maximum number of waiting calls. A few people, each with an open form, cause fewer. */
const MAX_WAITING = 20;

/**
 * Runs expensive queries one after the other. After each query, pauses for as long as the query took. A caller that
 * sends queries without end thus uses at most half of the master's time, and rounds of the control loop can run in
 * the pauses.
 */
export class QueryThrottle {
  readonly #what: string;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /**
   * Creates a throttle for one kind of queries.
   *
   * @param what name of the queries in the plural, for the error message
   */
  constructor(what: string) {
    this.#what = what;
  }

  /**
   * Runs a query after all earlier ones.
   *
   * @throws OverworldError TOO_MANY; whatever `work` throws
   */
  async run<T>(work: () => T | Promise<T>): Promise<T> {
    if (this.#waiting >= MAX_WAITING) {
      throw new OverworldError('TOO_MANY', { what: this.#what, limit: MAX_WAITING });
    }
    this.#waiting += 1;
    let began = 0;
    const turn = this.#last.then(() => {
      this.#waiting -= 1;
      began = preciseMs();
      return work();
    });
    const rest = (): Promise<void> => delay(preciseMs() - began, undefined, { ref: false });
    this.#last = turn.then(rest, rest);
    return turn;
  }
}
