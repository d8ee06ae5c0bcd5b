import type { ServiceId } from '#shared/model/service.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { ActionOf } from './action.ts';
import type { Census } from './census.ts';
import { placeService, type Candidate } from './placement.ts';
import { Rooms } from './rooms.ts';
import type { TemplateSnapshot } from './snapshot.ts';

export interface Starts {
  readonly starts: readonly ActionOf<'start'>[];
  /** Services that wait for a reason of their own. */
  readonly waiting: ReadonlyMap<ServiceId, Wait>;
  /** Services for which no open node has room, in order of priority. */
  readonly homeless: readonly Candidate[];
  /** RAM of all that starts now, MB: it is as good as allocated. */
  readonly startedMb: number;
  /** Services that have room and wait for the start budget of a node. */
  readonly queued: readonly Candidate[];
  /** Services that will want room as soon as their template can be started again. */
  readonly later: readonly Candidate[];
  /** What is left on the open nodes once the starts are carried out. */
  readonly rooms: Rooms;
}

/**
 * Places requested services, templates in the order given, oldest first. Those requested in this round are placed in
 * the next: a request is on disk before anything is done for it.
 */
export function planStarts(
  census: Census,
  templates: readonly TemplateSnapshot[],
  stopped: ReadonlySet<ServiceId>,
): Starts {
  const rooms = Rooms.ofOpenNodes(census);
  const starts: ActionOf<'start'>[] = [];
  const waiting = new Map<ServiceId, Wait>();
  const homeless: Candidate[] = [];
  const queued: Candidate[] = [];
  const later: Candidate[] = [];
  let startedMb = 0;
  for (const template of templates) {
    for (const candidate of requestedOf(template, census, stopped)) {
      const { id, ramMb } = candidate.service;
      const placing = placeService(candidate, rooms, census.snapshot.now);
      if (placing.kind === 'homeless') {
        homeless.push(candidate);
        continue;
      }
      if (placing.kind === 'wait') {
        waiting.set(id, placing.wait);
        if (placing.wait.reason === 'START_BUDGET') queued.push(candidate);
        else if (isPassing(placing.wait)) later.push(candidate);
        continue;
      }
      const { node, freeMb } = placing.room;
      rooms.take(placing.room, ramMb);
      startedMb += ramMb;
      const cause = `priority ${template.config.priority}; ${ramMb} of ${freeMb} MB free on ${node}`;
      starts.push({ kind: 'start', service: id, node, cause });
    }
  }
  return { starts, waiting, homeless, queued, later, startedMb, rooms };
}

/** Over by itself before long. */
function isPassing({ reason }: Wait): boolean {
  return reason === 'FILES_CHANGING' || reason === 'BACKING_OFF';
}

function requestedOf(
  template: TemplateSnapshot,
  census: Census,
  stopped: ReadonlySet<ServiceId>,
): Candidate[] {
  return census
    .ofTemplate(template.id)
    .filter(({ id, state, stopping }) => state === 'REQUESTED' && !stopping && !stopped.has(id))
    .sort((a, b) => a.requestedAt - b.requestedAt || (a.id < b.id ? -1 : 1))
    .map((service) => ({ service, template }));
}
