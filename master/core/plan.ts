import type { ServiceId } from '#shared/model/service.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { ActionOf, Plan } from './action.ts';
import { ramOf } from './snapshot/capacity.ts';
import { indexSnapshot, type SnapshotIndex } from './snapshot/snapshot-index.ts';
import { planFleet } from './fleet/fleet.ts';
import { ReplacementRoom } from './scaling/replacement-room.ts';
import { planScaling, type Scaling } from './scaling/scaling.ts';
import { byPriority, type Snapshot } from './snapshot/snapshot.ts';
import { planStarts } from './placement/starts.ts';

/**
 * Decides what one round does: stops unneeded services, requests missing ones, starts requested ones that fit, orders
 * nodes for the others, and releases unneeded nodes. Templates with a smaller `priority` come first
 * (docs/specification.md#priority), ties by id. Services of the same template are planned oldest first. Has no side
 * effects.
 *
 * While the load is constant, plans become empty after some rounds.
 *
 * @returns actions in the sequence in which they begin, and the reasons for everything that has to wait
 */
export function plan(snapshot: Snapshot): Plan {
  const templates = snapshot.templates.toSorted(byPriority);
  const index = indexSnapshot(snapshot);
  const room = new ReplacementRoom(index);
  const scalings = templates.map((template) => ({
    id: template.id,
    ...planScaling(template, index, room),
  }));
  const stops = [...planDeserted(index), ...scalings.flatMap((scaling) => scaling.stops)];
  const requests = scalings.flatMap((scaling) => scaling.requests);
  const starts = planStarts(index, templates, new Set(stops.map((stop) => stop.service)));
  const fleet = planFleet(index, {
    starts,
    requested: templates.flatMap((template, i) =>
      Array.from({ length: toCome(scalings[i]) }, () => ({ template: template.id, ramMb: ramOf(template) })),
    ),
    settled: new Map(scalings.map(({ id, settled }) => [id, settled])),
    restless: new Set(scalings.filter(isRestless).map(({ id }) => id)),
  });
  return {
    actions: [...stops, ...requests, ...starts.starts, ...fleet.actions],
    waiting: new Map([...waitingDeserted(index), ...starts.waiting, ...fleet.waiting]),
    unmet: new Map(scalings.flatMap(({ id, unmet }) => (unmet === null ? [] : [[id, unmet] as const]))),
    noOrder: fleet.noOrder,
    kept: fleet.kept,
  };
}

/**
 * Returns the number of services that are requested now, or will be requested as soon as other services have stopped.
 */
function toCome(scaling: Scaling | undefined): number {
  return scaling === undefined ? 0 : scaling.requests.length + scaling.soon;
}

function isRestless(scaling: Scaling): boolean {
  return toCome(scaling) > 0 || scaling.stops.length > 0;
}

/** Stops services whose template no longer exists (deleted by hand), once no player uses them. */
function planDeserted(index: SnapshotIndex): ActionOf<'stop'>[] {
  return index.deserted
    .filter(({ held, state, restarting }) => !held && (restarting || state !== 'IN_USE'))
    .filter((service) => index.unsavable(service) === null)
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ id, template }) => ({ kind: 'stop', service: id, cause: `template ${template} was deleted` }));
}

function waitingDeserted({ deserted }: SnapshotIndex): [ServiceId, Wait][] {
  return deserted
    .filter(({ held, state }) => held && state === 'REQUESTED')
    .map(({ id, template }) => {
      const message = `${id} can no longer start: its template ${template} was deleted. It stays because its automation is paused; stop it to remove it.`;
      return [id, { reason: 'HELD', message, until: null }];
    });
}
