import type { NetworkModel } from './network.ts';
import { fewestPaidHours, nodesNeeded } from './optimum.ts';
import { simulate, type Planner, type Summary } from './simulate.ts';
import type { Trace } from './trace.ts';

/** One policy with one setting. */
export interface Contender {
  readonly name: string;
  readonly family: 'ours' | 'buffer' | 'percent' | 'mixed';
  /** A planner that has seen nothing yet. */
  readonly planner: () => Planner;
  /** Settings of the master configuration and the templates, for our rules. */
  readonly network: NetworkModel;
  readonly upscalingAtPercent: number;
}

/** How one contender did, over all traces. */
export interface Result {
  readonly contender: Contender;
  readonly byTrace: ReadonlyMap<string, Summary>;
  readonly nodeHours: number;
  readonly cost: number;
  /** All waiting of all people, minutes. */
  readonly playerMinutes: number;
  /** Part of all joins that found no room at first. */
  readonly waitedShare: number;
  /** Longest wait, s. */
  readonly maxWaitS: number;
}

export function runContender(contender: Contender, traces: readonly Trace[], seed: number): Result {
  const { network, upscalingAtPercent, planner } = contender;
  const byTrace = new Map(
    traces.map((trace): [string, Summary] => {
      const options = { network, trace, planner: planner(), seed, upscalingAtPercent, sampleMs: 0 };
      return [trace.name, simulate(options).summary];
    }),
  );
  return sumUp(contender, byTrace);
}

/** The same contender on some of its days only. */
export function onlyOn({ contender, byTrace }: Result, isMeant: (trace: string) => boolean): Result {
  return sumUp(contender, new Map([...byTrace].filter(([trace]) => isMeant(trace))));
}

function sumUp(contender: Contender, byTrace: ReadonlyMap<string, Summary>): Result {
  const all = [...byTrace.values()];
  const sum = (of: (summary: Summary) => number): number => all.reduce((total, one) => total + of(one), 0);
  return {
    contender,
    byTrace,
    nodeHours: sum(({ nodeHours }) => nodeHours),
    cost: sum(({ cost }) => cost),
    playerMinutes: sum(({ waits }) => waits.playerMinutes),
    waitedShare:
      sum(({ waits }) => waits.count) /
      Math.max(
        1,
        sum(({ waits }) => waits.joins),
      ),
    maxWaitS: Math.max(...all.map(({ waits }) => waits.maxS)),
  };
}

/** The least node-hours with which the traces can be served at all; with a part of the RAM that is to stay free. */
export function optimumOf(
  network: NetworkModel,
  traces: readonly Trace[],
  { withMinimum, fill = 1 }: { readonly withMinimum: boolean; readonly fill?: number },
): number {
  return traces.reduce(
    (sum, trace) =>
      sum + fewestPaidHours(nodesNeeded({ network, trace, withMinimum, fill }), trace.durationMs),
    0,
  );
}

/** The cheapest of those that let nobody wait longer, all in all, than `limit` does; the one that waits least if none does. */
export function cheapestAtEqualWaiting(results: readonly Result[], limit: Result): Result | undefined {
  const within = results.filter(({ playerMinutes }) => playerMinutes <= limit.playerMinutes);
  if (within.length > 0) return within.toSorted((a, b) => a.nodeHours - b.nodeHours)[0];
  return results.toSorted((a, b) => a.playerMinutes - b.playerMinutes)[0];
}
