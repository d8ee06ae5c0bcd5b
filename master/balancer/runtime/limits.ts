/** What decides how many connections one proxy may have. */
export interface Load {
  readonly name: string;
  /** Its place in the fill order. */
  readonly place: number;
  /** Connections that HAProxy counts towards the limit. */
  readonly connections: number;
  /** Players on it whom this HAProxy process does not count, for example after a reload. */
  readonly uncounted: number;
  /** Number of players up to which it is filled while another proxy is below its own level. */
  readonly fillLevel: number;
  readonly maxPlayers: number;
}

/** HAProxy's `maxconn` value for no limit. */
export const NO_LIMIT = 0;

/**
 * Computes the connection limits of the proxies that accept players. All but the last in order are filled to their
 * level, and completely once none is below its level. The last one has no limit, so that no player is ever refused:
 * neither in a rush, nor while no master is running to raise a limit.
 *
 * Example: three proxies with level 40, 50 places and 10 players each → 40, 40 and no limit.
 */
export function connectionLimits(proxies: readonly Load[]): ReadonlyMap<string, number> {
  const sorted = [...proxies].sort((one, other) => one.place - other.place);
  const last = sorted.at(-1);
  const hasRoom = sorted.some(({ connections, uncounted, fillLevel }) => connections + uncounted < fillLevel);
  return new Map(
    sorted.map((proxy) => {
      if (proxy === last) return [proxy.name, NO_LIMIT];
      const most = hasRoom ? proxy.fillLevel : proxy.maxPlayers;
      // 0 would mean no limit.
      return [proxy.name, Math.max(1, most - proxy.uncounted)];
    }),
  );
}
