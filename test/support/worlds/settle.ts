import { plan } from '#master/core/plan.ts';
import type { Plan } from '#master/core/action.ts';
import type { Snapshot } from '#master/core/snapshot.ts';
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
 * Each round frees, requests, places or arrives; a budget of one start at a time and a dozen services, twice over, is
 * the most that these worlds need.
 */
const MOST_ROUNDS = 60;

/** Plans and carries out, while players and time stand still, until a plan is empty. */
export function settle(snapshot: Snapshot, fate: Fate = 'gone'): Settling {
  let last: Round = { snapshot, planned: plan(snapshot) };
  const rounds = [last];
  while (last.planned.actions.length > 0 && rounds.length < MOST_ROUNDS) {
    const next = afterwards(last.snapshot, last.planned, fate);
    last = { snapshot: next, planned: plan(next) };
    rounds.push(last);
  }
  return { rounds, last, atRest: last.planned.actions.length === 0 };
}

/** Fails with what was broken and the way there: the world in a few lines, the first and the last plans. */
export function refuseSettling(breaches: readonly string[], { rounds }: Settling): void {
  const [first] = rounds;
  if (breaches.length === 0 || first === undefined) return;
  const plans = rounds.map(({ planned }, i) => `${i}: ${planInWords({ ...planned, kept: new Map() })}`);
  const told = plans.length > 8 ? [...plans.slice(0, 5), '…', ...plans.slice(-3)] : plans;
  throw new Error([`broken by: ${breaches.join('; ')}`, worldInWords(first.snapshot), ...told].join('\n'));
}
