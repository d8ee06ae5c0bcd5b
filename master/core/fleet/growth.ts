import type { ServiceId } from '#shared/model/service.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Wait } from '#shared/model/wait.ts';
import type { ActionOf } from '../action.ts';
import type { SnapshotIndex } from '../snapshot/snapshot-index.ts';
import type { ServiceToPlace } from '../placement/choose-node.ts';
import type { Market, NodeSnapshot, Offer, Snapshot, StartBackoff } from '../snapshot/snapshot.ts';
import { backoffOf } from '../placement/node-backoff.ts';
import type { Starts } from '../placement/starts.ts';
import { isProvisioning, Need } from './need.ts';
import { affordableCount, budgetOf, whyOverBudget } from './budget.ts';
import {
  cheapestPurchase,
  describeNoOffer,
  eligibleOffers,
  offersInOneLocation,
  type Purchase,
} from './choose-server-type.ts';
import { MAX_COMING, whyNoOrder } from './spending.ts';
import {
  explainUnschedulable,
  largestNodeMb,
  waitForLargerType,
  waitForNode,
  waitForRetry,
  waitForUnreachableNode,
  type UnschedulableContext,
} from './unschedulable.ts';

export interface ScaleUp {
  readonly actions: readonly (ActionOf<'resume'> | ActionOf<'order'>)[];
  /** Reasons why services that fit on no open node wait, by service. */
  readonly waiting: ReadonlyMap<ServiceId, Wait>;
  /** Why no node is ordered although one is needed; null otherwise. */
  readonly noOrder: Wait | null;
  /**
   * Services that fit on no open node now, but would fit on an existing node if it were empty. Services that need more
   * RAM than the largest node has are not included, because no existing node helps them.
   */
  readonly unschedulable: readonly ServiceToPlace[];
  /**
   * Whether nodes are ordered or resumed in this round, or will soon accept services that wait for them. If true, the
   * rules drain and release no node that works: once those services have started, they count towards the RAM that is
   * needed.
   */
  readonly isGrowing: boolean;
}

/**
 * Plans how the fleet grows. While RAM is missing, it first resumes draining nodes, then waits for unreachable
 * nodes, and orders new nodes last.
 */
export function planGrowth(index: SnapshotIndex, starts: Starts): ScaleUp {
  const { market, now, configureMode } = index.snapshot;
  const anywhere = market === null ? [] : eligibleOffers(market, now);
  const largestMb = largestNodeMb(anywhere, index.snapshot);
  const unschedulable = starts.unschedulable.filter(({ service }) => service.ramMb <= largestMb);
  const need = new Need(index, starts, unschedulable);
  const { helped, resumes } = useExisting(need, { index, starts, unschedulable });
  need.awaitOthers(index);
  const neededMb = Math.max(0, ...need.unplaced.map(({ service }) => service.ramMb));
  const offers = market === null ? [] : offersInOneLocation(anywhere, market, neededMb);
  const largestOfferMb = Math.max(0, ...offers.map(({ ramMb }) => ramMb));
  const larger = offers.length === 0 ? [] : need.leaveOutLargerThan(largestOfferMb);
  const refused = need.exists() ? refuse(index, offers) : null;
  const { affordable, beyondBudget } =
    refused === null ? withinBudget(need, offers, index) : NOTHING_LEFT_OUT;
  const orders = need.exists() && refused === null ? orderNodes(need, affordable, index) : [];
  const tooBig = starts.unschedulable.find(({ service }) => service.ramMb > largestMb) ?? larger[0];
  const tooSmall = market === null || tooBig === undefined ? null : waitForLargerType(tooBig, largestOfferMb);
  return {
    actions: [...resumes, ...orders],
    waiting: explainWaits(starts, {
      index,
      need,
      orders,
      noOrder: refused ?? beyondBudget,
      largestMb,
      configureMode,
      nodes: index.snapshot.nodes,
      now,
      rolling: starts.unschedulable.length === 0 ? NONE : rollingTemplates(index.snapshot),
    }),
    unschedulable: helped,
    noOrder: refused ?? beyondBudget ?? tooSmall,
    isGrowing: resumes.length + orders.length + need.placed.size + need.awaiting.size > 0,
  };
}

interface Existing {
  readonly index: SnapshotIndex;
  readonly starts: Starts;
  readonly unschedulable: readonly ServiceToPlace[];
}

