import type { Action, ActionOf } from '#master/core/action.ts';
import type { ServiceSnapshot, Snapshot, TemplateSnapshot } from '#master/core/snapshot/snapshot.ts';
import { serviceIdOf } from '#shared/model/service.ts';
import type { Planner } from '../simulate.ts';

/** How many services of each template there are to be, and which of them end. */
export type ServiceRules = (snapshot: Snapshot) => readonly (ActionOf<'request'> | ActionOf<'stop'>)[];

/** Where services start, and which nodes there are. May end services on a node that it empties. */
export type NodeRules = (snapshot: Snapshot) => readonly Exclude<Action, ActionOf<'request'>>[];

/** A policy made of rules for services and rules for nodes. */
export function combine(services: ServiceRules, nodes: NodeRules): Planner {
  return (snapshot) => {
    const first = services(snapshot);
    const stopped = new Set(first.flatMap((action) => (action.kind === 'stop' ? [action.service] : [])));
    const left = snapshot.services.filter(({ id }) => !stopped.has(id) || !isWaiting(snapshot, id));
    // What is withdrawn in this round is not placed in the same round.
    const second = nodes({ ...snapshot, services: left }).filter(
      (action) => !('service' in action) || !stopped.has(action.service),
    );
    return { actions: [...first, ...second] };
  };
}

function isWaiting({ services }: Snapshot, id: ServiceSnapshot['id']): boolean {
  return services.some((service) => service.id === id && service.node === null);
}

export function requests(template: TemplateSnapshot, count: number, cause: string): ActionOf<'request'>[] {
  return Array.from({ length: Math.max(0, count) }, (_, i) => ({
    kind: 'request',
    service: serviceIdOf(template.id, template.nextNumber + i),
    template: template.id,
    cause,
  }));
}

/** Services by template; those being stopped are left out. */
export function byTemplate({ services }: Snapshot): ReadonlyMap<string, readonly ServiceSnapshot[]> {
  const groups = new Map<string, ServiceSnapshot[]>();
  for (const service of services) {
    if (service.stopping) continue;
    const group = groups.get(service.template);
    if (group === undefined) groups.set(service.template, [service]);
    else group.push(service);
  }
  return groups;
}

/** Ids of nodes that are being emptied. */
export function leavingNodes({ nodes }: Snapshot): ReadonlySet<string | null> {
  return new Set(nodes.filter(({ state }) => state === 'DRAINING').map(({ id }) => id));
}
