import { serviceRamMb } from '#shared/config/template.ts';
import { fewestNodes, type Kind } from './bin-bound.ts';
import type { NetworkModel } from './network.ts';
import type { Trace } from './trace.ts';

/**
 * Number of needed nodes in a span of time: at least `count` nodes from the time `at` (ms since the start of the
 * trace) until the next step.
 */
export interface Step {
  readonly at: number;
  readonly count: number;
}

export interface NeedOptions {
  readonly network: Pick<NetworkModel, 'templates' | 'nodeTypes'>;
  readonly trace: Trace;
  /**
   * Whether empty services are kept ready as `minimumRunningServers` requires
   * (docs/specification.md#minimumrunningservers).
   */
  readonly withMinimum: boolean;
  /**
   * Maximum share of the RAM that may be allocated, 0–1; default 1. Example: 0.8 corresponds to 80 in
   * `upscaling_at_percent_capacity`.
   */
  readonly fill?: number;
}

const HOUR_MS = 3_600_000;

/**
 * Returns the minimum number of nodes at each moment of a trace with which all players find room as soon as they
 * arrive.
 *
 * With each distribution, the players of a template need at least ⌈players / maxPlayers⌉ services. These services
 * need at least as many nodes as fewestNodes (bin-bound.ts) returns. The result ignores lead times, and assumes that
 * players can change their service at any time. So a real network needs at least this number of nodes.
 */
export function nodesNeeded({ network, trace, withMinimum, fill = 1 }: NeedOptions): Step[] {
  const { templates } = network;
  const nodeMb = Math.max(...network.nodeTypes.map(({ ramMb }) => ramMb));
  const players = templates.map(() => 0);
  const kinds = templates.map(({ config }): Kind => ({ sizeMb: serviceRamMb(config), count: 0 }));
  const steps: Step[] = [{ at: 0, count: 0 }];
  const count = (at: number, index: number): void => {
    const config = templates[index]?.config;
    const kind = kinds[index];
    if (config === undefined || kind === undefined) return;
    const wanted =
      Math.ceil((players[index] ?? 0) / config.maxPlayers) + (withMinimum ? config.minimumRunningServers : 0);
    if (wanted === kind.count) return;
    kinds[index] = { ...kind, count: wanted };
    const nodes = fewestNodes(kinds, { nodeMb, fill });
    if (nodes !== steps.at(-1)?.count) steps.push({ at, count: nodes });
  };
  templates.forEach((_, index) => count(trace.openingMs, index));
  for (const { at, template, change } of changesOf(trace)) {
    players[template] = (players[template] ?? 0) + change;
    count(at, template);
  }
  return steps;
}

interface Change {
  readonly at: number;
  readonly template: number;
  readonly change: 1 | -1;
}

/** Returns all arrivals and departures of a trace, sorted by time. At equal times, departures come first. */
function changesOf({ arrivals, durationMs }: Trace): Change[] {
  const changes = arrivals.flatMap(({ at, template, stayMs }): Change[] => [
    { at, template, change: 1 },
    { at: at + stayMs, template, change: -1 },
  ]);
  return changes.filter(({ at }) => at < durationMs).sort((a, b) => a.at - b.at || a.change - b.change);
}

/**
 * Returns the minimum number of paid hours that provide the needed nodes at each moment. It is a lower bound for all
 * policies.
 *
 * A node that is paid for k hours exists for at most k hours in a row, so it provides no more than k consecutive
 * one-hour rentals. Therefore, the cheapest set of one-hour rentals that may begin at any time costs no more than any
 * real fleet.
 *
 * The algorithm goes through time, and rents only when nodes are missing. Proof that no solution needs fewer rentals:
 * take a better solution, and the first moment at which nodes are missing. Each rental of the better solution that
 * exists at this moment can be postponed to this moment. After that, it covers at least as much of the future. The
 * rest follows by induction.
 *
 * A separate count for each layer "at least k nodes" is no lower bound, because one hour can serve two layers one
 * after the other.
 *
 * Example: one node is needed from 0:00 to 0:06 and from 1:12 on, and two nodes are needed at 0:30. The rentals begin
 * at 0:00, at 0:30, and at 1:30, when the second rental ends. With separate layers, another rental at 1:12 would be
 * needed.
 *
 * @param end end of the demand (ms since the start of the trace)
 */
export function fewestPaidHours(steps: readonly Step[], end: number): number {
  /** Times at which the existing rentals end, the earliest first. */
  const ends: number[] = [];
  let [first, rentals] = [0, 0];
  steps.forEach(({ at, count }, i) => {
    const until = Math.min(end, steps[i + 1]?.at ?? end);
    for (let now = at; now < until;) {
      while ((ends[first] ?? Infinity) <= now) first += 1;
      for (; ends.length - first < count; rentals += 1) ends.push(now + HOUR_MS);
      now = count === 0 ? until : (ends[first] ?? Infinity);
    }
  });
  return rentals;
}