/**
 * Plans how existing nodes reduce the need. Services that need more RAM than the largest node has do not count, so
 * that no node is resumed for them.
 */
function useExisting(
  need: Need,
  { index, starts, unschedulable }: Existing,
): {
  readonly helped: readonly ServiceToPlace[];
  readonly resumes: readonly ActionOf<'resume'>[];
} {
  const existingMb = largestExistingMb(index.snapshot);
  const helped = unschedulable.filter(({ service }) => service.ramMb <= existingMb);
  if (helped.length === unschedulable.length) return { helped, resumes: resumeNodes(need, index) };
  const ofHelped = new Need(index, starts, helped);
  const resumes = resumeNodes(ofHelped, index);
  const resumed = new Set(resumes.map(({ node }) => node));
  for (const node of index.snapshot.nodes) if (resumed.has(node.id)) need.resume(node, index);
  return { helped, resumes };
}

/** Returns the RAM of the largest node that is not lost and not being deleted (MB); 0 if there is none. */
function largestExistingMb({ nodes }: Snapshot): number {
  const staying = nodes.filter(({ state }) => state !== 'LOST' && state !== 'DELETING');
  return Math.max(0, ...staying.map(({ ramMb }) => ramMb));
}

/**
 * Resumes nodes that the rules drained until no RAM is missing. Nodes with the most services in use come first; nodes
 * whose RAM does not reduce the need are skipped. In configure mode, all nodes that the rules drained are resumed.
 */
function resumeNodes(need: Need, index: SnapshotIndex): ActionOf<'resume'>[] {
  const resumes: ActionOf<'resume'>[] = [];
  const draining = index.snapshot.nodes
    .filter(({ state, drainedByRules, held }) => state === 'DRAINING' && drainedByRules && !held)
    .sort((a, b) => byUse(index, a, b));
  for (const node of draining) {
    const { configureMode } = index.snapshot;
    // The need is checked again for each node, because the nodes resumed so far may be enough.
    if (!configureMode && (!need.exists() || !need.isEasedBy(node, index))) continue;
    const cause = configureMode
      ? 'configure mode is on, so no rule drains a node'
      : `${describeNeed(need, index)}; it is needed again`;
    resumes.push({ kind: 'resume', node: node.id, cause });
    need.resume(node, index);
  }
  return resumes;
}

function byUse(index: SnapshotIndex, a: NodeSnapshot, b: NodeSnapshot): number {
  const [ofA, ofB] = [index.onNode(a.id), index.onNode(b.id)];
  return ofB.inUse - ofA.inUse || ofB.allocatedMb - ofA.allocatedMb || (a.id < b.id ? -1 : 1);
}

function orderNodes(need: Need, offers: readonly Offer[], index: SnapshotIndex): ActionOf<'order'>[] {
  const { market, upscalingAtPercent: thresholdPercent } = index.snapshot;
  const services = need.unplaced.map(({ service }) => service.ramMb);
  const budget = budgetOf(index.snapshot);
  const purchase = cheapestPurchase(offers, services, {
    load: need.load,
    thresholdPercent,
    allowed: ({ hourlyPrice }) => affordableCount(budget, hourlyPrice, index.snapshot.now),
  });
  if (market === null || purchase === undefined) return [];
  const count = Math.min(purchase.count, MAX_COMING - countComing(index));
  return toOrders({ ...purchase, count }, market, describeNeed(need, index));
}

function toOrders(
  { offer, count, isEnough }: Purchase,
  { nextNumber, locations: [preferred] }: Market,
  why: string,
): ActionOf<'order'>[] {
  const { type, location, ramMb, hourlyPrice } = offer;
  const where =
    location === preferred ? '' : ` in ${location}, because ${preferred} has none left that is large enough`;
  const numbers = count === 1 ? '' : `${count} × `;
  const choice = isEnough
    ? 'the cheapest that is enough'
    : 'the most RAM that the limits of the budget allow';
  return Array.from({ length: count }, (_, i) => ({
    kind: 'order',
    node: `node-${nextNumber + i}`,
    type,
    location,
    ramMb,
    cause: `${why}; ${numbers}${type} is ${choice} (${hourlyPrice} EUR per hour each)${where}`,
  }));
}

