import type { Journal } from './journal.ts';

/** For so long SSH of the nodes is open to everyone when the master may have got another address, ms. */
const OPEN_MS = 1_800_000;

/**
 * From where the master reaches its nodes, as they have told; on disk. When it may be another address by now (a line that
 * was dialled anew, a server that was moved), nobody knows it for a while: else the firewall would lock the master out
 * for good.
 */
export class MasterAddresses {
  readonly #journal: Journal;
  readonly #now: () => number;
  #openUntil = -Infinity;

  constructor(journal: Journal, now: () => number) {
    this.#journal = journal;
    this.#now = now;
  }

  /** Empty: nobody knows. */
  get known(): readonly string[] {
    return this.#now() < this.#openUntil ? [] : this.#journal.masters;
  }

  /** A node has told. @returns whether that changed anything */
  async set(addresses: readonly string[]): Promise<boolean> {
    const before = JSON.stringify(this.known);
    this.#openUntil = -Infinity;
    if (JSON.stringify(this.#journal.masters) !== JSON.stringify(addresses)) {
      await this.#journal.setMasters(addresses);
    }
    return before !== JSON.stringify(addresses);
  }

  /** They may be wrong: forgotten until a node tells, or for a while. */
  doubt(): void {
    this.#openUntil = this.#now() + OPEN_MS;
  }
}
