import fc from 'fast-check';
import { describe } from 'vitest';
import { allocatedMb } from '#master/core/snapshot/capacity.ts';
import type { Snapshot } from '#master/core/snapshot/snapshot.ts';
import { keep, type Promised } from '#test/support/worlds/check.ts';
import { Clockwork, USUAL_DURATIONS, type Tick } from '#test/support/worlds/clockwork.ts';
import { arbitraryTurn, askedFor, closingTime, turned, type Turn } from '#test/support/worlds/history.ts';
import { lookAt } from '#test/support/worlds/look.ts';
import { fleetPromises } from '#test/support/worlds/invariants/fleet.ts';
import { placePromises } from '#test/support/worlds/invariants/placement.ts';
import { reasonPromises } from '#test/support/worlds/invariants/reasons.ts';
import { servicePromises } from '#test/support/worlds/invariants/services.ts';
import { planInWords, worldInWords } from '#test/support/worlds/words.ts';
import { LONG_WORLDS, world } from '#test/support/worlds/world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/**
 * Time that follows after all players have left. In about two hours, every cloud node reaches the end of a paid hour.
 */
const AFTERMATH = 125 * MINUTE;

interface History {
  readonly start: Snapshot;
  readonly turns: readonly Turn[];
  readonly ticks: readonly Tick[];
  readonly end: Snapshot;
}

const histories: fc.Arbitrary<History> = fc
  .record({
    start: world,
    turns: fc.array(arbitraryTurn, { maxLength: 60 }),
    stepMs: fc.integer({ min: 5 * SECOND, max: 30 * SECOND }),
  })
  .map(({ start, turns, stepMs }) => {
    const network = new Clockwork(start, USUAL_DURATIONS);
    const ticks: Tick[] = [];
    turns.forEach((turn, i) => {
      network.snapshot = turned(network.snapshot, turn);
      const [template] = network.snapshot.templates;
      if (i % 20 === 19 && template !== undefined) network.snapshot = askedFor(network.snapshot, template);
      ticks.push(network.step(stepMs));
    });
    network.snapshot = closingTime(network.snapshot);
    const until = network.snapshot.now + AFTERMATH;
    while (network.snapshot.now < until && isAnythingLeft(network.snapshot))
      ticks.push(network.step(20 * SECOND));
    return { start, turns, ticks, end: network.snapshot };
  });

const atTheEnd: readonly Promised<History>[] = [
  {
    says: 'ends without services once all players have left',
    breaches: ({ end }) => end.services.map(({ id, state, node }) => `${id} ${state} on ${node}`),
  },
  {
    says: 'ends with no RAM allocated on any node',
    breaches: ({ end }) =>
      end.nodes
        .filter((node) => allocatedMb(node, end.services) !== 0)
        .map((node) => `${node.id} has ${allocatedMb(node, end.services)} MB allocated`),
  },
  {
    says: 'ends with every cloud node released',
    breaches: ({ end }) =>
      end.nodes.filter(({ rental }) => rental !== null).map(({ id, state }) => `${id} ${state}`),
  },
];

const allTheWay: readonly Promised<History>[] = [
  ...servicePromises,
  ...placePromises,
  ...fleetPromises,
  ...reasonPromises,
].map(({ says, breaches }) => ({
  says: `a plan ${says}`,
  breaches: ({ ticks }) => ticks.flatMap(({ snapshot, planned }) => breaches(lookAt(snapshot, planned))),
}));

describe('any sequence of joins, leaves, crashes, pauses, stops and lost nodes', () => {
  keep([...atTheEnd, ...allTheWay], { of: histories, numRuns: LONG_WORLDS, inWords: historyInWords });
});

function isAnythingLeft({ services, nodes }: Snapshot): boolean {
  return services.length > 0 || nodes.some(({ rental }) => rental !== null);
}

function historyInWords({ start, turns, ticks, end }: History): string {
  const lines = ticks.flatMap(({ snapshot, planned }, i) => {
    const { actions } = planned;
    const turn = turns[i] === undefined || turns[i].kind === 'nothing' ? [] : [JSON.stringify(turns[i])];
    if (actions.length === 0 && turn.length === 0) return [];
    const nothing = { waiting: new Map(), unmet: new Map(), noOrder: null, kept: new Map() };
    return [
      `after ${(snapshot.now - start.now) / SECOND} s: ${[...turn, planInWords({ actions, ...nothing })].join('\n  ')}`,
    ];
  });
  const told = lines.length > 30 ? [...lines.slice(0, 20), '…', ...lines.slice(-10)] : lines;
  return [worldInWords(start), ...told, 'in the end', worldInWords(end)].join('\n');
}
