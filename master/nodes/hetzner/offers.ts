import type { Offer } from '#master/core/snapshot/snapshot.ts';
import type { ServerType } from './api/schemas.ts';

const MB_PER_GB = 1024;

/** What Debian, its journal and SSH take at least, MB, and the share that the kernel keeps of all memory, percent. */
const SYSTEM_MB = 256;
const KERNEL_PERCENT = 4;

/**
 * RAM for services of a machine, MB: what is built in less what the system keeps. 4 GB: 4096 − 164 − 256 = 3676.
 *
 * @param memoryGb as the provider declares it; may be fractional
 */
export function serviceRamMb(memoryGb: number): number {
  const builtInMb = memoryGb * MB_PER_GB;
  return Math.max(0, Math.floor(builtInMb - Math.ceil((builtInMb * KERNEL_PERCENT) / 100) - SYSTEM_MB));
}

/** Beside the list of types: what it takes to tell what may be ordered. */
export interface OfferContext {
  /** ms since epoch */
  readonly now: number;
  /** Net price of a primary IPv4 for an hour at each location, EUR; one comes with each server. */
  readonly ipv4Prices: ReadonlyMap<string, number>;
  /** Until when a pair is not asked for, after the provider had none of it; null: not known to be sold out. */
  readonly soldOutUntil: (type: string, location: string) => number | null;
  /** When the list is read anew: what it calls not available is not asked for until then. */
  readonly freshUntil: number;
  /** Whether an order of it may be wanted: right prefix and location, not blocked. */
  readonly isWanted: (type: string, location: string) => boolean;
}

/**
 * What the provider sells, one offer for each pair of type and location. `available` is a hint only (docs/adr/0018): a
 * pair that it denies is left out while another wanted one is to be had, and asked for all the same when there is none.
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
  // Without a price nobody can tell whether it is the cheapest: not on sale.
  if (price === undefined) return [];
  const { deprecation } = place;
  const offer: Offer = {
    type: type.name,
    location: place.name,
    ramMb: serviceRamMb(type.memory),
    hourlyPrice: toEuro(price + (ipv4Prices.get(place.name) ?? 0)),
    // One that is announced to go is sold until it goes, and runs on after that.
    deprecated: deprecation !== null && deprecation.unavailable_after <= now,
    soldOutUntil: soldOutUntil(type.name, place.name),
  };
  return [{ offer, available: place.available }];
}

/** Sums of decimals to a hundredth of a cent: 0.03125 + 0.0008 = 0.0321. */
function toEuro(amount: number): number {
  return Math.round(amount * 10_000) / 10_000;
}
