import fc from 'fast-check';
import type { NodeSnapshot } from '#master/core/snapshot/snapshot.ts';
import { NOW } from '../master/snapshots.ts';
import { never, oneIn, seldom } from './chance.ts';

/** Node that has no ID yet. */
export type WishedNode = Omit<NodeSnapshot, 'id'>;

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

const OWN_STATES: readonly NodeSnapshot['state'][] = ['READY', 'CORDONED', 'DRAINING', 'LOST'];
const RENTED_STATES: readonly NodeSnapshot['state'][] = [...OWN_STATES, 'ORDERED', 'BOOTING', 'DELETING'];

/** Age of the rental (ms): up to about three hours. Often, a paid hour is about to end. */
const age = fc.oneof(
  fc.nat({ max: 3 * HOUR }),
  fc
    .tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: -10 * MINUTE, max: MINUTE }))
    .map(([hours, off]) => hours * HOUR + off),
  fc.constantFrom(0, 1, HOUR - 1, HOUR, HOUR + 1),
);

const silence = fc.oneof(
  { weight: 6, arbitrary: fc.constant<NodeSnapshot['silent']>(false) },
  { weight: 1, arbitrary: fc.constantFrom<NodeSnapshot['silent']>('awaited', 'overdue') },
);

/** Failed starts of templates on a node, with short, long and expired back-offs. */
const startBackoffs = fc
  .uniqueArray(fc.constantFrom('t0', 't1', 't2'), { minLength: 1, maxLength: 3 })
  .chain((templates) =>
    fc.tuple(
      ...templates.map((template) =>
        fc
          .record({
            waitMs: fc.constantFrom(5_000, 80_000, 160_000, 300_000),
            passedMs: fc.nat({ max: 300_000 }),
            concernsOnlyTemplate: oneIn(3),
          })
          .map(({ waitMs, passedMs, concernsOnlyTemplate }) => {
            const since = NOW - passedMs;
            const reason = 'The disk is full.';
            return { template, since, retryAt: since + waitMs, reason, concernsOnlyTemplate };
          }),
      ),
    ),
  );

/**
 * Generates a node.
 *
 * @param troubles whether nodes may be paused, protected, unreachable, closed, being released, lost, ordered, or
 *   without Java
 */
export function arbitraryNode(kind: {
  readonly rented: boolean;
  readonly troubles: boolean;
}): fc.Arbitrary<WishedNode> {
  const rarely = kind.troubles ? oneIn : never;
  const states = kind.rented ? RENTED_STATES : OWN_STATES;
  return fc
    .record({
      state: kind.troubles
        ? fc.oneof(
            { weight: 3, arbitrary: fc.constant<NodeSnapshot['state']>('READY') },
            { weight: 2, arbitrary: fc.constantFrom(...states) },
          )
        : fc.constant<NodeSnapshot['state']>('READY'),
      drainedByRules: fc.boolean(),
      held: rarely(8),
      locked: rarely(8),
      leaving: rarely(3),
      age,
      ramMb: kind.rented ? fc.constantFrom(7_168, 3_072, 15_360) : fc.integer({ min: 0, max: 20_000 }),
      startBudget: fc.oneof(fc.constant(4), fc.integer({ min: kind.troubles ? 0 : 1, max: 5 })),
      withoutJava: rarely(6),
      silent: kind.troubles ? silence : fc.constant<NodeSnapshot['silent']>(false),
      startBackoffs: kind.troubles ? seldom(5, startBackoffs) : fc.constant(null),
    })
    .map(({ age: ageMs, withoutJava, drainedByRules, leaving, startBackoffs: backoffs, ...node }) => ({
      ...node,
      startBackoffs: backoffs ?? [],
      unsaved: [],
      drainedByRules: kind.rented && node.state === 'DRAINING' && !leaving && drainedByRules,
      leaving: kind.rented && node.state === 'DRAINING' && leaving,
      hasJava: !withoutJava,
      rental: kind.rented ? { type: 'cpx32', since: NOW - ageMs, hourlyPrice: 0.02 } : null,
    }));
}
