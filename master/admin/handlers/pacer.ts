import { setTimeout as delay } from 'node:timers/promises';
import { preciseMs } from '#shared/node/clock.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Calls that may wait: a handful of people, each with a form open. */
const MAX_WAITING = 20;

/**
 * Runs heavy questions one after the other, with a rest after each as long as it took: whoever asks in a loop gets at
 * most half of the master's time, and the rounds go on in between.
 */
export class Pacer {
  readonly #what: string;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  /** @param what what is asked for, in the plural, for people who ask too much */
  constructor(what: string) {
    this.#what = what;
  }

  /** @throws OverworldError TOO_MANY; whatever `work` throws */
  async run<T>(work: () => T): Promise<T> {
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