/** Explains why a node is needed, with the numbers of the rule. */
function describeNeed({ unplaced, load }: Need, { snapshot }: SnapshotIndex): string {
  const [first] = unplaced;
  if (first !== undefined) {
    const more = unplaced.length === 1 ? '' : ` and ${unplaced.length - 1} more`;
    return `${first.service.id}${more} fits on no node (${first.service.ramMb} MB)`;
  }
  const { allocatedMb, totalMb } = load;
  const percent = Math.floor((allocatedMb * 100) / totalMb);
  return `${allocatedMb} of ${totalMb} MB allocated, ${percent} % ≥ ${snapshot.upscalingAtPercent} % (upscaling_at_percent_capacity)`;
}

function countComing({ snapshot }: SnapshotIndex): number {
  return snapshot.nodes.filter(isProvisioning).length;
}

function refuse(index: SnapshotIndex, offers: readonly Offer[]): Wait | null {
  const { market, configureMode, now } = index.snapshot;
  if (market === null) return null;
  const noOffer = offers.length === 0 ? describeNoOffer(market, now) : null;
  const overBudget =
    noOffer === null ? whyOverBudget(budgetOf(index.snapshot), cheapestPrice(offers), now) : null;
  const coming = countComing(index);
  return whyNoOrder({ configureMode, paused: market.paused, noOffer, overBudget, coming }, now);
}

function cheapestPrice(offers: readonly Offer[]): number {
  return Math.min(...offers.map(({ hourlyPrice }) => hourlyPrice));
}

interface BudgetedOffers {
  /** Offers of which at least one node is within the limits. */
  readonly affordable: readonly Offer[];
  /**
   * Why no node is ordered for services that need a larger node than the limits allow. Null if there are no such
   * services.
   */
  readonly beyondBudget: Wait | null;
}

const NOTHING_LEFT_OUT: BudgetedOffers = { affordable: [], beyondBudget: null };

/**
 * Keeps only the offers of which at least one node is within the limits. Removes the services that fit on none of
 * these offers from the need.
 */
function withinBudget(need: Need, offers: readonly Offer[], index: SnapshotIndex): BudgetedOffers {
  const { now } = index.snapshot;
  const budget = budgetOf(index.snapshot);
  const affordable = offers.filter(({ hourlyPrice }) => affordableCount(budget, hourlyPrice, now) >= 1);
  if (affordable.length === offers.length) return { affordable, beyondBudget: null };
  const [first] = need.leaveOutLargerThan(Math.max(0, ...affordable.map(({ ramMb }) => ramMb)));
  const fitting = offers.filter(({ ramMb }) => first !== undefined && ramMb >= first.service.ramMb);
  const why = fitting.length === 0 ? null : whyOverBudget(budget, cheapestPrice(fitting), now);
  return { affordable, beyondBudget: why === null ? null : { reason: 'BUDGET_REACHED', ...why } };
}

const NONE: ReadonlySet<TemplateId> = new Set();

/** Returns the templates whose services are being replaced in a rolling restart. */
function rollingTemplates({ services }: Snapshot): ReadonlySet<TemplateId> {
  return new Set(services.filter(({ retiring, held }) => retiring && !held).map(({ template }) => template));
}

function retryOn(
  node: NodeSnapshot | undefined,
  { template }: ServiceToPlace,
  now: number,
): StartBackoff | null {
  return node?.silent === false ? backoffOf(node, template.id, now) : null;
}

interface Outcome extends Omit<UnschedulableContext, 'capacities'> {
  readonly index: SnapshotIndex;
  readonly need: Need;
  readonly orders: readonly ActionOf<'order'>[];
}

function explainWaits({ unschedulable, capacities }: Starts, outcome: Outcome): Map<ServiceId, Wait> {
  const { need, index } = outcome;
  const { now } = index.snapshot;
  const ordered = outcome.orders[0]?.node;
  const unplaced = new Set(need.unplaced);
  return new Map(
    unschedulable.map((candidate) => {
      const awaited = need.awaiting.get(candidate);
      if (awaited !== undefined) {
        const backoff = retryOn(index.node(awaited), candidate, now);
        const wait =
          backoff === null
            ? waitForUnreachableNode(candidate, awaited)
            : waitForRetry(candidate, awaited, backoff);
        return [candidate.service.id, wait];
      }
      const node = need.placed.get(candidate) ?? (unplaced.has(candidate) ? ordered : undefined);
      const wait =
        node === undefined
          ? explainUnschedulable(candidate, { ...outcome, capacities })
          : waitForNode(candidate, node);
      return [candidate.service.id, wait];
    }),
  );
}
