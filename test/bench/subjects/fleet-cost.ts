import {
  cheapestAtEqualWaiting,
  onlyOn,
  optimumOf,
  runContender,
  type Contender,
  type Result,
} from '../simulator/compare.ts';
import {
  bufferContender,
  mixedContenders,
  ourContender,
  percentContender,
  SPEC_DEFAULTS,
  TUNED,
} from '../simulator/contenders.ts';
import { aNetworkModel, type NetworkModel } from '../simulator/network.ts';
import { toFrontier, toTraces, toUses } from '../simulator/table.ts';
import { makeTrace, traceNames, type Trace } from '../simulator/trace.ts';
import type { Benchmark } from '../kit/benchmark.ts';
import type { Measurement } from '../kit/measurement.ts';

const SEED = 1;

/** Goals: the maximum ratio to the lower bound, and to the policies of comparable systems. */
const GOAL = { optimum: 1.1, peers: 0.85 };

/** Number of players at the peak, and length of the simulated days (h). `QUICK` contains the values for a quick run. */
const FULL = { peak: 1500, hours: 24 };
const QUICK = { peak: 300, hours: 6 };

/**
 * Measures the node-hours that are paid with our planner in five simulated days. Compares them with a lower bound for
 * all policies, and with the policies of two comparable systems. For these policies, the benchmark uses the cheapest
 * settings with which people wait no longer than with our planner (simulator/README.md).
 */
export const fleetCost: Benchmark = {
  metrics: ['fleet-cost', 'fleet-cost-buffer', 'fleet-cost-percent'],
  run({ quick, say }) {
    const network = aNetworkModel();
    const traces = traceNames.map((name) =>
      makeTrace(name, { network, seed: SEED, ...(quick ? QUICK : FULL) }),
    );
    const run = (contenders: readonly Contender[]): Result[] =>
      contenders.map((contender) => {
        say(contender.name);
        return runContender(contender, traces, SEED);
      });
    const [ours, defaults, ...others] = run(ourContenders(network, quick));
    if (ours === undefined || defaults === undefined) throw new Error('none of our settings was run');
    const buffers = run(bufferContenders(network, quick));
    const percents = run(percentContenders(network, quick));
    const mixed = run(mixedContenders(network, TUNED));
    const all = [ours, defaults, ...others, ...buffers, ...percents, ...mixed];
    const optimum = optimumOf(network, traces, { withMinimum: true });
    say(
      `\n${toFrontier(all, optimum)}\n\n${toUses(all)}\n\n${toTraces(ours, optimumByTrace(network, traces))}`,
    );
    return Promise.resolve([
      besideOptimum({ ours, defaults, optimum }, { network, traces }),
      besidePeer('fleet-cost-buffer', { ours, defaults, peers: buffers }),
      besidePeer('fleet-cost-percent', { ours, defaults, peers: percents }),
    ]);
  },
};

/**
 * Returns Overworld's rules with different settings: first the recommended settings, which the metrics use, then the
 * defaults of the specification, and then other settings that an admin may choose.
 */
function ourContenders(network: NetworkModel, quick: boolean): Contender[] {
  const others = [80, 90, 95, 100].flatMap((upscaling) =>
    [0, 90].map((capacity) => ({ upscaling, capacity })),
  );
  const further = others.filter((one) => ![TUNED, SPEC_DEFAULTS].some((known) => isSame(one, known)));
  return [TUNED, SPEC_DEFAULTS, ...(quick ? [] : further)].map((settings) => ourContender(network, settings));
}

function isSame(a: typeof TUNED, b: typeof TUNED): boolean {
  return a.upscaling === b.upscaling && a.capacity === b.capacity;
}

function bufferContenders(network: NetworkModel, quick: boolean): Contender[] {
  const counts = quick ? [1, 3] : [1, 2, 3, 4];
  const percents = quick ? [20] : [10, 15, 20, 25, 28, 30];
  return [...counts.map((count) => ({ count })), ...percents.map((percent) => ({ percent }))].map((size) =>
    bufferContender(network, size),
  );
}

