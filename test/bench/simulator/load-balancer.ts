import { assignPlaces } from '#master/balancer/config/places.ts';
import { connectionLimits, NO_LIMIT } from '#master/balancer/runtime/limits.ts';
import { fillLevel } from '#master/core/snapshot/fill-level.ts';
import type { SimService } from './entities.ts';

/**
 * Simulates HAProxy's `balance first` in front of proxies, with the order and the limits that the master sets.
 * Refuses no player.
 */
export class LoadBalancer {
  #places: ReadonlyMap<string, number> = new Map();

  /** Returns the proxy for the next player, or undefined if no proxy accepts players. */
  choose(proxies: readonly SimService[]): SimService | undefined {
    const used = (proxy: SimService): boolean => proxy.players.size > 0;
    this.#places = assignPlaces(
      proxies.map((proxy) => ({ name: proxy.id, open: true, used: used(proxy), movable: true })),
      this.#places,
    ).at;
    const placeOf = ({ id }: SimService): number => this.#places.get(id) ?? 0;
    const limits = connectionLimits(
      proxies.map((proxy) => {
        const { maxPlayers } = proxy.model.config;
        const level = fillLevel(proxy.model.config, maxPlayers);
        const load = { connections: proxy.players.size, uncounted: 0, maxPlayers, fillLevel: level };
        return { name: proxy.id, place: placeOf(proxy), ...load };
      }),
    );
    return proxies
      .toSorted((one, other) => placeOf(one) - placeOf(other))
      .find(({ id, players }) => {
        const limit = limits.get(id) ?? NO_LIMIT;
        return limit === NO_LIMIT || players.size < limit;
      });
  }
}
