import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { Provider } from '#master/nodes/provider.ts';
import type { Whereabouts } from '#master/runtime/runtime.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { RecordStore } from './record-store.ts';
import type { ServiceRecord } from './records.ts';

interface AdoptionsOptions {
  readonly records: Pick<RecordStore, 'wasEmpty' | 'get'>;
  readonly provider: Pick<Provider, 'nodes' | 'listed'>;
  /** The master's own machine, whose word is the master's own. */
  readonly ownNode: NodeId;
}

/**
 * Whose word counts about which service. A node speaks of services that the master has placed on it, and of no others:
 * it may be in the hands of somebody who would like to have them.
 *
 * The one exception is a master that began without any state (docs/adr/0009). It takes over what runs without a record, from
 * each node that was there when its provider first listed them, with the first answer that it hears of that node. Whatever
 * has a record is where the record says, also then.
 */
export class Adoptions {
  readonly #options: AdoptionsOptions;
  /** Nodes whose first answer is still to come; null while it is not known which nodes there are. */
  #unheard: Set<NodeId> | null = null;
  readonly #heard = new Set<NodeId>();

  constructor(options: AdoptionsOptions) {
    this.#options = options;
  }

  /** Whether a living service that has no record is taken over from this node. */
  mayTakeOver(node: NodeId): boolean {
    const { records, ownNode } = this.#options;
    if (node === ownNode) return true;
    return records.wasEmpty && (this.#awaited()?.has(node) ?? !this.#heard.has(node));
  }

  /** Whether this node may say anything of a service, such as what it writes. */
  whereIs(service: ServiceId, from: NodeId): Whereabouts {
    const record = this.#options.records.get(service);
    if (record !== undefined) return isPlacedOn(record, from) ? 'here' : 'elsewhere';
    return this.mayTakeOver(from) ? 'here' : 'nowhere';
  }

  /** What these nodes said has been acted on. */
  heard(nodes: Iterable<NodeId>): void {
    for (const node of nodes) {
      this.#heard.add(node);
      this.#unheard?.delete(node);
    }
  }

  /** The node has answered at least once since the master started, and its answer was acted on. */
  hasObserved(node: NodeId): boolean {
    return this.#heard.has(node);
  }

  #awaited(): ReadonlySet<NodeId> | null {
    const { provider } = this.#options;
    if (this.#unheard === null && provider.listed()) {
      const ids = provider.nodes().map(({ id }) => id);
      this.#unheard = new Set(ids.filter((id) => !this.#heard.has(id)));
    }
    return this.#unheard;
  }
}

/** The master has sent the service to this node, or had it there last: a lost node that came back in time still has it. */
export function isPlacedOn({ node, wasOn }: Pick<ServiceRecord, 'node' | 'wasOn'>, place: NodeId): boolean {
  return (node ?? wasOn) === place;
}
