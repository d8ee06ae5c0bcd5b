import type { ServiceId, Wait } from '#shared/model/service.ts';
import type { Action, Plan } from './action.ts';
import { allocatedMb } from './capacity.ts';
import { placeService, type Room } from './placement.ts';
import { planScaling } from './scaling.ts';
import type { NodeSnapshot, ServiceSnapshot, Snapshot, TemplateSnapshot } from './snapshot.ts';

/**
 * Decides what one round does: stops what nobody needs, requests what is missing, starts what is requested and
 * fits. Templates with a smaller `priority` come first (spec 2.1), ties by id; services of a template oldest first.
 *
 * @returns actions in the order in which they are to be begun, and a reason for each requested service left alone
 * Promise: for constant load, planning what this plan leads to gives an empty plan.
 */
export function plan(snapshot: Snapshot): Plan {
  const templates = [...snapshot.templates].sort(byPriority);
  const scalings = templates.map((template) => planScaling(template, snapshot));
  const stops = [...planDeserted(snapshot), ...scalings.flatMap((scaling) => scaling.stops)];
  const requests = scalings.flatMap((scaling) => scaling.requests);
  const stopped = new Set(stops.map((stop) => stop.service));
  const { starts, waiting } = planStarts(snapshot, templates, stopped);
  return { actions: [...stops, ...requests, ...starts], waiting };
}

/** Services whose template is gone (deleted by hand): ended once nobody uses them. */
function planDeserted({ services, templates }: Snapshot): Extract<Action, { kind: 'stop' }>[] {
  const known = new Set(templates.map((template) => template.id));
  return services
    .filter((service) => !known.has(service.template) && !service.stopping && service.state !== 'IN_USE')
    .map(({ id, template }) => ({ kind: 'stop', service: id, cause: `template ${template} was deleted` }));
}

/** Services requested in this round are placed in the next: a request is on disk before anything is done for it. */
function planStarts(
  snapshot: Snapshot,
  templates: readonly TemplateSnapshot[],
  stopped: ReadonlySet<ServiceId>,
): { starts: Extract<Action, { kind: 'start' }>[]; waiting: Map<ServiceId, Wait> } {
  const rooms = snapshot.nodes.map((node) => roomOf(node, snapshot.services));
  const starts: Extract<Action, { kind: 'start' }>[] = [];
  const waiting = new Map<ServiceId, Wait>();
  for (const template of templates) {
    for (const service of requestedServices(snapshot, template, stopped)) {
      const placing = placeService(service, template, { snapshot, rooms });
      if (placing.kind === 'wait') {
        waiting.set(service.id, placing.wait);
        continue;
      }
      const { room } = placing;
      const cause = `priority ${template.config.priority}; ${service.ramMb} of ${room.freeMb} MB free on ${room.node.id}`;
      room.freeMb -= service.ramMb;
      room.startsLeft -= 1;
      starts.push({ kind: 'start', service: service.id, node: room.node.id, cause });
    }
  }
  return { starts, waiting };
}

function requestedServices(
  snapshot: Snapshot,
  template: TemplateSnapshot,
  stopped: ReadonlySet<ServiceId>,
): ServiceSnapshot[] {
  return snapshot.services
    .filter(
      (service) =>
        service.template === template.id &&
        service.state === 'REQUESTED' &&
        !service.stopping &&
        !stopped.has(service.id),
    )
    .sort((a, b) => a.requestedAt - b.requestedAt || (a.id < b.id ? -1 : 1));
}

function roomOf(node: NodeSnapshot, services: readonly ServiceSnapshot[]): Room {
  const starting = services.filter(
    (service) => service.node === node.id && (service.state === 'PREPARING' || service.state === 'STARTING'),
  );
  return {
    node,
    freeMb: node.ramMb - allocatedMb(node, services),
    startsLeft: node.startBudget - starting.length,
  };
}

function byPriority(a: TemplateSnapshot, b: TemplateSnapshot): number {
  return a.config.priority - b.config.priority || (a.id < b.id ? -1 : 1);
}
