import type { NetworkModel } from './network.ts';
import { fewestPaidHours, nodesNeeded } from './optimum.ts';
import { simulate, type Planner, type Summary } from './simulate.ts';
import type { Trace } from './trace.ts';

/** Policy with one combination of settings. */
export interface Contender {
  readonly name: string;
  readonly family: 'ours' | 'buffer' | 'percent' | 'mixed';
  /** Returns a new planner without any state. */
  readonly planner: () => Planner;
  /** The network, which includes the settings of Overworld's rules. */
  readonly network: NetworkModel;
  readonly upscalingAtPercent: number;
}

/** Results of a contender over all traces. */
export interface Result {
  readonly contender: Contender;
  readonly byTrace: ReadonlyMap<string, Summary>;
  readonly nodeHours: number;
  readonly cost: number;
  /** Total waiting time of all players (minutes). */
  readonly playerMinutes: number;
  /** Share of joins for which there was no room at first, 0–1. */
  readonly waitedShare: number;
  /** Longest waiting time (s). */
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

/** Returns the result of a contender for a selection of its traces. */
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

/**
 * Returns the minimum number of node-hours that can serve the traces.
 *
 * @param options.fill maximum share of the RAM that may be allocated, 0–1
 */
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

/**
 * Returns the cheapest result whose total waiting time is not longer than that of `limit`. If all waiting times are
 * longer, returns the result with the shortest waiting time.
 */
export function cheapestAtEqualWaiting(results: readonly Result[], limit: Result): Result | undefined {
  const within = results.filter(({ playerMinutes }) => playerMinutes <= limit.playerMinutes);
  if (within.length > 0) return within.toSorted((a, b) => a.nodeHours - b.nodeHours)[0];
  return results.toSorted((a, b) => a.playerMinutes - b.playerMinutes)[0];
}
