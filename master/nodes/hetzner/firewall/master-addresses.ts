import type { Journal } from '../journal.ts';

/**
 * Time for which the nodes' SSH is open to everyone after a node did not become ready (ms); see
 * {@link MasterAddresses.doubt}.
 */
const OPEN_MS = 1_800_000;

/**
 * Addresses from which the master reaches its nodes, as reported by the nodes and stored on disk. When the address
 * may have changed (a new dial-up address, a moved server), the addresses count as unknown. Otherwise the firewall
 * would lock the master out for good. The addresses count as known again as soon as every node that reports an
 * address reports one of them. After {@link doubt}, they count as known again after 30 min at the latest, unless
 * nodes have reported other addresses.
 */
export class MasterAddresses {
  readonly #journal: Journal;
  readonly #now: () => number;
  #openUntil = -Infinity;

  constructor(journal: Journal, now: () => number) {
    this.#journal = journal;
    this.#now = now;
  }

  /** Addresses that are allowed in the firewall; empty if unknown. */
  get known(): readonly string[] {
    const isDoubted = this.#journal.areMastersDoubted || this.#now() < this.#openUntil;
    return isDoubted ? [] : this.#journal.masters;
  }

  /**
   * Addresses as last reported, even if they may be wrong. Until nodes report other addresses, the balancer's
   * connections and status pings are expected from these.
   */
  get last(): readonly string[] {
    return this.#journal.masters;
  }

  /**
   * Stores the addresses reported by nodes. An empty list means that no node is reachable, and the last known
   * addresses are kept.
   *
   * @param isComplete whether each node reports one of the addresses; if false, the addresses count as unknown in the
   *   firewall's rule for SSH
   * @returns whether {@link MasterAddresses.known} or {@link MasterAddresses.last} changed
   * @throws OverworldError DISK_FULL
   */
  async set(addresses: readonly string[], isComplete: boolean): Promise<boolean> {
    const before = JSON.stringify([this.known, this.last]);
    const isKnown = JSON.stringify(this.#journal.masters) === JSON.stringify(addresses);
    if (addresses.length > 0 && (!isKnown || (isComplete && this.#journal.areMastersDoubted)))
      await this.#journal.setMasters(addresses);
    if (isComplete) this.#openUntil = -Infinity;
    else await this.#journal.doubtMasters();
    return before !== JSON.stringify([this.known, this.last]);
  }

  /**
   * Marks the addresses as unknown, because a node did not become ready and the firewall may block the master. The
   * stored addresses are used again after 30 min, or as soon as every node that reports an address reports one of
   * them.
   */
  doubt(): void {
    this.#openUntil = this.#now() + OPEN_MS;
  }
}
