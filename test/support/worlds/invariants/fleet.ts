import type { NodeSnapshot, Offer, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { each, type Look } from '../look.ts';
import type { Promised } from '../check.ts';
import { backsOffFrom, hasJava } from './placement.ts';

const HOUR_MS = 3_600_000;

/** Maximum time before the end of a paid hour at which a node may be released (ms; docs/scaling.md#the-paid-hour). */
const RELEASE_WINDOW_MS = 3 * 60_000;

/**
 * Time before the end of a paid hour from which a node may be drained (ms). Players need time to leave, and until
 * they have left, the node can be resumed. In the first five minutes of an hour, no node is drained, because this
 * hour has just been paid.
 */
const DRAIN_WINDOW_MS = 55 * 60_000;

/** Guarantees about the actions of a plan on nodes. */
export const fleetPromises: readonly Promised<Look>[] = [
  {
    says: 'orders nothing in configure mode, without a provider, or while orders are paused',
    breaches: ({ snapshot: { configureMode, market, now }, of }) => {
      const paused = market?.paused ?? null;
      const isPaused = paused !== null && (paused.until === null || paused.until > now);
      return configureMode || market === null || isPaused ? of('order').map(({ type }) => type) : [];
    },
  },
  {
    says: 'in configure mode, releases only nodes that a person releases, and resumes nodes that the rules drained',
    breaches: ({ snapshot: { configureMode, nodes: all }, of, nodes }) => {
      if (!configureMode) return [];
      const resumed = new Set(of('resume').map(({ node }) => node));
      return [
        ...of('drain').map(({ node }) => `drain ${node}`),
        ...of('release').flatMap(({ node }) =>
          nodes.get(node)?.leaving === true ? [] : [`release ${node}`],
        ),
        ...all.flatMap(({ id, state, drainedByRules, held }) =>
          state === 'DRAINING' && drainedByRules && !held && !resumed.has(id)
            ? [`${id} is still emptied`]
            : [],
        ),
      ];
    },
  },
  {
    says: 'orders only server types that the configuration allows and that the provider can deliver',
    breaches: ({ snapshot, of }) =>
      each(
        of('order'),
        (order) =>
          !allowedOffers(snapshot).some(
            ({ type, location, ramMb }) =>
              type === order.type && location === order.location && ramMb === order.ramMb,
          ),
        ({ type, location }) => `${type} in ${location}`,
      ),
  },
  {
    says: 'gives each ordered node an unused number',
    breaches: ({ snapshot: { market }, of, nodes }) => {
      const ids = of('order').map(({ node }) => node);
      return ids.filter(
        (id, i) =>
          nodes.has(id) ||
          ids.indexOf(id) !== i ||
          Number(/^node-(\d+)$/.exec(id)?.[1] ?? -1) < (market?.nextNumber ?? Infinity),
      );
    },
  },
  {
    says: 'orders a node only if the RAM threshold is reached, or if a service fits on no node',
    breaches: (look) =>
      each(
        look.of('order').slice(0, 1),
        () => !isThresholdReached(look) && !isSomethingTooBig(look),
        ({ cause }) => cause,
      ),
  },
  {
    says: 'never drains or releases a node that is protected, paused, or not a cloud node',
    breaches: ({ of, nodes }) =>
      each(
        [...of('drain'), ...of('release')],
        ({ node }) => {
          const one = nodes.get(node);
          return one === undefined || one.locked || one.held || one.rental === null;
        },
        ({ kind, node }) => `${kind} ${node}`,
      ),
  },
  {
    says: 'drains only READY nodes',
    breaches: ({ of, nodes }) =>
      each(
        of('drain'),
        ({ node }) => nodes.get(node)?.state !== 'READY',
        ({ node }) => node,
      ),
  },
  {
    says: 'resumes only nodes that the rules have drained, and no paused nodes',
    breaches: ({ of, nodes }) =>
      each(
        of('resume'),
        ({ node }) => {
          const one = nodes.get(node);
          return one?.state !== 'DRAINING' || !one.drainedByRules || one.held;
        },
        ({ node }) => node,
      ),
  },
  {
    says: 'releases only empty or lost nodes',
    breaches: (look) => {
      const filled = new Set(look.of('start').map(({ node }) => node));
      return each(
        look.of('release'),
        ({ node }) => {
          const inhabited = look.snapshot.services.some((service) => service.node === node);
          return look.nodes.get(node)?.state !== 'LOST' && (inhabited || filled.has(node));
        },
        ({ node }) => node,
      );
    },
  },
  {
    says: 'lets the rules release a node only at the end of its paid hour, and drain a node only in a later part of this hour',
    breaches: ({ of, nodes, snapshot: { now } }) =>
      each(
        [...of('release'), ...of('drain')],
        ({ kind, node }) => {
          const one = nodes.get(node);
          const windowMs = kind === 'release' ? RELEASE_WINDOW_MS : DRAIN_WINDOW_MS;
          return one?.state !== 'LOST' && !one?.leaving && msToHourEnd(one, now) > windowMs;
        },
        ({ kind, node }) => `${kind} ${node}, ${msToHourEnd(nodes.get(node), now)} ms before the hour ends`,
      ),
  },
  {
    says: 'releases a lost cloud node at once, unless it is protected or paused or configure mode is on',
    breaches: ({ snapshot, of }) =>
      each(
        snapshot.nodes,
        ({ id, state, rental, locked, held, leaving }) =>
          state === 'LOST' &&
          (!snapshot.configureMode || leaving) &&
          rental !== null &&
          !locked &&
          !held &&
          !of('release').some(({ node }) => node === id),
        ({ id }) => id,
      ),
  },
  {
    says: 'releases a node on request of a person as soon as it is empty, unless it is protected or paused',
    breaches: ({ snapshot, of }) =>
      each(
        snapshot.nodes.filter(({ leaving, locked, held }) => leaving && !locked && !held),
        ({ id, state }) =>
          state === 'DRAINING' &&
          !snapshot.services.some(({ node }) => node === id) &&
          !of('release').some(({ node }) => node === id),
        ({ id }) => id,
      ),
  },
  {
    says: 'never drains or releases a node while it orders or resumes another node',
    breaches: (look) => {
      const wanting = [...look.of('order'), ...look.of('resume')];
      const giving = [...look.of('drain'), ...look.of('release')].filter(({ node }) =>
        isUsable(look.nodes.get(node)),
      );
      return wanting.length > 0 ? giving.map(({ kind, node }) => `${kind} ${node}`) : [];
    },
  },
  {
    says: 'has at most one action for each node',
    breaches: ({ planned }) => {
      const ids = planned.actions.flatMap((action) =>
        action.kind === 'drain' || action.kind === 'resume' || action.kind === 'release' ? [action.node] : [],
      );
      return ids.filter((id, i) => ids.indexOf(id) !== i);
    },
  },
];

/** Returns whether a node accepts services, or would accept them if the rules resumed it. */
export function isUsable(node: NodeSnapshot | undefined): boolean {
  return node?.state === 'READY' || node?.drainedByRules === true;
}

/** Returns the offers that can be ordered now according to the configuration and the provider. */
export function allowedOffers({ market, now }: Pick<Snapshot, 'market' | 'now'>): readonly Offer[] {
  if (market === null) return [];
  return market.offers.filter(
    ({ type, location, deprecated, soldOutUntil }) =>
      type.startsWith(market.serverType) &&
      market.locations.includes(location) &&
      !market.blockedServers.includes(type) &&
      !deprecated &&
      (soldOutUntil === null || soldOutUntil <= now),
  );
}

/**
 * Returns the time until the end of the current paid hour (ms). At the start of an hour, the time is one hour, and
 * never 0.
 */
export function msToHourEnd(node: NodeSnapshot | undefined, now: number): number {
  if (node?.rental === null || node === undefined) return Infinity;
  const passed = (((now - node.rental.since) % HOUR_MS) + HOUR_MS) % HOUR_MS;
  return HOUR_MS - passed;
}

/**
 * Returns whether the threshold for ordering nodes may be reached. The estimate is generous: all requested services
 * count as allocated RAM, and only nodes that accept services, or will accept them, count as available RAM.
 */
function isThresholdReached({ snapshot, allocatedMb }: Look): boolean {
  const open = snapshot.nodes.filter(({ state }) => ['READY', 'ORDERED', 'BOOTING'].includes(state));
  const requested = snapshot.services.filter(({ state }) => state === 'REQUESTED');
  const takenMb =
    snapshot.nodes.reduce((sum, node) => sum + allocatedMb(node), 0) +
    requested.reduce((sum, { ramMb }) => sum + ramMb, 0);
  const totalMb = open.reduce((sum, { ramMb }) => sum + ramMb, 0);
  return takenMb > 0 && takenMb * 100 >= totalMb * snapshot.upscalingAtPercent;
}

/**
 * Returns whether at least one waiting service fits on no node. There is one exception: if only one service waits,
 * and it has room on a node that is only briefly unreachable, returns false.
 */
function isSomethingTooBig(look: Look): boolean {
  const unschedulable = [...look.planned.waiting].filter(([, { reason }]) =>
    ['RAM_FULL', 'NO_NODE', 'NODE_ON_ITS_WAY', 'JAVA_MISSING'].includes(reason),
  );
  return unschedulable.length > 1 || unschedulable.some(([id]) => !hasRoomInAMoment(look, id));
}

function hasRoomInAMoment(look: Look, id: string): boolean {
  const service = look.services.get(id);
  return look.snapshot.nodes.some(
    (node) =>
      service !== undefined &&
      node.state === 'READY' &&
      node.silent === 'awaited' &&
      !node.held &&
      !backsOffFrom(look, node, service) &&
      hasJava(look, service, node.id) &&
      node.ramMb - look.allocatedMb(node) >= service.ramMb,
  );
}
