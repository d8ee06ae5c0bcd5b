import { setMaxListeners } from 'node:events';
import { Slots } from '#shared/node/slots.ts';
import { MAX_SPANS } from '../messages.ts';

/** Maximum number of requests and changes in the views, over all sessions. The master takes more. */
const MAX_OF_ALL = 512;

/** Waiting for a turn is never cancelled, because each request before it ends by itself. */
const never = new AbortController().signal;
setMaxListeners(0, never);

/** The turns of all sessions. */
export function turnsOfAll(): Slots {
  return new Slots(MAX_OF_ALL);
}

/**
 * Limits how much one session asks of the master at the same time, so that no session can reach what the master takes
 * from all. What belongs to a change that has begun needs no further turn, or changes could wait for each other for
 * ever.
 */
export class ViewTurns {
  readonly #all: Slots;
  readonly #own = new Slots(MAX_SPANS);

  constructor(all: Slots) {
    this.#all = all;
  }

  /** Runs a request or a whole change when it is its turn. Throws what `work` throws. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    const leaveOwn = await this.#own.acquire(never);
    try {
      const leaveAll = await this.#all.acquire(never);
      try {
        return await work();
      } finally {
        leaveAll();
      }
    } finally {
      leaveOwn();
    }
  }
}
