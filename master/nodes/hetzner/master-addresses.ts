import type { Journal } from './journal.ts';

/** Time for which SSH of the nodes is open to everyone after the master's address may have changed (ms). */
const OPEN_MS = 1_800_000;

/**
 * Addresses from which the master reaches its nodes, as reported by them and stored on disk. When the address may
 * have changed (a new dial-up address, a moved server), it counts as unknown for a while. Otherwise the firewall
 * would lock the master out for good.
 */
export class MasterAddresses {
  readonly #journal: Journal;
  readonly #now: () => number;
  #openUntil = -Infinity;

  constructor(journal: Journal, now: () => number) {
    this.#journal = journal;
    this.#now = now;
  }

  /** Addresses in force; empty if unknown. */
  get known(): readonly string[] {
    const isDoubted = this.#journal.areMastersDoubted || this.#now() < this.#openUntil;
    return isDoubted ? [] : this.#journal.masters;
  }

  /**
   * Addresses as last reported, even if in doubt. Players and status pings are expected from them until nodes
   * report others.
   */
  get last(): readonly string[] {
    return this.#journal.masters;
  }

  /**
   * Stores the addresses reported by nodes. An empty list means that no node is reachable, and the addresses are
   * unknown until a node reports one.
   *
   * @returns whether {@link MasterAddresses.known} changed
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

  /**
   * Marks the addresses as unknown because one node was never reached. They count again once a node reports an
   * address, or after {@link OPEN_MS}.
   */
  doubt(): void {
    this.#openUntil = this.#now() + OPEN_MS;
  }
}
