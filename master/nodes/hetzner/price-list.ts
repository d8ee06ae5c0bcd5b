import { orderLocations } from '#shared/config/order-locations.ts';
import { monotonicMs } from '#shared/node/clock.ts';
import type { Offer } from '#master/core/snapshot/snapshot.ts';
import type { Ipv4Price } from './api/hetzner-api.ts';
import type { Server, ServerType } from './api/schemas.ts';
import type { Context } from './context.ts';
import { toEuro, toOffers } from './offers.ts';
import type { OrderRejections } from './rejections.ts';

/** Properties of a server from the price list, stored before the server is ordered. */
export interface PricedType {
  readonly hourlyPrice: number;
  readonly cores: number;
  readonly architecture: ServerType['architecture'];
}

interface Prices {
  readonly types: readonly ServerType[];
  readonly ipv4: ReadonlyMap<string, Ipv4Price>;
  /** Time at which the list was read (ms since epoch). */
  readonly at: number;
}

type PriceContext = Pick<Context, 'api' | 'settings' | 'times' | 'now'>;

/** The provider's offers and prices, as last read. */
export class PriceList {
  readonly #context: PriceContext;
  readonly #rejections: OrderRejections;
  #prices: Prices | null = null;
  /** Time at which the list was last read, on the monotonic clock (ms). */
  #readAt = -Infinity;
  /** Number of calls of {@link forget} so far. An answer from before the last call is not used. */
  #forgotten = 0;

  constructor(context: PriceContext, rejections: OrderRejections) {
    this.#context = context;
    this.#rejections = rejections;
  }

  /**
   * Reads the list again if it is due. If {@link forget} is called meanwhile, the answer is discarded, because it
   * belongs to the earlier token.
   *
   * @throws ApiProblem; the previous list stays in that case
   */
  async refresh(): Promise<void> {
    const { api, times, now } = this.#context;
    if (monotonicMs() - this.#readAt < times.supply * api().requester.budget.slowdown) return;
    const forgotten = this.#forgotten;
    const [types, ipv4] = await Promise.all([api().serverTypes(), api().ipv4Prices()]);
    if (forgotten !== this.#forgotten) return;
    this.#prices = { types, ipv4, at: now() };
    this.#readAt = monotonicMs();
  }

  /** Discards the list. Called when the token changes, because the new token's project may have other prices. */
  forget(): void {
    this.#prices = null;
    this.#readAt = -Infinity;
    this.#forgotten += 1;
  }

  /** Returns the current offers; null until the list was read. */
  offers(): readonly Offer[] | null {
    if (this.#prices === null) return null;
    const { settings, now, times } = this.#context;
    const { provider } = settings();
    const { server_type, blocked_servers } = provider;
    const locations = orderLocations(provider);
    return toOffers(this.#prices.types, {
      now: now(),
      ipv4Prices: this.#prices.ipv4,
      soldOutUntil: (type, place) => this.#rejections.soldOutUntil(type, place),
      freshUntil: this.#prices.at + times.supply,
      isWanted: (type, place) =>
        locations.includes(place) && type.startsWith(server_type) && !blocked_servers.includes(type),
    });
  }

  /**
   * Returns the hourly price of an existing server with its IPv4 address (EUR, without VAT). Unknown parts count as
   * 0.
   */
  hourlyPriceOf({ server_type, location, public_net }: Server): number {
    const price = server_type.prices.find((one) => one.location === location.name)?.price_hourly.net ?? 0;
    const address = public_net.ipv4 === null ? 0 : (this.#prices?.ipv4.get(location.name)?.perHour ?? 0);
    return toEuro(price + address);
  }

  /**
   * Returns price, cores and architecture of a server type; undefined if the list does not offer it at the location.
   * The type may be sold out.
   */
  choice(type: string, location: string): PricedType | undefined {
    const found = this.#prices?.types.find(({ name }) => name === type);
    const offer = this.offers()?.find((one) => one.type === type && one.location === location);
    if (found === undefined || offer === undefined) return undefined;
    return { hourlyPrice: offer.hourlyPrice, cores: found.cores, architecture: found.architecture };
  }
}
