import { serviceRamMb } from '#shared/config/template.ts';
import { fewestNodes, type Kind } from './bin-bound.ts';
import type { NetworkModel } from './network.ts';
import type { Trace } from './trace.ts';

/** At least `count` nodes from `at` on, until the next step. ms since the start of the trace. */
export interface Step {
  readonly at: number;
  readonly count: number;
}

export interface NeedOptions {
  readonly network: Pick<NetworkModel, 'templates' | 'nodeTypes'>;
  readonly trace: Trace;
  /** Empty services are kept ready as the templates' `minimumRunningServers` demand (docs/specification.md#minimumrunningservers). */
  readonly withMinimum: boolean;
  /** Part of the RAM that may be allocated at most, 0–1: 0.8 for `upscaling_at_percent_capacity` 80; 1: all of it. */
  readonly fill?: number;
}

const HOUR_MS = 3_600_000;

/**
 * The fewest nodes at every moment of a trace on which everybody has a seat from the moment they come.
 *
 * Players of a template who are there need ⌈players / maxPlayers⌉ services of it, however they are seated; services
 * need at least as many nodes as any packing does (bin-bound.ts). Lead times count for nothing, and players may
 * change their service at any time: whoever has to do without that needs more, never less.
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

/** Everybody who comes and goes while the trace lasts, in order; who goes at the same moment goes first. */
function changesOf({ arrivals, durationMs }: Trace): Change[] {
  const changes = arrivals.flatMap(({ at, template, stayMs }): Change[] => [
    { at, template, change: 1 },
    { at: at + stayMs, template, change: -1 },
  ]);
  return changes.filter(({ at }) => at < durationMs).sort((a, b) => a.at - b.at || a.change - b.change);
}

/**
 * The fewest paid hours with which so many nodes are there at every moment: a true lower bound for every policy.
 *
 * A node that is paid for k hours is there for at most k hours in a row: it covers no more than k rentals of one hour,
 * each beginning where the last ends. So the cheapest set of one-hour rentals, free to begin at any time, costs no
 * more than any real fleet. Sweep through time, and rent only at a moment at which nodes are missing: of any better
 * solution, take the rentals that are there at the first such moment; none begins later, so each may be put off until
 * then, and covers as much of what is still to come as before or more. By induction no solution needs fewer.
 *
 * (Counting each layer "at least k nodes" by itself is no bound: an hour may serve two layers one after the other.)
 *
 * Example: one node from 0:00 to 0:06 and from 1:12, two at 0:30 → rentals at 0:00, 0:30 and, that one ending at
 * 1:30, 1:30; layers would take one at 1:12 besides.
 *
 * @param end ms since the start of the trace; nothing is needed from then on
 */
export function fewestPaidHours(steps: readonly Step[], end: number): number {
  /** Ends of the rentals there are, the first to end first. */
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
