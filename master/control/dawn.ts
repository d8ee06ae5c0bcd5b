import type { Parts } from './parts.ts';

/** Not longer than this, ms: a provider that cannot be asked must not keep what can run from running. */
const LONGEST_MS = 120_000;

/**
 * A master that starts with an empty state folder may have services on nodes that it has not heard of yet, and ids that
 * it does not know are taken (design 6). It decides nothing before it has seen all nodes there are.
 */
export class Dawn {
  readonly #parts: Pick<Parts, 'provider' | 'log'>;
  readonly #clock: () => number;
  readonly #since: number;
  #isDark: boolean;

  /** @param clock ms, one that nobody sets */
  constructor(
    parts: Pick<Parts, 'provider' | 'log' | 'records'>,
    clock: () => number = () => performance.now(),
  ) {
    this.#parts = parts;
    this.#clock = clock;
    this.#since = clock();
    this.#isDark = parts.records.wasEmpty;
  }

  /** Asked every round; false once and for all. */
  isDark(): boolean {
    if (!this.#isDark) return false;
    const { provider, log } = this.#parts;
    const unseen = provider
      .nodes()
      .filter(({ state, silentSince }) => state === 'READY' && silentSince !== null);
    this.#isDark = !provider.listed() || unseen.length > 0;
    if (this.#isDark && this.#clock() - this.#since >= LONGEST_MS) {
      const nodes = unseen.map(({ id }) => id);
      log.warn({ nodes, trouble: provider.trouble() }, 'decides now, though not all nodes were seen');
      this.#isDark = false;
    }
    return this.#isDark;
  }
}
