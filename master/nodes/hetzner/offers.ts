import type { Offer } from '#master/core/snapshot/snapshot.ts';
import type { Ipv4Price } from './api/hetzner-api.ts';
import type { ServerType } from './api/schemas.ts';

const MB_PER_GB = 1024;

/**
 * Minimum memory of Debian, its journal and SSH (MB). {@link KERNEL_PERCENT} is the share of the memory that the
 * kernel reserves (percent).
 */
const SYSTEM_MB = 256;
const KERNEL_PERCENT = 4;

/**
 * Computes the RAM of a server that is available to services (MB): the built-in RAM minus what the system needs.
 *
 * Example: 4 GB give 4096 − 164 − 256 = 3676 MB.
 *
 * @param memoryGb as declared by the provider (GB); may be fractional
 */
export function ramForServicesMb(memoryGb: number): number {
  const builtInMb = memoryGb * MB_PER_GB;
  return Math.max(0, Math.floor(builtInMb - Math.ceil((builtInMb * KERNEL_PERCENT) / 100) - SYSTEM_MB));
}

/** Data that decides, together with the provider's list of types, which types can be ordered. */
export interface OfferContext {
  /** Current time (ms since epoch). */
  readonly now: number;
  /** Price of a primary IPv4 at each location. Each server has one. */
  readonly ipv4Prices: ReadonlyMap<string, Pick<Ipv4Price, 'perHour'>>;
  /**
   * Returns until when a pair of type and location is not ordered because it was sold out (ms since epoch); null if
   * the pair may be available.
   */
  readonly soldOutUntil: (type: string, location: string) => number | null;
  /**
   * Time at which the price list is read again (ms since epoch). Pairs of type and location that are listed as
   * unavailable are not ordered until then.
   */
  readonly freshUntil: number;
  /**
   * Returns whether a pair of type and location may be ordered: both match the configuration, and the type is not
   * blocked.
   */
  readonly isWanted: (type: string, location: string) => boolean;
}

/**
 * Converts the provider's list of types to offers, one for each pair of type and location. The list's field
 * `available` is only a hint (docs/adr/0018): an unavailable pair counts as sold out only as long as another allowed
 * pair is available.
 */
export function toOffers(types: readonly ServerType[], context: OfferContext): Offer[] {
  const pairs = types.flatMap((type) => type.locations.flatMap((place) => toPair(type, place, context)));
  const hasAvailable = pairs.some(
    ({ offer, available }) =>
      available &&
      !offer.deprecated &&
      isFree(offer, context.now) &&
      context.isWanted(offer.type, offer.location),
  );
  return pairs.map(({ offer, available }) =>
    available || !hasAvailable || !isFree(offer, context.now)
      ? offer
      : { ...offer, soldOutUntil: context.freshUntil },
  );
}

function isFree({ soldOutUntil }: Offer, now: number): boolean {
  return soldOutUntil === null || soldOutUntil <= now;
}

function toPair(
  type: ServerType,
  place: ServerType['locations'][number],
  { now, ipv4Prices, soldOutUntil }: OfferContext,
): { offer: Offer; available: boolean }[] {
  const price = type.prices.find(({ location }) => location === place.name)?.price_hourly.net;
  // A type without a price cannot be compared, so it counts as not for sale.
  if (price === undefined) return [];
  const { deprecation } = place;
  const offer: Offer = {
    type: type.name,
    location: place.name,
    ramMb: ramForServicesMb(type.memory),
    hourlyPrice: toEuro(price + (ipv4Prices.get(place.name)?.perHour ?? 0)),
    // A type that is announced as deprecated can be ordered until its last day, and its servers continue to run
    // afterwards.
    deprecated: deprecation !== null && deprecation.unavailable_after <= now,
    soldOutUntil: soldOutUntil(type.name, place.name),
  };
  return [{ offer, available: place.available }];
}

/**
 * Rounds an amount (EUR) to a hundredth of a cent, because sums of decimals are inexact.
 *
 * Example: 0.03125 + 0.0008 gives 0.0321.
 */
export function toEuro(amount: number): number {
  return Math.round(amount * 10_000) / 10_000;
}
