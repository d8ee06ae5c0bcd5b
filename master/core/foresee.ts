import type { ForeseenAction, Foresight } from '#shared/model/foresight.ts';
import type { Action } from './action.ts';
import { apply } from './snapshot/apply.ts';
import { HOUR_MS, paidUntil, RELEASE } from './fleet/rental.ts';
import { plan } from './plan.ts';
import { isReleasable, type Snapshot } from './snapshot/snapshot.ts';

/** How far ahead it looks, ms: long enough for every rented node to come to the end of a paid hour. */
const HORIZON_MS = HOUR_MS;

/** Rounds it plans at most; a plan for constant players comes to rest long before. */
const MAX_ROUNDS = 200;

/** Services and nodes it looks at in all its rounds at most: the master has other things to do meanwhile. */
const MAX_LOOKS = 250_000;

/** Rounds it plans in a network of any size. */
const MIN_ROUNDS = 10;

/** Actions it tells of at most: more are read by nobody. */
const MAX_ACTIONS = 5_000;

/** What follows from the rules alone. What services were started from is no part of a snapshot. */
type PlannedForesight = Omit<Foresight, 'outdated'>;

/**
 * What the rules would do from now on if nobody joined or left: plans and carries out in thought until nothing more is
 * to do, then goes on at the next moment at which a rule has waited long enough. Changes nothing.
 */
export function foresee(snapshot: Snapshot): PlannedForesight {
  const actions: ForeseenAction[] = [];
  let current = snapshot;
  let planned = plan(current);
  let complete = false;
  let looksLeft = MAX_LOOKS;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // Counted anew each round: what an edit asks for may be far more than there is.
    looksLeft -= looksFor(current);
    if ((looksLeft < 0 && round >= MIN_ROUNDS) || actions.length >= MAX_ACTIONS) break;
    const afterMs = current.now - snapshot.now;
    actions.push(...planned.actions.map((action) => toForeseen(action, afterMs)));
    if (planned.actions.length > 0) {
      current = apply(current, planned);
    } else {
      const next = nextMoment(current);
      complete = next === null || next - snapshot.now > HORIZON_MS;
      if (next === null || complete) break;
      current = { ...current, now: next };
    }
    planned = plan(current);
  }
  return {
    actions,
    complete,
    waiting: [...planned.waiting].map(([service, wait]) => ({ service, wait })),
    unmet: [...planned.unmet].map(([template, unmet]) => ({ template, unmet })),
    noOrder: planned.noOrder,
  };
}

/** What one round looks at. */
function looksFor({ services, nodes }: Snapshot): number {
  return services.length + nodes.length;
}

/** The next time after now at which a rule may have waited long enough; null when there is none. */
function nextMoment(snapshot: Snapshot): number | null {
  const { now } = snapshot;
  let next = Infinity;
  for (const moments of [unusedMoments, retryMoments, hourMoments, marketMoments]) {
    for (const moment of moments(snapshot)) if (moment > now && moment < next) next = moment;
  }
  return next === Infinity ? null : next;
}

/** When services have been unused for long enough. */
function* unusedMoments({ services, templates }: Snapshot): Iterable<number> {
  const configs = new Map(templates.map(({ id, config }) => [id, config]));
  for (const { template, unusedSince } of services) {
    const killAfter = configs.get(template)?.killUnusedTooManyServersAfter ?? -1;
    if (unusedSince !== null && killAfter !== -1) yield unusedSince + killAfter;
  }
}

/** When failed templates are tried again, and nodes on which starts failed. */
function* retryMoments({ templates, nodes }: Snapshot): Iterable<number> {
  for (const { retryAt } of templates) if (retryAt !== null) yield retryAt;
  for (const { startBackoffs } of nodes) for (const { retryAt } of startBackoffs) yield retryAt;
}

/** When rented nodes may be emptied or given back: in this paid hour, or when it is too late for that in the next. */
function* hourMoments({ nodes, now }: Snapshot): Iterable<number> {
  for (const node of nodes) {
    if (node.rental === null || !isReleasable(node)) continue;
    const until = paidUntil(node.rental, now);
    for (const beforeMs of [RELEASE.drainFromMs, RELEASE.fromMs]) {
      yield until - beforeMs;
      yield until + HOUR_MS - beforeMs;
    }
  }
}

/** When the provider is asked again. */
function* marketMoments({ market }: Snapshot): Iterable<number> {
  if (market === null) return;
  if (market.paused?.until) yield market.paused.until;
  for (const { soldOutUntil } of market.offers) if (soldOutUntil !== null) yield soldOutUntil;
}

function toForeseen(action: Action, afterMs: number): ForeseenAction {
  const { kind, cause } = action;
  return {
    kind,
    afterMs,
    service: 'service' in action ? action.service : null,
    node: 'node' in action ? action.node : null,
    cause,
  };
}
