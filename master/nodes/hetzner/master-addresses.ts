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
    const isDoubted = this.#journal.areMastersDoubted || this.#now() < this.#openUntil;
    return isDoubted ? [] : this.#journal.masters;
  }

  /** As last told, whether or not they are doubted: from there come players and pings as long as nobody tells others. */
  get last(): readonly string[] {
    return this.#journal.masters;
  }

  /**
   * Nodes have told; none: no node can be reached, and nobody knows until one tells.
   *
   * @returns whether that changed anything
   */
  async set(addresses: readonly string[]): Promise<boolean> {
    const before = JSON.stringify(this.known);
    if (addresses.length === 0) {
      await this.#journal.doubtMasters();
    } else {
      this.#openUntil = -Infinity;
      const isKnown = JSON.stringify(this.#journal.masters) === JSON.stringify(addresses);
      if (!isKnown || this.#journal.areMastersDoubted) await this.#journal.setMasters(addresses);
    }
    return before !== JSON.stringify(this.known);
  }

  /** One node was never reached: they may be wrong. Not known until a node tells, or for a while if others are reached. */
  doubt(): void {
    this.#openUntil = this.#now() + OPEN_MS;
  }
}
