import { plan } from '#master/core/plan.ts';
import type { Plan } from '#master/core/action.ts';
import type { Snapshot } from '#master/core/snapshot/snapshot.ts';
import { afterwards, type Fate } from './afterwards.ts';
import { planInWords, worldInWords } from './words.ts';

/** One round: what was seen and what was decided. */
export interface Round {
  readonly snapshot: Snapshot;
  readonly planned: Plan;
}

/** Rounds that lead to rest, the last of them with an empty plan if rest was reached. */
export interface Settling {
  readonly rounds: readonly Round[];
  readonly last: Round;
  readonly atRest: boolean;
}

/**
 * Each round frees, requests, places or arrives, which takes a few dozen at most; only a threshold of 1 % that wants
 * more than a thousand small nodes, so many at once, takes longer.
 */
const MOST_ROUNDS = 120;

/** Plans and carries out, while players and time stand still, until a plan is empty and nothing is on its way. */
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

/** Something will have changed by the next round though nothing is planned. */
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

/** The way to rest: the world in a few lines, the first and the last plans. */
export function settlingInWords({ rounds }: Settling): string {
  const plans = rounds.map(({ planned }, i) => `${i}: ${planInWords({ ...planned, kept: new Map() })}`);
  const told = plans.length > 8 ? [...plans.slice(0, 5), '…', ...plans.slice(-3)] : plans;
  return [...rounds.slice(0, 1).map(({ snapshot }) => worldInWords(snapshot)), ...told].join('\n');
}
