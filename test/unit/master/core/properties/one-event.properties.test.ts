import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plan } from '#master/core/plan.ts';
import type { ActionOf, Plan } from '#master/core/action.ts';
import type { Snapshot } from '#master/core/snapshot/snapshot.ts';
import { aService, aSnapshot, aTemplate } from '#test/support/master/snapshots.ts';
import { WORLDS_TIMEOUT_MS } from '#test/support/worlds/check.ts';
import { arbitraryHappening, begun, happens, withRequests } from '#test/support/worlds/events.ts';
import { placesOf, servicesNeeded } from '#test/support/worlds/needs.ts';
import { isCapped, lookAt } from '#test/support/worlds/look.ts';
import { settle } from '#test/support/worlds/settle.ts';
import { standingOf } from '#test/support/worlds/standing.ts';
import { planInWords, worldInWords } from '#test/support/worlds/words.ts';
import { calmWorld, world, WORLDS } from '#test/support/worlds/world.ts';

/** Calm networks without further actions. Their nodes are protected, and a high RAM threshold limits new orders. */
const restingWorld = calmWorld
  .map((calm) => ({
    ...calm,
    nodes: calm.nodes.map((node) => ({ ...node, locked: true })),
    upscalingAtPercent: Math.max(50, calm.upscalingAtPercent),
  }))
  .map((calm) => settle(calm))
  .filter(({ atRest, last }) => atRest && last.snapshot.nodes.every(({ state }) => state === 'READY'))
  .map(({ last }) => last.snapshot);

function always<T>(says: string, given: fc.Arbitrary<T>, overrides: (drawn: T) => void): void {
  it(says, () => fc.assert(fc.property(given, overrides), { numRuns: WORLDS }), WORLDS_TIMEOUT_MS);
}

describe('a single event in a network', () => {
  always(
    'causes exactly the requests for services that the rules require, in all templates',
    fc.tuple(restingWorld, arbitraryHappening),
    ([rest, happening]) => {
      const after = happens(rest, happening)?.snapshot;
      fc.pre(after !== undefined);
      const planned = plan(after);
      const counts = after.templates.map(({ id }) => [id, requestsOf(id, planned).length]);
      const needed = after.templates.map((template) => [template.id, servicesNeeded(template, after)]);
      const differing = counts.filter(([, count], i) => count !== needed[i]?.[1]);
      none(
        differing.map(([id, count]) => `${id}: ${count} requests`),
        after,
        planned,
      );
    },
  );

  always(
    'causes no more requests in later rounds, because services count at every stage of their start',
    fc.tuple(world, arbitraryHappening),
    ([snapshot, happening]) => {
      let current = happens(snapshot, happening)?.snapshot ?? snapshot;
      let planned = plan(current);
      for (let round = 0; round < 4; round++) {
        const before = current;
        current = begun(current, planned.actions);
        planned = plan(current);
        none(unexpected(planned, { before, now: current }), current, planned);
        // Prepared services start from the second round on.
        current = { ...current, services: current.services.map(furtherOnItsWay) };
        planned = plan(current);
        none(unexpected(planned, { before, now: current }), current, planned);
      }
    },
  );

  always(
    'causes at most one request when a player joins a service with room and no capacity rule is set',
    restingWorld.map((rest) => ({
      ...rest,
      templates: rest.templates.map((one) => ({
        ...one,
        config: { ...one.config, startNewServiceAtTemplateCapacity: 0, startNewServiceAtGlobalCapacity: 0 },
      })),
    })),
    (unsettled) => {
      const rest = settle(unsettled).last.snapshot;
      const joined = happens(rest, { kind: 'joins', which: 0 });
      fc.pre(joined !== null);
      expect(requests(plan(joined.snapshot)).length).toBeLessThanOrEqual(1);
    },
  );

  always(
    'causes no request and no start when a player leaves',
    fc.tuple(restingWorld, fc.nat({ max: 20 })),
    ([rest, which]) => {
      const left = happens(rest, { kind: 'leaves', which });
      fc.pre(left !== null);
      const planned = plan(left.snapshot);
      none(requests(planned), left.snapshot, planned);
      expect(planned.actions.filter(({ kind }) => kind === 'start')).toEqual([]);
    },
  );
});

describe('a service that reports a million players', () => {
  it('counts as full, but with no more players than it has slots', () => {
    const templates = [aTemplate('t', { startNewServiceAtTemplateCapacity: 50 })];
    const services = [aService('t-1', { state: 'IN_USE', players: 1_000_000 })];
    // The service counts as 10 players on 10 slots. Two more services bring the share below 50 %.
    expect(settle(aSnapshot({ templates, services })).last.snapshot.services).toHaveLength(3);
  });
});

describe('a stop that the rules decide', () => {
  always(
    'affects only services that no other rule needs, so that no service is requested afterwards',
    world,
    (snapshot) => {
      const planned = plan(snapshot);
      const next = withRequests(snapshot, planned.actions);
      for (const stop of planned.actions.filter(({ kind }) => kind === 'stop')) {
        const { service } = stop as ActionOf<'stop'>;
        const left = { ...next, services: next.services.filter(({ id }) => id !== service) };
        const again = plan(left);
        // If only the cap prevented a request for the template of the service, the request follows after the service
        // is gone.
        const own = next.services.find(({ id }) => id === service)?.template;
        const freed = (template: string): number =>
          template === own && isCapped(lookAt(snapshot, planned), template) ? 1 : 0;
        none(
          unexpected(again, { before: next, now: left, also: freed }).map(
            (one) => `${one} without ${service}`,
          ),
          snapshot,
          planned,
        );
      }
    },
  );
});

interface Between {
  readonly before: Snapshot;
  readonly now: Snapshot;
  /** Number of additional requests that are allowed for a template. */
  readonly also?: (template: string) => number;
}

/**
 * Compares two rounds. Returns the requests of the second round whose only reason is that the first plan was
 * executed. A rolling restart proceeds between the rounds, so requests that replace its next services are allowed.
 */
function unexpected(planned: Plan, { before, now, also = () => 0 }: Between): string[] {
  return now.templates.flatMap((template) => {
    const went = new Set(standingOf(template, before).goes.map(({ id }) => id));
    const goers = standingOf(template, now).goes.filter(({ id }) => !went.has(id));
    const count = requestsOf(template.id, planned).length;
    const most = placesOf(goers, template) + also(template.id);
    return count > most ? [`${template.id}: ${count} requests, ${most} at most`] : [];
  });
}

function requests({ actions }: Plan): ActionOf<'request'>[] {
  return actions.flatMap((action) => (action.kind === 'request' ? [action] : []));
}

function requestsOf(template: string, planned: Plan): ActionOf<'request'>[] {
  return requests(planned).filter((request) => request.template === template);
}

function furtherOnItsWay(service: Snapshot['services'][number]): Snapshot['services'][number] {
  return service.state === 'PREPARING' ? { ...service, state: 'STARTING' } : service;
}

/** Fails with a long description if there are unexpected results. */
function none(surprises: readonly unknown[], snapshot: Snapshot, planned: Plan): void {
  if (surprises.length === 0) return;
  throw new Error([JSON.stringify(surprises), worldInWords(snapshot), '→', planInWords(planned)].join('\n'));
}
