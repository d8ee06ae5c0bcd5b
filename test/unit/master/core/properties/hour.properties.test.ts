import fc from 'fast-check';
import { describe } from 'vitest';
import type { Action } from '#master/core/action.ts';
import type { Snapshot } from '#master/core/snapshot/snapshot.ts';
import { keep, type Promised } from '#test/support/worlds/check.ts';
import { Clockwork, type Durations, type Tick } from '#test/support/worlds/clockwork.ts';
import { planInWords, worldInWords } from '#test/support/worlds/words.ts';
import { LONG_WORLDS, world } from '#test/support/worlds/world.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Time after which all delays of these networks have ended: back-offs, sold-out offers, boots and stops. */
const SETTLED_AFTER = 15 * MINUTE;
const OBSERVED = 60 * MINUTE;

const durations: fc.Arbitrary<Durations> = fc.record<Durations>({
  prepareMs: fc.integer({ min: 0, max: 10 * SECOND }),
  startMs: fc.integer({ min: SECOND, max: 60 * SECOND }),
  stopMs: fc.integer({ min: 0, max: 20 * SECOND }),
  orderMs: fc.integer({ min: SECOND, max: 20 * SECOND }),
  bootMs: fc.integer({ min: 20 * SECOND, max: 120 * SECOND }),
  deleteMs: fc.integer({ min: SECOND, max: 20 * SECOND }),
});

interface Hour {
  readonly start: Snapshot;
  readonly ticks: readonly Tick[];
}

const hours: fc.Arbitrary<Hour> = fc
  .record({ start: world, durations, stepMs: fc.integer({ min: 5 * SECOND, max: 30 * SECOND }) })
  .map(({ start: drawn, durations: taking, stepMs }) => {
    // With a lower threshold, hundreds of nodes would be needed. Ordering them would take longer than an hour,
    // because only some nodes are ordered at the same time.
    const start = { ...drawn, upscalingAtPercent: Math.max(drawn.upscalingAtPercent, 20) };
    const network = new Clockwork(start, taking);
    const ticks: Tick[] = [];
    while (network.snapshot.now < start.now + SETTLED_AFTER + OBSERVED) ticks.push(network.step(stepMs));
    return { start, ticks };
  });

/** Rules for an hour in which no player joins or leaves, after `SETTLED_AFTER` has passed. */
const promises: readonly Promised<Hour>[] = [
  {
    says: 'start a service only if another service leaves its node, is replaced, or restarts',
    breaches: (hour) => {
      const left = new Map<string, number>();
      const started = new Map<string, number>();
      settled(hour).forEach(({ snapshot, planned: { actions } }, i) => {
        const leaving = nodesLeft(snapshot, actions, i === 0);
        for (const one of snapshot.services) {
          const isFirst = i === 0 && (one.retiring || one.restarting);
          if (leaving.has(one.node ?? '') || isFirst) count(left, one.template);
        }
        for (const one of snapshot.services) if (isStarted(one.id, actions)) count(started, one.template);
      });
      return [...started]
        .filter(([template, times]) => times > (left.get(template) ?? 0))
        .map(([template, times]) => `${template}: ${times} starts, ${left.get(template) ?? 0} replaced`);
    },
  },
  {
    says: 'order no node',
    breaches: (hour) =>
      settled(hour).flatMap(({ planned }) =>
        planned.actions.flatMap((one) => (one.kind === 'order' ? [`${one.node}: ${one.cause}`] : [])),
      ),
  },
  {
    says: 'drain each node at most once per paid hour, and resume no node',
    breaches: (hour) => {
      const drains = new Map<string, number>();
      const resumes: string[] = [];
      for (const { snapshot, planned } of settled(hour)) {
        for (const action of planned.actions) {
          if (action.kind === 'resume') resumes.push(`${action.node} taken back`);
          if (action.kind !== 'drain') continue;
          const since = snapshot.nodes.find(({ id }) => id === action.node)?.rental?.since ?? 0;
          count(
            drains,
            `${action.node} emptied in hour ${Math.ceil((snapshot.now - since) / (60 * MINUTE))}`,
          );
        }
      }
      return [...resumes, ...[...drains].filter(([, times]) => times > 1).map(([what]) => what)];
    },
  },
];

describe('in one hour with a constant number of players, the rules', () => {
  keep(promises, { of: hours, numRuns: LONG_WORLDS, inWords: hourInWords });
});

function settled({ ticks, start }: Hour): readonly Tick[] {
  return ticks.filter(({ snapshot }) => snapshot.now >= start.now + SETTLED_AFTER);
}

/**
 * Returns the nodes whose services have to be replaced from this round on.
 *
 * @param first whether to include nodes that services were already leaving before this round
 */
function nodesLeft(snapshot: Snapshot, actions: readonly Action[], first: boolean): ReadonlySet<string> {
  const drained = actions.flatMap((action) => (action.kind === 'drain' ? [action.node] : []));
  const leaving = snapshot.nodes.filter(({ state }) => ['DRAINING', 'LOST', 'DELETING'].includes(state));
  return new Set([...drained, ...(first ? leaving.map(({ id }) => id) : [])]);
}

function isStarted(service: string, actions: readonly Action[]): boolean {
  return actions.some((action) => action.kind === 'start' && action.service === service);
}

function count(times: Map<string, number>, what: string): void {
  times.set(what, (times.get(what) ?? 0) + 1);
}

/** Describes the initial network, and the rounds that had actions. */
function hourInWords({ start, ticks }: Hour): string {
  const busy = ticks.filter(({ planned }) => planned.actions.length > 0);
  const lines = busy.map(({ snapshot, planned }) => {
    const afterS = (snapshot.now - start.now) / SECOND;
    return `after ${afterS} s: ${planInWords({ ...planned, waiting: new Map(), unmet: new Map(), kept: new Map() })}`;
  });
  const told = lines.length > 24 ? [...lines.slice(0, 12), '…', ...lines.slice(-12)] : lines;
  return [worldInWords(start), ...told].join('\n');
}
