import type { Node } from '#shared/model/node.ts';
import { activeBackoffs, type StartBackoff } from '#master/core/placement/start-backoff.ts';
import { takeCensus } from '#master/core/snapshot/snapshot-index.ts';
import { paidUntil } from '#master/core/fleet/rental.ts';
import type { Parts } from '#master/control/parts.ts';
import type { Shown } from '#master/control/loop/published-state.ts';
import { takeSnapshot, viewNodes } from '#master/control/loop/take-snapshot.ts';
import type { Wishes } from '#master/control/overrides/override-commands.ts';
import type { HandlersOf } from '../api.ts';

export interface NodeDesk {
  readonly parts: Parts;
  readonly shown: Pick<Shown, 'outlook'>;
  readonly wishes: Wishes;
}

/** `nodes.*` of the admin API. */
export function nodesHandlers({ parts, shown, wishes }: NodeDesk): HandlersOf<'nodes'> {
  const { outlook } = shown;
  return {
    'nodes.list': () => {
      const snapshot = takeSnapshot(parts);
      const census = takeCensus(snapshot);
      return viewNodes(parts).map((node): Node => {
        const { id, kind, state, note, location, address, ramMb, held, locked, leaving, rental } = node;
        const { services, allocatedMb } = census.onNode(id);
        return {
          id,
          kind,
          state,
          since: parts.nodeTimes.since(node),
          note,
          location,
          address,
          ram: { totalMb: ramMb, allocatedMb },
          services: services.length,
          held,
          locked,
          leaving,
          rental: rental === null ? null : { ...rental, paidUntil: paidUntil(rental, snapshot.now) },
          keep: outlook.keepOf(id),
          backoff: toBackoff(parts.nodeBackoff.of(id), snapshot.now),
        };
      });
    },
    'nodes.provider': () => ({ trouble: parts.provider.trouble() }),
    'nodes.hold': async ({ id, held }, caller) => {
      await wishes.holdNode(id, held, caller.name);
      return {};
    },
    'nodes.lock': async ({ id, locked }, caller) => {
      await wishes.lockNode(id, locked, caller.name);
      return {};
    },
    'nodes.schedule': async ({ id, to }, caller) => {
      await wishes.scheduleNode(id, to, caller.name);
      return {};
    },
  };
}

function toBackoff(backoffs: readonly StartBackoff[], now: number): Node['backoff'] {
  const active = activeBackoffs(backoffs, now);
  const [last] = active;
  if (last === undefined) return null;
  const names = active.map(({ template }) => template).sort();
  const which = names.length === 1 ? `template ${names.join('')}` : `templates ${names.join(', ')}`;
  const message = `Starts of ${which} failed here; other nodes are used meanwhile. ${last.reason}`;
  return { message, until: last.retryAt };
}
