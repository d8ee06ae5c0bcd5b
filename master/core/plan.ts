import type { ServiceId } from '#shared/model/service.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { Action, Plan } from './action.ts';
import { takeCensus, type Census } from './census.ts';
import { placeService } from './placement.ts';
import { Rooms } from './rooms.ts';
import { planScaling } from './scaling.ts';
import type { ServiceSnapshot, Snapshot, TemplateSnapshot } from './snapshot.ts';

/**
 * Decides what one round does: stops what nobody needs, requests what is missing, starts what is requested and
 * fits. Templates with a smaller `priority` come first (spec 2.1), ties by id; services of a template oldest first.
 *
 * @returns actions in the order in which they are to be begun, and a reason for each requested service left alone
 * Promise: for constant load, planning what this plan leads to gives an empty plan.
 */
export function plan(snapshot: Snapshot): Plan {
  const templates = [...snapshot.templates].sort(byPriority);
  const census = takeCensus(snapshot);
  const scalings = templates.map((template) => planScaling(template, census));
  const stops = [...planDeserted(snapshot), ...scalings.flatMap((scaling) => scaling.stops)];
  const requests = scalings.flatMap((scaling) => scaling.requests);
  const stopped = new Set(stops.map((stop) => stop.service));
  const { starts, waiting } = planStarts(census, templates, stopped);
  return { actions: [...stops, ...requests, ...starts], waiting, unmet: new Map(), noOrder: null, kept: new Map() };
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
  census: Census,
  templates: readonly TemplateSnapshot[],
  stopped: ReadonlySet<ServiceId>,
): { starts: Extract<Action, { kind: 'start' }>[]; waiting: Map<ServiceId, Wait> } {
  const { snapshot } = census;
  const rooms = new Rooms(snapshot.nodes, census);
  const starts: Extract<Action, { kind: 'start' }>[] = [];
  const waiting = new Map<ServiceId, Wait>();
  for (const template of templates) {
    for (const service of requestedServices(census, template, stopped)) {
      const placing = placeService(service, template, { snapshot, rooms });
      if (placing.kind === 'wait') {
        waiting.set(service.id, placing.wait);
        continue;
      }
      const { room } = placing;
      const cause = `priority ${template.config.priority}; ${service.ramMb} of ${room.freeMb} MB free on ${room.node.id}`;
      rooms.take(room, service.ramMb);
      starts.push({ kind: 'start', service: service.id, node: room.node.id, cause });
    }
  }
  return { starts, waiting };
}

function requestedServices(
  census: Census,
  template: TemplateSnapshot,
  stopped: ReadonlySet<ServiceId>,
): ServiceSnapshot[] {
  return census
    .ofTemplate(template.id)
    .filter(({ id, state, stopping }) => state === 'REQUESTED' && !stopping && !stopped.has(id))
    .sort((a, b) => a.requestedAt - b.requestedAt || (a.id < b.id ? -1 : 1));
}

function byPriority(a: TemplateSnapshot, b: TemplateSnapshot): number {
  return a.config.priority - b.config.priority || (a.id < b.id ? -1 : 1);
}
