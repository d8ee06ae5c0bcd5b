import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { NodeRegistry } from '#master/nodes/node.ts';
import type { ServiceLocation } from '#master/runtime/runtime.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { RecordStore } from './record-store.ts';
import type { ServiceRecord } from './records.ts';

interface AdoptionsOptions {
  readonly records: Pick<RecordStore, 'wasEmpty' | 'get'>;
  readonly registry: Pick<NodeRegistry, 'nodes' | 'listed'>;
  /** The master's own machine. Its reports are trusted. */
  readonly ownNode: NodeId;
}

/**
 * Decides which node may make statements about which service. A node speaks only for services that the master has
 * placed on it, because it may be under an attacker's control.
 *
 * The one exception is a master that started without any state (docs/adr/0009). It adopts services without a record
 * from each node that existed when the provider first listed them, with that node's first answer. A service with a
 * record always belongs where its record says.
 */
export class Adoptions {
  readonly #options: AdoptionsOptions;
  /** Nodes that have not answered yet. Null while the nodes are not known. */
  #unheard: Set<NodeId> | null = null;
  readonly #heard = new Set<NodeId>();

  constructor(options: AdoptionsOptions) {
    this.#options = options;
  }

  /** Reports whether a living service without a record is adopted from this node. */
  mayTakeOver(node: NodeId): boolean {
    const { records, ownNode } = this.#options;
    if (node === ownNode) return true;
    return records.wasEmpty && (this.#awaited()?.has(node) ?? !this.#heard.has(node));
  }

  /**
   * Decides whether this node may make statements about a service, such as its log.
   *
   * @returns `here` if it may, `elsewhere` if the service belongs to another node, `nowhere` if it is unknown
   */
  whereIs(service: ServiceId, from: NodeId): ServiceLocation {
    const record = this.#options.records.get(service);
    if (record !== undefined) return isPlacedOn(record, from) ? 'here' : 'elsewhere';
    return this.mayTakeOver(from) ? 'here' : 'nowhere';
  }

  /** Records that the answers of these nodes have been processed. */
  nodesAnswered(nodes: Iterable<NodeId>): void {
    for (const node of nodes) {
      this.#heard.add(node);
      this.#unheard?.delete(node);
    }
  }

  /** Reports whether an answer of the node has been processed since the master started. */
  hasObserved(node: NodeId): boolean {
    return this.#heard.has(node);
  }

  #awaited(): ReadonlySet<NodeId> | null {
    const { registry } = this.#options;
    if (this.#unheard === null && registry.listed()) {
      const ids = registry.nodes().map(({ id }) => id);
      this.#unheard = new Set(ids.filter((id) => !this.#heard.has(id)));
    }
    return this.#unheard;
  }
}

/**
 * Reports whether the master has placed the service on this node, or had it there last. A lost node that comes back
 * in time still runs it.
 *
 * Example: a service without a node that was last on node-1 → true for node-1, false for node-2.
 */
export function isPlacedOn({ node, wasOn }: Pick<ServiceRecord, 'node' | 'wasOn'>, place: NodeId): boolean {
  return (node ?? wasOn) === place;
}
