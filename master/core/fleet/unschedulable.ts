import type { TemplateId } from '#shared/model/template.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { ServiceToPlace } from '../placement/choose-node.ts';
import type { NodeCapacities } from '../placement/node-capacities.ts';
import type { NodeId, Offer, Snapshot, StartBackoff } from '../snapshot/snapshot.ts';
import { backoffOf } from '../placement/node-backoff.ts';

/**
 * Returns the RAM of the largest node that exists or may be ordered (MB). A service that needs more can never start.
 * Returns Infinity if there is neither a node nor an offer: services then wait for the missing node, not because of
 * their size.
 *
 * Example: a node with 7,168 MB and an offer of 15,360 MB → 15,360.
 */
export function largestNodeMb(offers: readonly Offer[], { nodes }: Snapshot): number {
  const places = [...offers, ...nodes];
  return places.length === 0 ? Infinity : places.reduce((most, { ramMb }) => Math.max(most, ramMb), 0);
}

/** Returns the wait reason of a service for which a node is ordered or booting. */
export function waitForNode({ service }: ServiceToPlace, node: NodeId): Wait {
  const message = `${service.id} needs ${service.ramMb} MB. ${node}, which will have room for it, is starting.`;
  return { reason: 'NODE_ON_ITS_WAY', message, until: null };
}

/** Returns the wait reason of a service that waits for an unreachable node. No node is ordered for such a service. */
export function waitForUnreachableNode({ service }: ServiceToPlace, node: NodeId): Wait {
  const message = `${service.id} needs ${service.ramMb} MB; ${node}, which has room for it, cannot be reached at the moment. The service starts there once the node is reachable, or on another node if it stays unreachable.`;
  return { reason: 'NODE_ON_ITS_WAY', message, until: null };
}

/**
 * Returns the wait reason of a service that fits on a node where earlier starts failed. The start is retried there.
 */
export function waitForRetry(
  { service }: ServiceToPlace,
  node: NodeId,
  { template, retryAt, reason }: StartBackoff,
): Wait {
  const what = template === service.template ? 'its template' : 'other templates';
  const message = `${service.id} needs ${service.ramMb} MB. ${node} has room for it, but the last starts of ${what} failed there, so it is retried there later, or immediately on another node with room. ${reason}`;
  return { reason: 'BACKING_OFF', message, until: retryAt };
}

/** Explains why no node is ordered for a service: every type that may be ordered is too small. */
export function waitForLargerType({ service, template }: ServiceToPlace, largestOfferMb: number): Wait {
  const message = `${service.id} needs ${service.ramMb} MB, but the largest node that may be ordered has ${largestOfferMb} MB. Lower maxJvmMemory of template ${template.id}, or allow larger server types.`;
  return { reason: 'TOO_BIG', message, until: null };
}

function tooBigForAll({ service, template }: ServiceToPlace, largestMb: number): Wait {
  const message = `${service.id} needs ${service.ramMb} MB, but the largest node has ${largestMb} MB in all. Lower maxJvmMemory of template ${template.id}, or allow larger nodes.`;
  return { reason: 'TOO_BIG', message, until: null };
}

const JAVA_MISSING: Wait = {
  reason: 'JAVA_MISSING',
  message:
    'No node has a Java runtime. Install one there (for example: apt-get install default-jre-headless).',
  until: null,
};

/** State of the nodes after a round's starts are placed. */
export interface UnschedulableContext {
  readonly largestMb: number;
  readonly capacities: NodeCapacities;
  readonly configureMode: boolean;
  readonly nodes: Snapshot['nodes'];
  readonly now: number;
  /** Why no node is ordered; null otherwise. */
  readonly noOrder: Wait | null;
  /** Templates whose services are being replaced. */
  readonly rolling: ReadonlySet<TemplateId>;
}

/** Explains why a service that fits on no open node keeps waiting, and what a person can do. */
export function explainUnschedulable(candidate: ServiceToPlace, context: UnschedulableContext): Wait {
  const { service, template } = candidate;
  const { largestMb, capacities, configureMode, noOrder, nodes } = context;
  const { ramMb } = service;
  if (ramMb > largestMb) return tooBigForAll(candidate, largestMb);
  if (capacities.openCount > 0 && capacities.usableCount(template.bringsJava) === 0) return JAVA_MISSING;
  const retry = findRetry(candidate, context);
  if (retry !== null) {
    const more = noOrder === null ? '' : ` ${noOrder.message}`;
    return { ...retry, message: `${retry.message}${more}` };
  }
  if (noOrder !== null) return noOrder;
  const none = configureMode ? ' No nodes are ordered while configure mode is on.' : '';
  if (capacities.openCount === 0) {
    return { reason: 'NO_NODE', message: `${noOpenNode(nodes)}${none}`, until: null };
  }
  const free = capacities.mostFreeMb(template.bringsJava);
  const message = `It needs ${ramMb} MB, but at most ${free} MB are free on a node. It starts when services stop.${none}${rollingHint(template.id, context)}`;
  return { reason: 'RAM_FULL', message, until: null };
}

/**
 * Describes the first retry on a node that has room but is in back-off after failed starts. Null if there is no such
 * node.
 */
function findRetry(candidate: ServiceToPlace, { capacities, nodes, now }: UnschedulableContext): Wait | null {
  const { service, template } = candidate;
  const usable = new Set(
    capacities
      .all()
      .filter(({ freeMb, hasJava }) => freeMb >= service.ramMb && (hasJava || template.bringsJava))
      .map(({ node }) => node),
  );
  const [first] = nodes
    .flatMap((node) => {
      const backoff = usable.has(node.id) ? backoffOf(node, template.id, now) : null;
      return backoff === null ? [] : [{ id: node.id, backoff }];
    })
    .sort((a, b) => a.backoff.retryAt - b.backoff.retryAt || (a.id < b.id ? -1 : 1));
  return first === undefined ? null : waitForRetry(candidate, first.id, first.backoff);
}

/**
 * Returns a hint for templates with a rolling restart: the old service stops only when its replacement is ready,
 * and the replacement needs room.
 */
function rollingHint(id: TemplateId, { rolling }: UnschedulableContext): string {
  if (!rolling.has(id)) return '';
  return ` A rolling restart of template ${id} is running, which needs room for one more service: stop one of them, or restart them one by one.`;
}

/**
 * Explains that no node accepts services. Lists the nodes that people took out of use, because resuming one of them
 * solves the problem.
 */
function noOpenNode(nodes: Snapshot['nodes']): string {
  const aside = nodes.flatMap(({ id, state, held, silent }) => {
    if (state === 'DRAINING') return [`${id} is being drained`];
    if (state === 'CORDONED') return [`${id} accepts no new services`];
    if (state !== 'READY') return [];
    if (held) return [`automation of ${id} is paused`];
    return silent === false ? [] : [`${id} cannot be reached`];
  });
  aside.sort();
  if (aside.length === 0) return 'No node accepts services now.';
  const more = aside.length > 3 ? `, and ${aside.length - 3} more` : '';
  return `No node accepts services now: ${aside.slice(0, 3).join(', ')}${more}.`;
}
