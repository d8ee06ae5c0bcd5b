import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Action } from '#master/core/action.ts';
import { placeRequested } from '#master/core/place-requested.ts';
import { plan } from '#master/core/plan.ts';
import type { Snapshot } from '#master/core/snapshot/snapshot.ts';
import { aNode, aRentedNode, aService, aSnapshot, aTemplate } from '#test/support/master/snapshots.ts';
import { WORLDS_TIMEOUT_MS } from '#test/support/worlds/check.ts';
import { world, WORLDS } from '#test/support/worlds/world.ts';

const REQUEST: Action = { kind: 'request', service: 't-1', template: 't', cause: 'the minimum' };

/** Returns a function that creates a network with two services that wait for a node. */
function waiting(nodes: Snapshot['nodes']): () => Snapshot {
  const services = ['t-1', 't-2'].map((id) => aService(id, { state: 'REQUESTED', manual: true }));
  return () => aSnapshot({ templates: [aTemplate('t')], nodes, services });
}

const ROOMY = [aNode({ ramMb: 20_000 })];

describe('placeRequested (starts services in the round that requests them)', () => {
  it('adds the start of a service that the plan requests', () => {
    expect(placeRequested([REQUEST], waiting(ROOMY))).toMatchObject([{ kind: 'start', service: 't-1' }]);
  });

  it('adds no start if the plan requests no services', () => {
    const actions: Action[] = [{ kind: 'start', service: 't-2', node: 'local', cause: 'it fits' }];
    const never = (): never => {
      throw new Error('a second plan');
    };
    expect(placeRequested(actions, never)).toEqual([]);
  });

  it('adds no start if no node has room for the service', () => {
    expect(placeRequested([REQUEST], waiting([aNode({ ramMb: 100 })]))).toEqual([]);
  });

  it.each(['drain', 'release'] as const)(
    'adds no start on a node to which the plan applies the action "%s"',
    (kind) => {
      const nodes = waiting([aRentedNode('node-1', { ramMb: 20_000 })]);
      expect(placeRequested([REQUEST], nodes)).toMatchObject([{ node: 'node-1' }]);
      expect(placeRequested([REQUEST, { kind, node: 'node-1', cause: 'not needed' }], nodes)).toEqual([]);
    },
  );

  it(
    'starts no service twice in a round, in any network',
    () => {
      fc.assert(
        fc.property(world, (snapshot) => {
          const { actions } = plan(snapshot);
          const before = new Set(actions.flatMap((one) => (one.kind === 'start' ? [one.service] : [])));
          const starts = placeRequested(actions, () => withRequests(snapshot, actions));
          const services = starts.map(({ service }) => service);
          expect(new Set(services).size).toBe(services.length);
          expect(services.filter((id) => before.has(id))).toEqual([]);
        }),
        { numRuns: WORLDS },
      );
    },
    WORLDS_TIMEOUT_MS,
  );
});

/** Returns the network after the requests of a plan were recorded. */
function withRequests(snapshot: Snapshot, actions: readonly Action[]): Snapshot {
  const requested = actions.flatMap((one) =>
    one.kind === 'request'
      ? [aService(one.service, { template: one.template, state: 'REQUESTED', node: null })]
      : [],
  );
  return { ...snapshot, services: [...snapshot.services, ...requested] };
}
