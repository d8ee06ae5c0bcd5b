import type { Market, Offer } from '../snapshot/snapshot.ts';
import { CapacityList } from '../placement/capacity-list.ts';
import { nodesBelow, type Load } from './load.ts';

/** A group of equal nodes to order at the provider: their server type and their number. */
export interface Purchase {
  readonly offer: Offer;
  readonly count: number;
  /** Whether these nodes have room for all services and bring the load below the threshold. */
  readonly isEnough: boolean;
}

/**
 * Returns the offers that may be ordered now (docs/scaling.md), in all locations: type and location match the
 * configuration, and the type is not blocked, deprecated or sold out.
 *
 * Example: with the prefix `cpx` and `cpx42` blocked → `cpx32`, but neither `cpx42` nor `cax31`.
 */
export function eligibleOffers(market: Market, now: number): Offer[] {
  return market.offers.filter((offer) => isAllowed(offer, market) && !isSoldOut(offer, now));
}

/**
 * Returns the offers of the location in which nodes are ordered now. This is the first location that sells a type
 * with enough RAM or, if there is none, the first location that sells any type.
 *
 * Example: the locations are `nbg1`, then `fsn1`. 8 GB are needed, and `nbg1` has only a type of 4 GB left → the
 * offers in `fsn1`.
 *
 * @param offers eligible offers in all locations
 * @param neededMb RAM of the largest service that needs a node (MB); 0 if no service needs a node
 */
export function offersInOneLocation(
  offers: readonly Offer[],
  { locations }: Market,
  neededMb: number,
): Offer[] {
  const byLocation = locations
    .map((location) => offers.filter((offer) => offer.location === location))
    .filter((some) => some.length > 0);
  return byLocation.find((some) => some.some(({ ramMb }) => ramMb >= neededMb)) ?? byLocation[0] ?? [];
}

function isAllowed(offer: Offer, { locations, serverType, blockedServers }: Market): boolean {
  return (
    locations.includes(offer.location) &&
    offer.type.startsWith(serverType) &&
    !blockedServers.includes(offer.type) &&
    !offer.deprecated
  );
}

function isSoldOut({ soldOutUntil }: Offer, now: number): boolean {
  return soldOutUntil !== null && soldOutUntil > now;
}

/**
 * Explains why no offer may be ordered. `until` is the next time at which the master requests a sold-out type again
 * (ms since epoch). It is null if only a person can change the situation.
 */
export function describeNoOffer(market: Market, now: number): { message: string; until: number | null } {
  const { locations, serverType, blockedServers, offers } = market;
  const places = locations.join(' or ');
  const soldOut = offers.filter((offer) => isAllowed(offer, market) && isSoldOut(offer, now));
  const types = [...new Set(soldOut.map(({ type }) => type))].sort().join(', ');
  if (soldOut.length > 0) {
    const message = `No node can be ordered: the provider has none of ${types} left in ${places} at the moment. Availability is checked again shortly; another server_type or location may have some.`;
    return { message, until: Math.min(...soldOut.map(({ soldOutUntil }) => soldOutUntil ?? now)) };
  }
  const blocked =
    blockedServers.length > 0 ? `, blocked_servers excludes ${blockedServers.toSorted().join(', ')}` : '';
  const message = `No node can be ordered: the provider sells no server type in ${places} that begins with "${serverType}"${blocked}. Change server_type, location or blocked_servers in the master configuration.`;
  return { message, until: null };
}

/** What an order must achieve, and how large it may be. */
export interface Requirements {
  readonly load: Load;
  /** `upscaling_at_percent_capacity`: the load must be below this value (percent). */
  readonly thresholdPercent: number;
  /** Returns how many nodes of an offer can be ordered within the limits of the budget. */
  readonly allowed: (offer: Offer) => number;
}

/**
 * Chooses one server type and a number of nodes: the cheapest choice that has room for all services and brings the
 * load below the threshold. If no choice within the limits achieves this, chooses the one with the most RAM. If costs
 * are equal, fewer nodes win, then the type whose name comes first alphabetically.
 *
 * Example: six services of 1,399 MB at a threshold of 80 % → three nodes of 3,584 MB at 0.036 EUR per hour together,
 * rather than two of 7,168 MB at 0.044 or one of 15,360 MB at 0.04. If only one more node is allowed → the node of
 * 15,360 MB.
 *
 * @param offers all types that may be ordered
 * @param services RAM of each service that needs a new node (MB), sorted by priority
 * @returns undefined if no offer is big enough
 */
export function cheapestPurchase(
  offers: readonly Offer[],
  services: readonly number[],
  { load, thresholdPercent, allowed }: Requirements,
): Purchase | undefined {
  const largest = services.reduce((most, ramMb) => Math.max(most, ramMb), 0);
  return offers
    .filter(({ ramMb }) => ramMb >= largest && ramMb > 0)
    .map((offer) => {
      const needed = Math.max(
        nodesFor(services, offer.ramMb),
        nodesBelow(load, thresholdPercent, offer.ramMb),
      );
      const count = Math.min(needed, allowed(offer));
      return { offer, count, isEnough: count === needed };
    })
    .sort(compare)
    .at(0);
}

function compare(a: Purchase, b: Purchase): number {
  if (a.isEnough !== b.isEnough) return a.isEnough ? -1 : 1;
  const ram = ({ offer, count }: Purchase): number => offer.ramMb * count;
  const price = ({ offer, count }: Purchase): number => offer.hourlyPrice * count;
  const more = a.isEnough ? 0 : ram(b) - ram(a);
  return more || price(a) - price(b) || a.count - b.count || (a.offer.type < b.offer.type ? -1 : 1);
}

const NONE: ReadonlySet<string> = new Set();

/**
 * Returns how many nodes of one size these services need. The services are packed as in placement: best fit, in the
 * given sequence.
 */
function nodesFor(services: readonly number[], nodeRamMb: number): number {
  const capacities = new CapacityList([]);
  let count = 0;
  for (const ramMb of services) {
    let capacity = capacities.bestFit(ramMb, NONE);
    if (capacity === undefined) {
      count += 1;
      capacity = { node: String(count), hasJava: true, freeMb: nodeRamMb, startsLeft: Infinity };
      capacities.add(capacity);
    }
    capacities.take(capacity, ramMb);
  }
  return count;
}
