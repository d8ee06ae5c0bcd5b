import type { Action, ActionOf } from '#master/core/action.ts';
import type { ServiceSnapshot, Snapshot, TemplateSnapshot } from '#master/core/snapshot/snapshot.ts';
import { serviceIdOf } from '#shared/model/service.ts';
import type { Planner } from '../simulate.ts';

/** Decides how many services of each template exist, and which services are stopped. */
export type ServiceRules = (snapshot: Snapshot) => readonly (ActionOf<'request'> | ActionOf<'stop'>)[];

/** Decides on which nodes services start, and which nodes exist. May stop services on a node that it drains. */
export type NodeRules = (snapshot: Snapshot) => readonly Exclude<Action, ActionOf<'request'>>[];

/** Combines rules for services and rules for nodes into one policy. */
export function combine(services: ServiceRules, nodes: NodeRules): Planner {
  return (snapshot) => {
    const first = services(snapshot);
    const stopped = new Set(first.flatMap((action) => (action.kind === 'stop' ? [action.service] : [])));
    const left = snapshot.services.filter(({ id }) => !stopped.has(id) || !isWaiting(snapshot, id));
    // If `services` stops a requested service in this round, `nodes` must not start it.
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

/** Groups services by template. Leaves out services that are stopping. */
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

/** Returns the IDs of the draining nodes. */
export function leavingNodes({ nodes }: Snapshot): ReadonlySet<string | null> {
  return new Set(nodes.filter(({ state }) => state === 'DRAINING').map(({ id }) => id));
}
