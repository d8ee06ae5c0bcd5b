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

/** Guarantees that everything that does not happen has a reason. */
export const reasonPromises: readonly Promised<Look>[] = [
  {
    says: 'starts, stops or explains every requested service',
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
    says: 'explains nothing but requested services',
    breaches: ({ services, planned }) =>
      each(
        [...planned.waiting.keys()],
        (id) => services.get(id)?.state !== 'REQUESTED' || services.get(id)?.stopping === true,
        (id) => id,
      ),
  },
  {
    says: 'meets every minimum of a template that stays, has services starting for it, or gives a reason',
    breaches: (look) =>
      each(
        look.snapshot.templates,
        ({ id, config, leaving }) => {
          if (leaving) return false;
          const stops = new Set(look.of('stop').map(({ service }) => service));
          const { stays, goes } = standingOf({ id, leaving }, look.snapshot);
          // docs/specification.md#minimumrunningservers counts RUNNING services. A service that waits to be
          // replaced counts, as players still join it. A leaving one still runs, but its replacement is due, unless
          // the cap leaves no room for it.
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
    says: 'reports missing services only for existing templates, and at least one',
    breaches: ({ planned: { unmet }, templates }) =>
      each(
        [...unmet],
        ([id, { missing }]) => !templates.has(id) || !(missing > 0),
        ([id]) => id,
      ),
  },
  {
    says: 'releases every cloud node, or says why it is kept',
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
    says: 'gives the protection or pause of a node as the reason why it is kept',
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
    says: 'gives each reason as a sentence, with the time of the next attempt if known',
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
 * Reports whether at least the minimum can be joined and has fewer players than its fill level. Then a maximum that
 * leaves no room for a spare is intended.
 */
function haveRoom(config: TemplateConfig, services: readonly ServiceSnapshot[]): boolean {
  const joinable = services.filter(answers);
  const percent = config.startNewServiceAtTemplateCapacity || 80;
  const places = joinable.reduce((sum, { maxPlayers }) => sum + Math.ceil((maxPlayers * percent) / 100), 0);
  const players = joinable.reduce((sum, one) => sum + playersOn(one), 0);
  return joinable.length >= config.minimumRunningServers && players < places;
}
