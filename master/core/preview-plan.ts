import type { PreviewedAction, PlanPreview } from '#shared/model/plan-preview.ts';
import type { Action } from './action.ts';
import { apply } from './snapshot/apply.ts';
import { HOUR_MS, paidUntil, RELEASE } from './fleet/release-window.ts';
import { plan } from './plan.ts';
import { isReleasable, type Snapshot } from './snapshot/snapshot.ts';

/** Maximum time to look ahead (ms). Within one hour every cloud node reaches the end of a paid hour. */
const HORIZON_MS = HOUR_MS;

/** Maximum number of rounds to plan. With a constant number of players, plans become empty long before. */
const MAX_ROUNDS = 200;

/** Maximum number of services and nodes to process in all rounds together, so that the master stays responsive. */
const MAX_LOOKS = 250_000;

/** Minimum number of rounds to plan, whatever the size of the network. */
const MIN_ROUNDS = 10;

/** Maximum number of actions to report. */
const MAX_ACTIONS = 5_000;

/**
 * The part of a forecast that follows from the rules alone. `outdated` is missing because a snapshot does not
 * contain the revisions from which services were started.
 */
type PlannedPreview = Omit<PlanPreview, 'outdated'>;

/**
 * Returns the actions of the rules within the next hour if no player joins or leaves. Plans and applies round after
 * round until a plan is empty, then continues at the next time at which a rule may act. Has no side effects.
 * `complete` is false if the forecast ended early: after 200 rounds, after 5,000 actions or, in a large network,
 * after fewer rounds.
 */
export function previewPlan(snapshot: Snapshot): PlannedPreview {
  const actions: PreviewedAction[] = [];
  let current = snapshot;
  let planned = plan(current);
  let complete = false;
  let looksLeft = MAX_LOOKS;
  for (let round = 0; round < MAX_ROUNDS; round++) {
    // The size is calculated again in each round, because a configuration change may request many more services than
    // exist now.
    looksLeft -= looksFor(current);
    if ((looksLeft < 0 && round >= MIN_ROUNDS) || actions.length >= MAX_ACTIONS) break;
    const afterMs = current.now - snapshot.now;
    actions.push(...planned.actions.map((action) => toPreviewedAction(action, afterMs)));
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

/** Returns the number of services and nodes that the planning of one round has to look at. */
function looksFor({ services, nodes }: Snapshot): number {
  return services.length + nodes.length;
}

/** Returns the next time after now at which a rule may act (ms since epoch). Null if there is none. */
function nextMoment(snapshot: Snapshot): number | null {
  const { now } = snapshot;
  let next = Infinity;
  for (const moments of [unusedMoments, availableMoments, retryMoments, hourMoments, marketMoments]) {
    for (const moment of moments(snapshot)) if (moment > now && moment < next) next = moment;
  }
  return next === Infinity ? null : next;
}

/** Yields the times at which services have been unused for long enough to be stopped. */
function* unusedMoments({ services, templates }: Snapshot): Iterable<number> {
  const configs = new Map(templates.map(({ id, config }) => [id, config]));
  for (const { template, unusedSince } of services) {
    const killAfter = configs.get(template)?.killUnusedTooManyServersAfter ?? -1;
    if (unusedSince !== null && killAfter !== -1) yield unusedSince + killAfter;
  }
}

/**
 * Yields the time from which all services that are up count as replacements, at most `MIN_READY_MS` later than the
 * first of them. With a round for each service, the preview would end within these seconds if hundreds of services
 * have just come up.
 */
function* availableMoments({ services }: Snapshot): Iterable<number> {
  let latest = -Infinity;
  for (const { availableAt } of services)
    if (availableAt !== null && availableAt > latest) latest = availableAt;
  if (latest !== -Infinity) yield latest;
}

/** Yields the times at which templates and nodes with failed starts are tried again. */
function* retryMoments({ templates, nodes }: Snapshot): Iterable<number> {
  for (const { retryAt } of templates) if (retryAt !== null) yield retryAt;
  for (const { startBackoffs } of nodes) for (const { retryAt } of startBackoffs) yield retryAt;
}

/**
 * Yields the times at which cloud nodes may be drained or released: in this paid hour or, if that time has passed,
 * in the next.
 */
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

/**
 * Yields the times at which nodes may be ordered again after the provider rejected an order or a type was sold out.
 */
function* marketMoments({ market }: Snapshot): Iterable<number> {
  if (market === null) return;
  if (market.paused?.until) yield market.paused.until;
  for (const { soldOutUntil } of market.offers) if (soldOutUntil !== null) yield soldOutUntil;
}

function toPreviewedAction(action: Action, afterMs: number): PreviewedAction {
  const { kind, cause } = action;
  return {
    kind,
    afterMs,
    service: 'service' in action ? action.service : null,
    node: 'node' in action ? action.node : null,
    cause,
  };
}
