import { plan } from '#master/core/plan.ts';
import type { Snapshot } from '#master/core/snapshot.ts';
import type { Benchmark } from '../kit/benchmark.ts';
import type { Measurement } from '../kit/measurement.ts';
import { aNetwork, aStorm } from '../kit/network-snapshot.ts';
import { median } from '../kit/statistics.ts';

const SIZES = [10, 100, 1000] as const;

/** Design 9: one round in 10 ms, at 1,000 nodes. */
const GOAL_MS = 10;

/** Runs that are thrown away: after them the code is compiled as it will stay. */
const WARM_UP = 20;

/** Time to plan one round, at rest and in a storm, beside a plain pass over the same data; and how it grows. */
export const planRound: Benchmark = {
  metrics: SIZES.map((nodes) => `plan-round-${nodes}`),
  run({ quick, say }) {
    const n = quick ? 5 : 50;
    const measurements: Measurement[] = [];
    for (const nodes of SIZES) {
      say(`${nodes} nodes`);
      measurements.push(measure(nodes, n, measurements.at(-1)));
    }
    return Promise.resolve(measurements);
  },
};

function measure(nodes: number, n: number, smaller: Measurement | undefined): Measurement {
  const calm = aNetwork(nodes);
  const storm = aStorm(calm);
  const quiet = plan(calm).actions.length;
  if (quiet > 0) throw new Error(`a network at rest must need no actions, but ${quiet} were planned`);
  const { actions } = plan(storm);
  const times = { calm: [] as number[], storm: [] as number[], pass: [] as number[] };
  for (let i = -Math.min(WARM_UP, n); i < n; i += 1) {
    const round = {
      calm: millisecondsOf(() => plan(calm)),
      storm: millisecondsOf(() => plan(storm)),
      pass: millisecondsOf(() => plainPass(storm)),
    };
    if (i < 0) continue;
    for (const kind of ['calm', 'storm', 'pass'] as const) times[kind].push(round[kind]);
  }
  const [calmMs, stormMs] = [median(times.calm), median(times.storm)];
  const value = Math.max(calmMs, stormMs);
  const notes = [
    `${nodes * 10} services of ${calm.templates.length} templates; at rest ${calmMs.toFixed(3)} ms, storm of 20 % changes ${stormMs.toFixed(3)} ms (${actions.length} actions); beside one pass that sums players and RAM`,
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

/** Ten times the size may take 10 · log(10 n) / log(n) times as long. */
function growth(times: number, nodes: number): string {
  const services = nodes * 10;
  const allowed = (10 * Math.log(services)) / Math.log(services / 10);
  return `×${times.toFixed(1)} for ×10 in size (n log n: ×${allowed.toFixed(1)})`;
}

function millisecondsOf(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/** The least that any planner does: look at everything once. */
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