function percentContenders(network: NetworkModel, quick: boolean): Contender[] {
  const settings = quick
    ? ([[100, 300], [80, 20]] as const) // prettier-ignore
    : ([[100, 300], [90, 60], [85, 10], [80, 20], [80, 10], [75, 10], [70, 10]] as const); // prettier-ignore
  return settings.map(([percent, delayS]) => percentContender(network, { percent, delayS }));
}

function optimumByTrace(network: NetworkModel, traces: readonly Trace[]): Map<string, number> {
  return new Map(traces.map((trace) => [trace.name, optimumOf(network, [trace], { withMinimum: true })]));
}

function besideOptimum(
  { ours, defaults, optimum }: { readonly ours: Result; readonly defaults: Result; readonly optimum: number },
  { network, traces }: { readonly network: NetworkModel; readonly traces: readonly Trace[] },
): Measurement {
  const withReserve = optimumOf(network, traces, { withMinimum: true, fill: SPEC_DEFAULTS.upscaling / 100 });
  const note = [
    `${describe(ours)}, on ${traces.length} days (${traces.map(({ name }) => name).join(', ')})`,
    `beside a lower bound that knows the future, moves players at will and boots in no time; the minimum of ready services is in it`,
    `with the spec's defaults (80 % RAM, minimum only): ${describe(defaults)}, ${(defaults.nodeHours / optimum).toFixed(2)} times the bound, ${(defaults.nodeHours / withReserve).toFixed(2)} times the bound for those who keep 20 % of the RAM free, as that setting demands`,
  ];
  return {
    metric: 'fleet-cost',
    value: ours.nodeHours,
    unit: 'node-h',
    baseline: optimum,
    n: traces.length,
    note: note.join('; '),
    goal: { of: 'ratio', atMost: GOAL.optimum },
  };
}

function besidePeer(
  metric: string,
  {
    ours,
    defaults,
    peers,
  }: { readonly ours: Result; readonly defaults: Result; readonly peers: readonly Result[] },
): Measurement {
  const peer = cheapestAtEqualWaiting(peers, ours);
  const ofDefaults = cheapestAtEqualWaiting(peers, defaults);
  if (peer === undefined || ofDefaults === undefined) throw new Error('no setting of this peer was run');
  const [calm, ...calmPeers] = [ours, ...peers].map((one) => onlyOn(one, (trace) => trace !== 'event-spike'));
  const calmPeer = calm === undefined ? undefined : cheapestAtEqualWaiting(calmPeers, calm);
  const longer =
    peer.playerMinutes > ours.playerMinutes ? ' (none of its settings waits as little as ours)' : '';
  const note = [
    `${describe(ours)}; beside ${describe(peer)}${longer}: the cheapest of ${peers.length} settings with which people wait no longer, all in all`,
    `both in the same simulator, on the same days, with Kubernetes' cluster-autoscaler for the nodes of the other`,
    ...(calm === undefined || calmPeer === undefined ? [] : [withoutEvent(calm, calmPeer)]),
    `with the spec's defaults: ${describe(defaults)}; beside ${describe(ofDefaults)}: ratio ${(defaults.nodeHours / ofDefaults.nodeHours).toFixed(2)}`,
  ];
  return {
    metric,
    value: ours.nodeHours,
    unit: 'node-h',
    baseline: peer.nodeHours,
    n: ours.byTrace.size,
    note: note.join('; '),
    goal: { of: 'ratio', atMost: GOAL.peers },
  };
}

function withoutEvent(ours: Result, peer: Result): string {
  const ratio = (ours.nodeHours / peer.nodeHours).toFixed(2);
  return `nearly all waiting is that of the event: without that day ${describe(ours)} beside ${describe(peer)}, ratio ${ratio}`;
}

/**
 * Describes a result.
 *
 * Example: `ours 95 % RAM, 90 % slots (2463 node-h, 3829 player-minutes waited)`.
 */
function describe({ contender, nodeHours, playerMinutes }: Result): string {
  return `${contender.name} (${nodeHours} node-h, ${playerMinutes.toFixed(0)} player-minutes waited)`;
}
