import type { Parts } from './parts.ts';
import { tellTrouble } from './tell.ts';

/** So long it waits for nodes that are known and cannot be looked at, ms: they may be gone for good. */
const LONGEST_MS = 120_000;

/** Numbers are given from the minutes since this moment on where ids may be taken that nobody knows; 2026. */
const NUMBERS_FROM_MS = 1_767_225_600_000;

type Known = Pick<Parts, 'provider' | 'log' | 'records' | 'events' | 'now'>;

/**
 * A master that starts with an empty state folder may have services on nodes that it has not heard of yet, and ids that
 * it does not know are taken (design 6). It decides nothing before it knows all nodes there are, however long its
 * provider cannot be asked; for one that is known and does not answer it waits a while, and then gives only numbers that
 * no service there can have.
 */
export class Dawn {
  readonly #parts: Known;
  readonly #clock: () => number;
  readonly #since: number;
  #isDark: boolean;
  #isTold = false;

  /** @param clock ms, one that nobody sets */
  constructor(parts: Known, clock: () => number = () => performance.now()) {
    this.#parts = parts;
    this.#clock = clock;
    this.#since = clock();
    this.#isDark = parts.records.wasEmpty;
  }

  /** Asked every round; false once and for all. */
  isDark(): boolean {
    if (!this.#isDark) return false;
    const { provider, log, records, now } = this.#parts;
    const unseen = provider
      .nodes()
      .filter(({ state, silentSince }) => state === 'READY' && silentSince !== null);
    const isLong = this.#clock() - this.#since >= LONGEST_MS;
    if (!provider.listed()) {
      if (isLong) this.#tell(provider.trouble() ?? 'it has not answered yet');
      return true;
    }
    if (unseen.length > 0 && !isLong) return true;
    if (unseen.length > 0) {
      const nodes = unseen.map(({ id }) => id);
      log.warn({ nodes }, 'decides now, though not all nodes were seen');
      records.numberFrom(Math.floor((now() - NUMBERS_FROM_MS) / 60_000));
    }
    this.#isDark = false;
    return false;
  }

  #tell(why: string): void {
    if (this.#isTold) return;
    this.#isTold = true;
    const message =
      'Nothing is started yet: its state is lost, and its provider has not said which nodes there are';
    tellTrouble(this.#parts.events, why, message);
  }
}
