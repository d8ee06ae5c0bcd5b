import { plan } from '#master/core/plan.ts';
import type { Plan } from '#master/core/action.ts';
import type { Snapshot } from '#master/core/snapshot/snapshot.ts';
import { afterwards, type Fate } from './afterwards.ts';
import { planInWords, worldInWords } from './words.ts';

/** One round of the control loop: the snapshot and its plan. */
export interface Round {
  readonly snapshot: Snapshot;
  readonly planned: Plan;
}

/**
 * The rounds until the network no longer changes, at most {@link MOST_ROUNDS}. `atRest`: whether the plan of the last
 * round is empty.
 */
export interface Settling {
  readonly rounds: readonly Round[];
  readonly last: Round;
  readonly atRest: boolean;
}

/**
 * Maximum number of rounds. A few dozen rounds are enough, except with a threshold of 1 %. This threshold requires
 * more than a thousand small nodes, and only some nodes are ordered at the same time.
 */
const MOST_ROUNDS = 120;

/** Makes and applies plans until a plan is empty and no operation is in progress. Players and time do not change. */
export function settle(snapshot: Snapshot, fate: Fate = 'gone'): Settling {
  let last: Round = { snapshot, planned: plan(snapshot) };
  const rounds = [last];
  while ((last.planned.actions.length > 0 || isMoving(last.snapshot)) && rounds.length < MOST_ROUNDS) {
    const next = afterwards(last.snapshot, last.planned, fate);
    last = { snapshot: next, planned: plan(next) };
    rounds.push(last);
  }
  return { rounds, last, atRest: last.planned.actions.length === 0 };
}

/** Returns whether an operation is in progress, so that the next round differs even with an empty plan. */
function isMoving({ services, nodes }: Snapshot): boolean {
  const lost = new Set(nodes.filter(({ state }) => state === 'LOST').map(({ id }) => id));
  return (
    nodes.some(({ state }) => state === 'ORDERED' || state === 'BOOTING' || state === 'DELETING') ||
    services.some(
      ({ state, stopping, restarting, node }) =>
        (node === null || !lost.has(node)) &&
        (stopping || (restarting && node !== null) || state === 'PREPARING' || state === 'STARTING'),
    )
  );
}

/** Describes the rounds briefly: the first network, and the first and last plans. */
export function settlingInWords({ rounds }: Settling): string {
  const plans = rounds.map(({ planned }, i) => `${i}: ${planInWords({ ...planned, kept: new Map() })}`);
  const told = plans.length > 8 ? [...plans.slice(0, 5), '…', ...plans.slice(-3)] : plans;
  return [...rounds.slice(0, 1).map(({ snapshot }) => worldInWords(snapshot)), ...told].join('\n');
}
