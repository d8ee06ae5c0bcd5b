import type { Action } from '#master/core/action.ts';
import { plan } from '#master/core/plan.ts';
import type { Snapshot } from '#master/core/snapshot/snapshot.ts';
import { allocatedBytes } from '../kit/allocation.ts';
import type { Benchmark } from '../kit/benchmark.ts';
import { millisecondsOf } from '../kit/clock.ts';
import type { Measurement } from '../kit/measurement.ts';
import { aNetwork, aNight, aRollout, aStorm } from '../kit/network-snapshot.ts';
import { median } from '../kit/statistics.ts';

const SIZES = [10, 100, 1000] as const;

/** Goal for one round with 1,000 nodes (ms). */
const GOAL_MS = 10;

/** Number of runs before the measurement, after which the JavaScript engine has fully optimized the code. */
const WARM_UP = 20;

/** Number of runs over which allocated memory is measured. */
const ALLOCATION_RUNS = 20;

/**
 * Measures the time to plan one round for a network with cloud nodes: at rest, in a storm of changes, when the night
 * begins, and while all services are replaced. The baseline is a single pass over the data. Also measures how the
 * time grows with the network, and how much memory a round allocates.
 */
export const planRound: Benchmark = {
  metrics: SIZES.map((nodes) => `plan-round-${nodes}`),
  async run({ quick, say }) {
    const n = quick ? 5 : 50;
    const measurements: Measurement[] = [];
    for (const nodes of SIZES) {
      say(`${nodes} nodes`);
      measurements.push(await measure(nodes, n, measurements.at(-1)));
    }
    return measurements;
  },
};

async function measure(nodes: number, n: number, smaller: Measurement | undefined): Promise<Measurement> {
  const rest = aNetwork(nodes);
  const situations = { rest, storm: aStorm(rest), night: aNight(rest), rollout: aRollout(rest) };
  const quiet = plan(rest).actions.length;
  if (quiet > 0) throw new Error(`a network at rest must need no actions, but ${quiet} were planned`);
  const times = {
    rest: [] as number[],
    storm: [] as number[],
    night: [] as number[],
    rollout: [] as number[],
    pass: [] as number[],
  };
  for (let i = -Math.min(WARM_UP, n); i < n; i += 1) {
    const round = {
      rest: millisecondsOf(() => plan(situations.rest)),
      storm: millisecondsOf(() => plan(situations.storm)),
      night: millisecondsOf(() => plan(situations.night)),
      rollout: millisecondsOf(() => plan(situations.rollout)),
      pass: millisecondsOf(() => plainPass(situations.storm)),
    };
    if (i < 0) continue;
    for (const kind of ['rest', 'storm', 'night', 'rollout', 'pass'] as const) times[kind].push(round[kind]);
  }
  const value = Math.max(...[times.rest, times.storm, times.night, times.rollout].map(median));
  const allocated = await allocatedBytes(() => plan(situations.rest), ALLOCATION_RUNS);
  const allocatedInStorm = await allocatedBytes(() => plan(situations.storm), ALLOCATION_RUNS);
  const notes = [
    `${nodes * 10} services of ${rest.templates.length} templates on rented nodes; the slowest of: at rest ${median(times.rest).toFixed(3)} ms`,
    `storm of 20 % changes ${median(times.storm).toFixed(3)} ms (${describe(plan(situations.storm).actions)})`,
    `a fifth of all services gone ${median(times.night).toFixed(3)} ms (${describe(plan(situations.night).actions)})`,
    `all to be replaced ${median(times.rollout).toFixed(3)} ms (${describe(plan(situations.rollout).actions)})`,
    `allocates ${kibibytes(allocated)} at rest and ${kibibytes(allocatedInStorm)} in the storm (V8's sampling heap profiler)`,
    'beside one pass that sums players and RAM',
    ...(smaller === undefined ? [] : [growth(value / smaller.value, nodes)]),
  ];
  return {
    metric: `plan-round-${nodes}`,
    value,
    unit: 'ms',
    baseline: median(times.pass),
    n,
    note: notes.join('; '),
    goal: { of: 'value', atMost: GOAL_MS },
  };
}

/**
 * Describes the actions, so that a reader sees which rules were applied.
 *
 * Example: `12 stop, 5 request`.
 */
function describe(actions: readonly Action[]): string {
  const counts = new Map<string, number>();
  for (const { kind } of actions) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(([kind, count]) => `${count} ${kind}`).join(', ') || 'no actions';
}

function kibibytes(bytes: number): string {
  return `${Math.round(bytes / 1024)} KiB`;
}

/**
 * Returns a text that compares the growth with n log n. For ten times the size, n log n allows 10 · log(10 n) / log(n)
 * times the time.
 */
function growth(times: number, nodes: number): string {
  const services = nodes * 10;
  const allowed = (10 * Math.log(services)) / Math.log(services / 10);
  return `×${times.toFixed(1)} for ×10 in size (n log n: ×${allowed.toFixed(1)})`;
}

/** Does the minimum work of a planner: reads all data once. */
function plainPass({ services, nodes, templates }: Snapshot): Map<string, number> {
  const sums = new Map<string, number>();
  for (const node of nodes) sums.set(node.id, node.ramMb);
  for (const template of templates) sums.set(template.id, 0);
  for (const { template, node, players, ramMb } of services) {
    sums.set(template, (sums.get(template) ?? 0) + players);
    if (node !== null) sums.set(node, (sums.get(node) ?? 0) - ramMb);
  }
  return sums;
}
