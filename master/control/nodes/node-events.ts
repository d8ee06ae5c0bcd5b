import type { NodeId } from '#master/core/snapshot/snapshot.ts';
import type { ForeignServer } from '#shared/model/foreign-server.ts';
import type { NodeInfo, NodeRegistry } from '#master/nodes/node.ts';
import type { EventLog } from '#master/store/event-log.ts';
import { emitNodeEvent, type NodeEvent } from '#master/state/feed/emit-event.ts';

type Known = Pick<NodeInfo, 'state' | 'note' | 'address' | 'hasJava'>;

/** Writes events for nodes that become ready, are lost, come back, or disappear without an action of the master. */
export class NodeEvents {
  readonly #events: EventLog;
  readonly #now: () => number;
  /** Nodes of the previous call. Null before the first call, which reports no events. */
  #known: ReadonlyMap<NodeId, Known> | null = null;
  #trouble: string | null = null;
  #foreign: readonly ForeignServer[] = [];

  constructor(events: EventLog, now: () => number) {
    this.#events = events;
    this.#now = now;
  }

  /**
   * Compares the nodes with those of the previous call, and writes events. Call it in every round. Releases by this
   * master are not reported here, because the code that carries out a release reports it.
   *
   * @returns true if anything that the app displays has changed
   */
  see(registry: Pick<NodeRegistry, 'nodes' | 'trouble' | 'hasReleased' | 'foreignServers'>): boolean {
    const before = this.#known;
    const trouble = registry.trouble();
    const isOtherTrouble = trouble !== this.#trouble;
    this.#trouble = trouble;
    const foreign = registry.foreignServers();
    const isOtherForeign = foreign !== this.#foreign;
    this.#foreign = foreign;
    const nodes = registry.nodes();
    this.#known = new Map(nodes.map((node) => [node.id, node]));
    if (before === null) return true;
    const events = [
      ...nodes.flatMap((node) => this.#becomes(node, before.get(node.id))),
      ...[...before].flatMap(([id, was]) =>
        this.#known?.has(id) === true || registry.hasReleased(id) ? [] : vanished(id, was),
      ),
    ];
    for (const [node, happening] of events) emitNodeEvent(this.#events, node, happening);
    return (
      isOtherTrouble ||
      isOtherForeign ||
      before.size !== nodes.length ||
      nodes.some((node) => isOther(node, before.get(node.id)))
    );
  }

  #becomes(node: NodeInfo, before: Known | undefined): [NodeId, NodeEvent][] {
    const { id, state, rental, location } = node;
    if (before?.state === state) return [];
    if (state === 'LOST') {
      const cause = node.note ?? 'it can no longer be reached';
      return [
        [id, { kind: 'node.lost', message: `${id} is lost; its services start on other nodes`, cause }],
      ];
    }
    if (state !== 'READY') return [];
    if (before?.state === 'LOST') {
      return [
        [id, { kind: 'node.ready', message: `${id} is reachable again`, cause: 'the master reached it' }],
      ];
    }
    if (rental === null) return [];
    const seconds = Math.round((this.#now() - rental.since) / 1000);
    const message = `${id} is ready and accepts services: ${rental.type} in ${location ?? 'an unknown place'}`;
    return [[id, { kind: 'node.ready', message, cause: `it was ready ${seconds} s after the order` }]];
  }
}

function isOther(a: Known, b: Known | undefined): boolean {
  return a.state !== b?.state || a.note !== b.note || a.address !== b.address || a.hasJava !== b.hasJava;
}

/**
 * Returns the event for a node that no longer exists. Returns an empty list if the node was being deleted or had only
 * been ordered, because other code reports these cases.
 */
function vanished(id: NodeId, { state }: Known): [NodeId, NodeEvent][] {
  if (state === 'DELETING' || state === 'ORDERED') return [];
  const cause = "it was deleted outside of Overworld, for example in the provider's console";
  return [[id, { kind: 'node.lost', message: `${id} no longer exists`, cause }]];
}
