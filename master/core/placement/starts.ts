import type { ServiceId } from '#shared/model/service.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { ActionOf } from '../action.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import { placeService, type ServiceToPlace } from './choose-node.ts';
import { NodeCapacities } from './node-capacities.ts';
import type { TemplateSnapshot } from '../snapshot/snapshot.ts';
import { closedNodes } from './node-backoff.ts';

export interface Starts {
  readonly starts: readonly ActionOf<'start'>[];
  /** Reasons other than missing room why services wait, by service. */
  readonly waiting: ReadonlyMap<ServiceId, Wait>;
  /** Services for which no open node has room, sorted by priority. */
  readonly unschedulable: readonly ServiceToPlace[];
  /** RAM of all services that start in this round (MB). It counts as allocated. */
  readonly startedMb: number;
  /** Services that have room and wait for the start budget of a node. */
  readonly queued: readonly ServiceToPlace[];
  /** Services whose template can start no service at the moment, but soon will. They need room as soon as it can. */
  readonly later: readonly ServiceToPlace[];
  /** Remaining capacity of the open nodes after these starts. */
  readonly capacities: NodeCapacities;
}

/**
 * Chooses nodes for the requested services, in the sequence of their templates' `priority` (the smallest first,
 * docs/specification.md#priority), then the oldest service first. Without this sequence, a template that grows fast
 * would take every node. Services that this plan requests are not placed here: `placeRequested` places them after the
 * plan's requests are applied.
 *
 * @param stopped services that this round stops; they are not placed
 */
export function planStarts(
  index: SnapshotIndex,
  templates: readonly TemplateSnapshot[],
  stopped: ReadonlySet<ServiceId>,
): Starts {
  const capacities = NodeCapacities.ofOpenNodes(index);
  const starts: ActionOf<'start'>[] = [];
  const waiting = new Map<ServiceId, Wait>();
  const unschedulable: ServiceToPlace[] = [];
  const queued: ServiceToPlace[] = [];
  const later: ServiceToPlace[] = [];
  const { now } = index.snapshot;
  const closed = new Map(templates.map(({ id }) => [id, closedNodes(index.snapshot, id)]));
  let startedMb = 0;
  for (const candidate of inOrder(templates.flatMap((one) => requestedOf(one, index, stopped)))) {
    const { id, ramMb, template } = candidate.service;
    const placing = placeService(candidate, { capacities, closed: closed.get(template) ?? new Set(), now });
    if (placing.kind === 'unschedulable') {
      unschedulable.push(candidate);
      continue;
    }
    if (placing.kind === 'wait') {
      waiting.set(id, placing.wait);
      if (placing.wait.reason === 'START_BUDGET') queued.push(candidate);
      else if (isPassing(placing.wait)) later.push(candidate);
      continue;
    }
    const { node, freeMb } = placing.capacity;
    capacities.take(placing.capacity, ramMb);
    startedMb += ramMb;
    const { priority } = candidate.template.config;
    const cause = `priority ${priority}; takes ${ramMb} of ${freeMb} MB free on ${node}`;
    starts.push({ kind: 'start', service: id, node, cause });
  }
  return { starts, waiting, unschedulable, queued, later, startedMb, capacities };
}

function inOrder(candidates: ServiceToPlace[]): ServiceToPlace[] {
  return candidates.sort(
    (a, b) =>
      a.template.config.priority - b.template.config.priority ||
      a.service.requestedAt - b.service.requestedAt ||
      (a.service.id < b.service.id ? -1 : 1),
  );
}

/** Reports whether the reason for a wait will soon end without any action by a person. */
function isPassing({ reason }: Wait): boolean {
  return reason === 'FILES_CHANGING' || reason === 'BACKING_OFF';
}

function requestedOf(
  template: TemplateSnapshot,
  index: SnapshotIndex,
  stopped: ReadonlySet<ServiceId>,
): ServiceToPlace[] {
  return index
    .ofTemplate(template.id)
    .requested.filter(({ id }) => !stopped.has(id))
    .map((service) => ({ service, template, volume: index.volumeOf(service.id) }));
}
