import type { Wait } from '#shared/model/wait.ts';
import { whyVolumeWaits } from '../volumes/volume-wait.ts';
import type { NodeCapacity } from './capacity-list.ts';
import type { NodeCapacities } from './node-capacities.ts';
import type { NodeId, ServiceSnapshot, TemplateSnapshot, VolumeSnapshot } from '../snapshot/snapshot.ts';

/**
 * Result of placing a service: the node on which it starts, the reason why it waits, or `unschedulable` if no open
 * node has room.
 */
export type Placing =
  | { readonly kind: 'node'; readonly capacity: NodeCapacity }
  | { readonly kind: 'wait'; readonly wait: Wait }
  | { readonly kind: 'unschedulable' };

/** A requested service that needs a node. */
export interface ServiceToPlace {
  readonly service: ServiceSnapshot;
  readonly template: TemplateSnapshot;
  /** Volume of the service. Undefined if it has none yet. */
  readonly volume: VolumeSnapshot | undefined;
}

/**
 * Chooses a node for one requested service: the node with the least free RAM that is enough (best fit, so that other
 * nodes can become empty), ties by id. A node whose disk has data of the service's volume is preferred, if it has
 * enough RAM. RAM is never over-committed. The service waits while it or its template is paused, while its template
 * or volume cannot be used, and while the nodes with room have no start budget left. See
 * docs/scaling.md#placement-best-fit.
 *
 * Example: a service of 4,471 MB with 2,697, 5,769 and 7,168 MB free → the node with 5,769 MB.
 *
 * @param closed nodes on which starts of the template failed recently
 */
export function placeService(
  { service, template, volume }: ServiceToPlace,
  {
    capacities,
    closed,
    now,
  }: { readonly capacities: NodeCapacities; readonly closed: ReadonlySet<NodeId>; readonly now: number },
): Placing {
  const blocked = heldBack(service, template) ?? whyTemplateWaits(template, now) ?? whyVolumeWaits(volume);
  if (blocked !== null) return { kind: 'wait', wait: blocked };
  if (capacities.mostFreeMb(template.bringsJava, closed) < service.ramMb) return { kind: 'unschedulable' };
  const cached = volume?.cachedOn ?? null;
  const capacity =
    (cached === null || closed.has(cached)
      ? undefined
      : capacities.on(cached, service.ramMb, template.bringsJava)) ??
    capacities.bestFit(service.ramMb, template.bringsJava, closed);
  return capacity === undefined ? { kind: 'wait', wait: START_BUDGET } : { kind: 'node', capacity };
}

const START_BUDGET: Wait = {
  reason: 'START_BUDGET',
  message: 'Other services are starting on its node. It is next.',
  until: null,
};

/**
 * Returns whether a paused service or template keeps a service from starting. A paused service whose restart a person
 * requested still restarts: the person asked for both, so the service restarts and stays paused. A paused template
 * does not keep a service from starting that a person has requested, and that was not up yet.
 */
export function pausedBy(
  { held, restarting, manual, wasUp }: Pick<ServiceSnapshot, 'held' | 'restarting' | 'manual' | 'wasUp'>,
  template: Pick<TemplateSnapshot, 'held'>,
): 'service' | 'template' | null {
  if (held && !restarting) return 'service';
  return template.held && (!manual || wasUp === true) ? 'template' : null;
}

function heldBack(service: ServiceSnapshot, template: TemplateSnapshot): Wait | null {
  const by = pausedBy(service, template);
  if (by === 'service') {
    const message = `Automation of ${service.id} is paused, so no rule starts it. Resume automation to let it start.`;
    return { reason: 'HELD', message, until: null };
  }
  if (by === 'template') {
    const message = `Automation of template ${template.id} is paused, so no rule starts its services. Resume automation to let this one start.`;
    return { reason: 'HELD', message, until: null };
  }
  return null;
}

/**
 * Reports whether the service cannot start until a person acts: automation of the service or of its template is paused,
 * or the template's files cannot be used.
 *
 * @param now ms since epoch
 */
export function waitsForPerson(service: ServiceSnapshot, template: TemplateSnapshot, now: number): boolean {
  const wait = heldBack(service, template) ?? whyTemplateWaits(template, now);
  return wait !== null && NEED_A_PERSON.has(wait.reason);
}

const NEED_A_PERSON: ReadonlySet<Wait['reason']> = new Set<Wait['reason']>([
  'HELD',
  'TEMPLATE_UNREADABLE',
  'SERVER_JAR_MISSING',
]);

/**
 * Returns why no service of the template can start, even if nodes have room: its files cannot be used, or it is in
 * back-off after failed starts. Null if neither applies.
 *
 * @param now ms since epoch
 */
export function whyTemplateWaits(template: TemplateSnapshot, now: number): Wait | null {
  if (template.problem !== null) {
    const message = `The files of template ${template.id} cannot be used: ${template.problem} Services start automatically once this is corrected.`;
    return { reason: 'TEMPLATE_UNREADABLE', message, until: null };
  }
  if (!template.hasJar && !template.changing) {
    const message = `Template ${template.id} has no server.jar. Upload one into its folder; the service then starts automatically.`;
    return { reason: 'SERVER_JAR_MISSING', message, until: null };
  }
  if (template.changing || template.revision === null) {
    const message = `The files of template ${template.id} are being written. The service starts once no file has changed for a moment.`;
    return { reason: 'FILES_CHANGING', message, until: null };
  }
  if (template.retryAt !== null && template.retryAt > now) {
    const message = `The last start of template ${template.id} failed. It is retried shortly.`;
    return { reason: 'BACKING_OFF', message, until: template.retryAt };
  }
  return null;
}
