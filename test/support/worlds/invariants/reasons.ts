import type { Keep } from '#shared/model/node.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { TemplateConfig } from '#shared/config/template.ts';
import {
  answers,
  isPending,
  isReady,
  playersOn,
  type ServiceSnapshot,
} from '#master/core/snapshot/snapshot.ts';
import { each, isCapped, type Look } from '../look.ts';
import type { Promised } from '../check.ts';
import { standingOf } from '../standing.ts';

/** Guarantees that the plan gives a reason for each expected action that it does not contain. */
export const reasonPromises: readonly Promised<Look>[] = [
  {
    says: 'gives a reason for every requested service that it neither starts nor stops',
    breaches: ({ snapshot, planned: { actions, waiting } }) => {
      const acted = new Set(actions.flatMap((action) => ('service' in action ? [action.service] : [])));
      return each(
        snapshot.services.filter(({ state, stopping }) => state === 'REQUESTED' && !stopping),
        ({ id }) => acted.has(id) === waiting.has(id),
        ({ id }) => `${id} acted on: ${acted.has(id)}, explained: ${waiting.has(id)}`,
      );
    },
  },
  {
    says: 'gives a reason to wait only for requested services',
    breaches: ({ services, planned }) =>
      each(
        [...planned.waiting.keys()],
        (id) => services.get(id)?.state !== 'REQUESTED' || services.get(id)?.stopping === true,
        (id) => id,
      ),
  },
  {
    says: 'gives a reason if a template gets fewer services than its minimum',
    breaches: (look) =>
      each(
        look.snapshot.templates,
        ({ id, config, leaving }) => {
          if (leaving) return false;
          const stops = new Set(look.of('stop').map(({ service }) => service));
          const { stays, goes } = standingOf({ id, leaving }, look.snapshot);
          // The minimum of docs/specification.md#minimumrunningservers counts RUNNING services. A service that will
          // be replaced later counts, because players still join it. A service that is being replaced does not
          // count, unless the maximum leaves no room for its replacement.
          const helping = [...stays, ...(isCapped(look, id) ? goes.filter(isReady) : [])].filter(
            (one) => !stops.has(one.id) && (isReady(one) || isPending(one)),
          );
          const requests = look.of('request').filter(({ template }) => template === id);
          const lacking = config.minimumRunningServers - helping.length - requests.length;
          const explained = look.planned.unmet.get(id)?.missing ?? 0;
          const isSpared = isCapped(look, id) && haveRoom(config, [...stays, ...goes]);
          return lacking > explained && !isSpared;
        },
        ({ id }) => id,
      ),
  },
  {
    says: 'reports missing services only for existing templates, and never reports 0 missing services',
    breaches: ({ planned: { unmet }, templates }) =>
      each(
        [...unmet],
        ([id, { missing }]) => !templates.has(id) || !(missing > 0),
        ([id]) => id,
      ),
  },
  {
    says: 'releases every cloud node, or gives the reason why it is kept',
    breaches: ({ snapshot, planned: { kept }, of }) => {
      const released = new Set(of('release').map(({ node }) => node));
      return each(
        snapshot.nodes.filter(({ rental, state }) => rental !== null && state !== 'DELETING'),
        ({ id }) => released.has(id) === kept.has(id),
        ({ id }) => `${id} released: ${released.has(id)}, explained: ${kept.has(id)}`,
      );
    },
  },
  {
    says: 'names the protection or pause of a node as the reason why the node is kept',
    breaches: ({ snapshot, planned: { kept } }) =>
      each(
        snapshot.nodes.filter(
          ({ rental, state, locked, held }) => rental !== null && state !== 'DELETING' && (locked || held),
        ),
        ({ id }) => !['LOCKED', 'HELD'].includes(kept.get(id)?.reason ?? ''),
        ({ id }) => `${id}: ${kept.get(id)?.reason}`,
      ),
  },
  {
    says: 'gives each reason as a sentence, and only future times for the next attempt',
    breaches: ({ snapshot, planned: { waiting, unmet, noOrder, kept } }) => {
      const waits = [...waiting.values(), ...[...unmet.values()].map(({ wait }) => wait)];
      return [
        ...each([...waits, ...(noOrder === null ? [] : [noOrder]), ...kept.values()], isNoSentence, show),
        ...each(waits, ({ until }) => until !== null && until <= snapshot.now, show),
      ];
    },
  },
  {
    says: 'gives each action a cause',
    breaches: ({ planned: { actions } }) =>
      each(
        actions,
        ({ cause }) => cause.trim() === '' || /undefined|NaN|Infinity|\[object/.test(cause),
        ({ kind, cause }) => `${kind}: ${cause}`,
      ),
  },
];

function isNoSentence({ message }: Wait | Keep): boolean {
  return !/^\S.*[.!]$/s.test(message) || /undefined|NaN|Infinity|\[object/.test(message);
}

function show({ reason, message }: Wait | Keep): string {
  return `${reason}: ${message}`;
}

/**
 * Returns whether at least the minimum number of services can be joined, and whether they have fewer players than
 * slots up to the fill level. If both are true, the plan reports no problem if the maximum leaves no room for a spare
 * service.
 */
function haveRoom(config: TemplateConfig, services: readonly ServiceSnapshot[]): boolean {
  const joinable = services.filter(answers);
  const percent = config.startNewServiceAtTemplateCapacity || 80;
  const slots = joinable.reduce((sum, { maxPlayers }) => sum + Math.ceil((maxPlayers * percent) / 100), 0);
  const players = joinable.reduce((sum, one) => sum + playersOn(one), 0);
  return joinable.length >= config.minimumRunningServers && players < slots;
}
