import { isDeepStrictEqual } from 'node:util';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { NodeRegistry } from '#master/nodes/node.ts';
import type { ServiceLocation } from '#master/runtime/runtime.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { RecordStore, Recovery } from './record-store.ts';
import type { ServiceRecord } from './records.ts';

interface AdoptionsOptions {
  readonly records: Pick<RecordStore, 'isRecovering' | 'recovery' | 'get'>;
  readonly registry: Pick<NodeRegistry, 'nodes' | 'listed'>;
  /** Id of the node that is the master's own machine. Its reports are trusted. */
  readonly ownNode: NodeId;
}

/**
 * Decides which node may report about which service. An attacker may control a node, so a node may report only about
 * services that the master has placed on it.
 *
 * The one exception is a master that started without any stored state (docs/adr/0009). Such a master adopts services
 * without a record. But the node must have existed when the provider first listed the nodes, and only the first
 * answer of each node counts. If the master restarts before all nodes have answered, it continues in this way. A
 * service with a record always belongs to the node in its record.
 */
export class Adoptions {
  readonly #options: AdoptionsOptions;
  /**
   * Nodes that existed when the provider first listed the nodes, since the master started without state. Null until
   * then.
   */
  #existing: ReadonlySet<NodeId> | null;
  /** Nodes whose first answer was processed, since the master started without state. */
  readonly #everObserved: Set<NodeId>;
  /**
   * Whether each node that existed has answered or no longer exists. This stays so if the list of nodes is unknown
   * later.
   */
  #isComplete = false;
  /** Nodes of which an answer was processed since this master started. */
  readonly #observed = new Set<NodeId>();

  constructor(options: AdoptionsOptions) {
    this.#options = options;
    const { existing = null, observed = [] } = options.records.recovery ?? {};
    this.#existing = existing === null ? null : new Set(existing);
    this.#everObserved = new Set(observed);
  }

  /** Reports whether a node is the master's own machine. */
  isOwn(node: NodeId): boolean {
    return node === this.#options.ownNode;
  }

  /** Reports whether a running service without a record is adopted from this node. */
  mayTakeOver(node: NodeId): boolean {
    const { records } = this.#options;
    if (this.isOwn(node)) return true;
    return records.isRecovering && !this.#everObserved.has(node) && this.#mayHaveExisted(node);
  }

  /**
   * Reports whether to store data of services that this master never placed on the node. Like {@link mayTakeOver},
   * this requires a master without stored state, and a node that existed when the provider first listed the nodes.
   * Unlike {@link mayTakeOver}, it stays true after the node's first answer, because the first attempt to save may
   * fail.
   */
  mayHandOver(node: NodeId): boolean {
    const { records } = this.#options;
    if (this.isOwn(node)) return true;
    return records.isRecovering && this.#mayHaveExisted(node);
  }

  /**
   * Decides whether a node may report about a service, for example send its log.
   *
   * @returns `here` if the node may report about the service, `elsewhere` if the service belongs to another node,
   *   `nowhere` if the service is unknown
   */
  whereIs(service: ServiceId, from: NodeId): ServiceLocation {
    const record = this.#options.records.get(service);
    if (record !== undefined) return isPlacedOn(record, from) ? 'here' : 'elsewhere';
    return this.mayTakeOver(from) ? 'here' : 'nowhere';
  }

  /** Records that the answers of these nodes have been processed. It is stored with the next save of the records. */
  nodesAnswered(nodes: Iterable<NodeId>): void {
    for (const node of nodes) {
      this.#observed.add(node);
      this.#everObserved.add(node);
    }
    const { records } = this.#options;
    if (!records.isRecovering || this.#isComplete) return;
    const existing = this.#known();
    this.#isComplete = existing !== null && !this.#isAwaiting(existing);
    const recovery = this.#isComplete ? undefined : this.#recoveryOf(existing);
    if (!isDeepStrictEqual(recovery, records.recovery)) records.recovery = recovery;
  }

  #recoveryOf(existing: ReadonlySet<NodeId> | null): Recovery {
    const observed = [...this.#everObserved];
    return {
      existing: existing === null ? null : [...existing],
      observed: existing === null ? observed : observed.filter((id) => existing.has(id)),
    };
  }

  /** Reports whether an answer of the node has been processed since the master started. */
  hasObserved(node: NodeId): boolean {
    return this.#observed.has(node);
  }

  #mayHaveExisted(node: NodeId): boolean {
    return this.#known()?.has(node) !== false;
  }

  /** Returns the nodes that existed when the provider first listed the nodes; null until then. */
  #known(): ReadonlySet<NodeId> | null {
    const { registry } = this.#options;
    if (this.#existing === null && registry.listed())
      this.#existing = new Set(registry.nodes().map(({ id }) => id));
    return this.#existing;
  }

  /** Reports whether any of these nodes still exists but has not been observed. */
  #isAwaiting(existing: ReadonlySet<NodeId>): boolean {
    const { registry } = this.#options;
    const isAwaited = (id: NodeId): boolean => existing.has(id) && !this.#everObserved.has(id);
    return !registry.listed() || registry.nodes().some(({ id }) => isAwaited(id));
  }
}

/**
 * Reports whether a service is placed on a node. If the service has no node now, reports whether the given node was
 * its last one: a lost node that comes back in time still runs the service.
 *
 * Example: a service without a node that was last on node-1 → true for node-1, false for node-2.
 */
export function isPlacedOn({ node, wasOn }: Pick<ServiceRecord, 'node' | 'wasOn'>, place: NodeId): boolean {
  return (node ?? wasOn) === place;
}
