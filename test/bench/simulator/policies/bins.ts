import type { NodeSnapshot, ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';

/** Remaining capacity of a node while services are placed in one round. */
export interface Bin {
  readonly node: NodeSnapshot;
  freeMb: number;
  startsLeft: number;
  /** Whether a service was placed on the node in this round. */
  taken: boolean;
}

/** Remaining capacity of all READY nodes. */
export class Bins {
  readonly #bins = new Map<string, Bin>();
  readonly #services = new Map<string, ServiceSnapshot[]>();

  constructor({ nodes, services }: Snapshot) {
    for (const service of services) {
      if (service.node === null) continue;
      const there = this.#services.get(service.node);
      if (there === undefined) this.#services.set(service.node, [service]);
      else there.push(service);
    }
    for (const node of nodes.filter(({ state }) => state === 'READY')) {
      const there = this.servicesOn(node.id);
      const starting = there.filter(({ state }) => state === 'PREPARING' || state === 'STARTING').length;
      const freeMb = node.ramMb - there.reduce((sum, { ramMb }) => sum + ramMb, 0);
      this.#bins.set(node.id, { node, freeMb, startsLeft: node.startBudget - starting, taken: false });
    }
  }

  of(id: string): Bin | undefined {
    return this.#bins.get(id);
  }

  servicesOn(id: string): readonly ServiceSnapshot[] {
    return this.#services.get(id) ?? [];
  }

  /** Returns the free RAM (MB) of each READY node for which `isMeant` returns true. */
  freeOfOpen(isMeant: (node: NodeSnapshot) => boolean = () => true): number[] {
    return [...this.#bins.values()].filter(({ node }) => isMeant(node)).map(({ freeMb }) => freeMb);
  }

  /**
   * Chooses a node for a service.
   *
   * @returns the node; `budget` if the service fits, but too many starts are in progress; `none` if it fits on no
   *   node
   */
  choose(service: ServiceSnapshot, placing: 'packed' | 'spread'): Bin | 'budget' | 'none' {
    const fitting = [...this.#bins.values()].filter(({ freeMb }) => freeMb >= service.ramMb);
    if (fitting.length === 0) return 'none';
    const rank = placing === 'packed' ? (bin: Bin) => bin.freeMb : (bin: Bin) => this.#ofSame(service, bin);
    const [best] = fitting.filter(({ startsLeft }) => startsLeft > 0).sort((a, b) => rank(a) - rank(b));
    return best ?? 'budget';
  }

  put(service: ServiceSnapshot, bin: Bin): void {
    bin.freeMb -= service.ramMb;
    bin.startsLeft -= 1;
    bin.taken = true;
    const there = this.#services.get(bin.node.id);
    if (there === undefined) this.#services.set(bin.node.id, [service]);
    else there.push(service);
  }

  #ofSame({ template }: ServiceSnapshot, { node }: Bin): number {
    return this.servicesOn(node.id).filter((service) => service.template === template).length;
  }
}
