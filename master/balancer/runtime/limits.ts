/** Facts that decide how many connections one proxy may have. */
export interface ProxyLoad {
  readonly name: string;
  /** The proxy's position in the sequence in which proxies are filled. */
  readonly place: number;
  /** Number of connections that HAProxy counts towards the limit. */
  readonly connections: number;
  /**
   * Number of players on the proxy whom this HAProxy process does not count, for example because they joined before a
   * reload.
   */
  readonly uncounted: number;
  /** Number of players up to which the proxy is filled, as long as another proxy is below its own fill level. */
  readonly fillLevel: number;
  readonly maxPlayers: number;
}

/** HAProxy's `maxconn` value for no limit. */
export const NO_LIMIT = 0;

/**
 * Computes the connection limits of the proxies that accept players. While any proxy is below its fill level, the
 * limit of each proxy is its fill level; otherwise it is `maxPlayers`. The last proxy in the sequence has no limit.
 * So no player is ever refused, even in a rush, or while no master is running to raise a limit. Players whom HAProxy
 * does not count are subtracted from the limit.
 *
 * Example: three proxies with level 40, 50 slots and 10 players each → 40, 40 and no limit.
 */
export function connectionLimits(proxies: readonly ProxyLoad[]): ReadonlyMap<string, number> {
  const sorted = [...proxies].sort((one, other) => one.place - other.place);
  const last = sorted.at(-1);
  const hasRoom = sorted.some(({ connections, uncounted, fillLevel }) => connections + uncounted < fillLevel);
  return new Map(
    sorted.map((proxy) => {
      if (proxy === last) return [proxy.name, NO_LIMIT];
      const most = hasRoom ? proxy.fillLevel : proxy.maxPlayers;
      // At least 1, because 0 would mean no limit.
      return [proxy.name, Math.max(1, most - proxy.uncounted)];
    }),
  );
}
