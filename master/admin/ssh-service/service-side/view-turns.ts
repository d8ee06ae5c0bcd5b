import { Slots } from '#shared/node/slots.ts';
import { MAX_SPANS } from '../messages.ts';

/**
 * Maximum number of requests and changes in the views that are in progress, over all sessions. The master's limit is
 * higher.
 */
const MAX_OF_ALL = 512;

/** Creates the limit that all sessions share. */
export function turnsOfAll(): Slots {
  return new Slots(MAX_OF_ALL);
}

/**
 * Limits how many requests one session sends to the master at the same time, so that no session can use up the
 * master's limit for all sessions. Requests that belong to a change in progress do not wait for a turn. Otherwise,
 * changes could wait for each other forever.
 */
export class ViewTurns {
  readonly #all: Slots;
  readonly #own = new Slots(MAX_SPANS);

  constructor(all: Slots) {
    this.#all = all;
  }

  /** Runs a request or a whole change when it is its turn. Throws whatever `work` throws. */
  async run<T>(work: () => Promise<T>): Promise<T> {
    // No wait has to be cancelled, because every earlier request ends by itself.
    const leaveOwn = await this.#own.acquire();
    try {
      const leaveAll = await this.#all.acquire();
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
