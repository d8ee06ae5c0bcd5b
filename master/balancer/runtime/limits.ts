/** What decides how many connections one proxy may have. */
export interface Load {
  readonly name: string;
  /** Its place in the order in which proxies are filled. */
  readonly place: number;
  /** Connections that HAProxy counts against the limit. */
  readonly connections: number;
  /** Players on it whom this HAProxy process does not count, as after a reload. */
  readonly uncounted: number;
  /** Players to which it is filled as long as another one has fewer. */
  readonly fillLevel: number;
  readonly maxPlayers: number;
}

/** HAProxy's `maxconn` for no limit. */
export const NO_LIMIT = 0;

/**
 * Limits of the proxies that take players. All but the last are filled to their level, and to their last place once none is
 * below its level. The last one has no limit, so that nobody is ever refused for one: not in a rush, and not while no master
 * is there to raise it.
 */
export function connectionLimits(proxies: readonly Load[]): ReadonlyMap<string, number> {
  const sorted = [...proxies].sort((one, other) => one.place - other.place);
  const last = sorted.at(-1);
  const hasRoom = sorted.some(({ connections, uncounted, fillLevel }) => connections + uncounted < fillLevel);
  return new Map(
    sorted.map((proxy) => {
      if (proxy === last) return [proxy.name, NO_LIMIT];
      const most = hasRoom ? proxy.fillLevel : proxy.maxPlayers;
      // 0 would be no limit at all.
      return [proxy.name, Math.max(1, most - proxy.uncounted)];
    }),
  );
}
