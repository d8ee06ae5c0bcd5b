import type { ActionOf } from '#master/core/action.ts';
import type { Agenda } from './agenda.ts';
import { ForbiddenAction, type SimNode } from './entities.ts';
import type { NetworkModel, NodeType } from './network.ts';
import { Random } from './random.ts';
import type { Services } from './services.ts';

/** Time span in which a server type is sold out (ms since epoch). */
export interface StockOut {
  readonly type: string;
  readonly from: number;
  readonly to: number;
}

/** Time after which a sold-out type is ordered again (ms). */
const SOLD_OUT_PAUSE_MS = 5 * 60_000;

/** Time from the order until the provider reports that the node is booting (ms). */
const ORDERED_MS = 10_000;

/** Simulates cloud nodes from their order to their deletion or loss. */
export class Nodes {
  readonly #agenda: Agenda;
  readonly #network: NetworkModel;
  readonly #services: Services;
  readonly #seed: number;
  readonly #stockOuts: readonly StockOut[];
  readonly #byId = new Map<string, SimNode>();
  readonly #soldOutUntil = new Map<string, number>();
  /** All nodes, including deleted nodes, sorted by the time of their order. */
  readonly log: SimNode[] = [];
  readonly counts = { orders: 0, refused: 0, drains: 0, resumes: 0, releases: 0, lost: 0 };
  #nextNumber = 1;

  constructor({ agenda, network, services, seed, stockOuts }: NodesParts) {
    this.#agenda = agenda;
    this.#network = network;
    this.#services = services;
    this.#seed = seed;
    this.#stockOuts = stockOuts;
  }

  get nextNumber(): number {
    return this.#nextNumber;
  }

  /** Returns the existing nodes. */
  all(): Iterable<SimNode> {
    return this.#byId.values();
  }

  /**
   * Returns the node with this ID.
   *
   * @throws ForbiddenAction if the node does not exist
   */
  existing(id: string): SimNode {
    const node = this.#byId.get(id);
    if (node === undefined) throw new ForbiddenAction(`there is no node ${id}`);
    return node;
  }

  soldOutUntil(type: string): number | null {
    const until = this.#soldOutUntil.get(type) ?? 0;
    return until > this.#agenda.now ? until : null;
  }

  order({ node: id, type: name }: Pick<ActionOf<'order'>, 'node' | 'type'>): void {
    const { now } = this.#agenda;
    const type = this.#network.nodeTypes.find((one) => one.type === name);
    if (type === undefined || id !== `node-${this.#nextNumber}`)
      throw new ForbiddenAction(`order ${id}, ${name}`);
    this.#nextNumber += 1;
    if (this.#stockOuts.some((out) => out.type === name && out.from <= now && now < out.to)) {
      this.counts.refused += 1;
      this.#soldOutUntil.set(name, now + SOLD_OUT_PAUSE_MS);
      return;
    }
    this.counts.orders += 1;
    this.#boot(this.#add(id, type));
  }

  drain(id: string): void {
    const node = this.existing(id);
    if (node.state !== 'READY') throw new ForbiddenAction(`drain ${id}, which is ${node.state}`);
    this.counts.drains += 1;
    node.state = 'DRAINING';
    node.drainedByRules = true;
  }

  resume(id: string): void {
    const node = this.existing(id);
    if (!node.drainedByRules) throw new ForbiddenAction(`resume ${id}, which is ${node.state}`);
    this.counts.resumes += 1;
    node.state = 'READY';
    node.drainedByRules = false;
  }

  /**
   * Releases a node.
   *
   * @throws ForbiddenAction if the node still has services that can be reached
   */
  release(id: string): void {
    const node = this.existing(id);
    if (node.services.size > 0 && node.state !== 'LOST')
      throw new ForbiddenAction(`release ${id} with services`);
    if (node.state === 'DELETING') throw new ForbiddenAction(`release ${id} twice`);
    this.counts.releases += 1;
    node.state = 'DELETING';
    for (const service of [...node.services]) this.#services.loseWithNode(service);
    this.#agenda.enterIn(this.#network.nodeDeleteMs, () => {
      node.deletedAt = this.#agenda.now;
      this.#byId.delete(id);
    });
  }

  #add(id: string, type: NodeType): SimNode {
    const node: SimNode = {
      id,
      type,
      orderedAt: this.#agenda.now,
      services: new Set(),
      state: 'ORDERED',
      silent: false,
      drainedByRules: false,
      allocatedMb: 0,
      inUse: 0,
      deletedAt: null,
    };
    this.#byId.set(id, node);
    this.log.push(node);
    return node;
  }

  #boot(node: SimNode): void {
    const random = new Random(this.#seed, node.id);
    const { from, to } = this.#network.nodeBootMs;
    const move = (expected: SimNode['state'], next: SimNode['state']) => () => {
      if (node.state === expected && !node.silent) node.state = next;
    };
    this.#agenda.enterIn(Math.min(ORDERED_MS, from), move('ORDERED', 'BOOTING'));
    this.#agenda.enterIn(random.uniform(from, to), move('BOOTING', 'READY'));
    if (this.#network.nodeLifeMs === null) return;
    this.#agenda.enterIn(random.exponential(this.#network.nodeLifeMs), () => this.#lose(node));
  }

  #lose(node: SimNode): void {
    if (node.deletedAt !== null || node.state === 'DELETING') return;
    this.counts.lost += 1;
    node.silent = true;
    for (const service of [...node.services]) this.#services.silence(service);
    this.#agenda.enterIn(this.#network.lossGraceMs, () => {
      if (node.state === 'DELETING') return;
      node.state = 'LOST';
      node.drainedByRules = false;
    });
  }
}

interface NodesParts {
  readonly agenda: Agenda;
  readonly network: NetworkModel;
  readonly services: Services;
  readonly seed: number;
  readonly stockOuts: readonly StockOut[];
}
