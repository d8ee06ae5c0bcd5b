import type { ServiceId } from '#shared/model/service-id.ts';

/** A proxy's request for more slots, for players who wait to join. */
export interface Waiting {
  /** Id of the request, chosen by the plugin. */
  readonly id: number;
  /** Number of waiting players. */
  readonly wanted: number;
  /**
   * Number of the event with which the request arrived. If another proxy has answered since this event, the number of
   * spare slots of that proxy is known.
   */
  readonly since: number;
}

/** The allowance of one proxy. */
export interface Holder {
  /**
   * Maximum number of slots that the proxy may use, including increases that are still being sent. This number counts
   * towards the limit.
   */
  readonly granted: number;
  /**
   * Whether the proxy's allowance is known. It is unknown if the stored allowances were lost and the proxy has not
   * reported since then. While any allowance is unknown, no new slots are granted. Slots can still move between
   * linked proxies.
   */
  readonly known: boolean;
  readonly linked: boolean;
  /**
   * Number of players on the proxy. After a start of the master, it is 0 until the number is known. If a plugin had let
   * players in beyond the allowance, it is the stored number instead.
   */
  readonly players: number;
  /**
   * Whether the proxy claims more than `granted`, although its allowance is known. The claim is ignored, and the
   * master sends the proxy its allowance every second.
   */
  readonly overclaims: boolean;
  /**
   * Number of slots in use, as far as known: the number in the proxy's last answer, minus the players who have left
   * since then. A request for more slots sets it to the whole allowance, and a tick sets it to the number of players.
   */
  readonly used: number;
  /** Sequence number of the last `allow` message to the proxy. */
  readonly seq: number;
  /** Whether the proxy has not answered the last `allow` message yet. */
  readonly pending: boolean;
  /**
   * Number of the event with the proxy's last answer. 0 if the proxy has not answered since it was linked, or since
   * it was granted more slots.
   */
  readonly answeredAt: number;
  readonly waiting: readonly Waiting[];
}

/** Distribution of the network's slots among its proxies. */
export interface Allowances {
  readonly limit: number;
  /** Number of events so far. Events are ordered by this number instead of a clock. */
  readonly turn: number;
  readonly holders: ReadonlyMap<ServiceId, Holder>;
  /**
   * Whether the stored allowances were lost. Proxies that were already running may then use slots that the master
   * does not know of.
   */
  readonly lost: boolean;
  /**
   * Maximum sum of the known allowances, while other allowances are unknown; null if all are known. It is the sum of
   * the allowances that were stored or reported. The limit was kept with these allowances, and is kept as long as
   * their sum does not grow.
   */
  readonly ceiling: number | null;
}

export type AllowanceEvent =
  /**
   * The limit or the list of proxies has changed. The list contains all proxies that run or may run. A proxy that is
   * not in the list has exited, and its slots are free.
   */
  | { readonly kind: 'network'; readonly limit: number; readonly proxies: readonly ServiceId[] }
  /** A proxy has connected and reports how many slots it may use. */
  | { readonly kind: 'linked'; readonly proxy: ServiceId; readonly allowance: number }
  | { readonly kind: 'unlinked'; readonly proxy: ServiceId }
  /** The number of players on a proxy has changed. */
  | { readonly kind: 'counted'; readonly proxy: ServiceId; readonly players: number }
  | {
      readonly kind: 'answered';
      readonly proxy: ServiceId;
      readonly seq: number;
      readonly allowance: number;
      readonly used: number;
    }
  | { readonly kind: 'more'; readonly proxy: ServiceId; readonly id: number; readonly wanted: number }
  /** A request has waited for the maximum time. It is now answered with the slots that are free. */
  | { readonly kind: 'overdue'; readonly proxy: ServiceId; readonly id: number }
  /**
   * The allowances were lost, and the proxy has not connected for a long time. It probably has no plugin, so the
   * number of its slots is assumed to be its number of players.
   */
  | { readonly kind: 'presumed'; readonly proxy: ServiceId }
  /** Occurs once a second. Spare slots are then distributed evenly. */
  | { readonly kind: 'tick' };

/** An `allow` message, which tells a proxy its allowance. */
export interface Allow {
  readonly proxy: ServiceId;
  readonly seq: number;
  readonly allowance: number;
  /** Id of the request that the message answers; null if it answers none. */
  readonly answers: number | null;
}

/**
 * Returns the number of slots of `max_online_players` that a proxy takes: its allowance or, if plugins have let in
 * more players than that, its number of players.
 *
 * Example: granted 10 with 12 players on it → 12.
 */
export function chargeOf(holder: Holder): number {
  return Math.max(holder.granted, holder.players);
}

/**
 * Returns the number of slots that can still be granted: the limit minus the slots of all proxies. If `ceiling` is
 * set, the slots of the proxies with a known allowance must also stay within the ceiling. The result is negative
 * while more slots are granted than the limit allows.
 *
 * Example: a limit of 100 with proxies that are granted 60 and 30 → 10.
 */
export function freeSlots({ limit, ceiling, holders }: Omit<Allowances, 'turn' | 'lost'>): number {
  let charged = 0;
  let ofKnown = 0;
  for (const holder of holders.values()) {
    charged += chargeOf(holder);
    if (holder.known) ofKnown += chargeOf(holder);
  }
  return Math.min(limit - charged, ceiling === null ? Infinity : ceiling - ofKnown);
}

/**
 * Returns the number of slots of a proxy's allowance that are not in use, as far as known; at least 0.
 *
 * Example: granted 10, used 7 → 3.
 */
export function spareOf({ granted, used }: Holder): number {
  return Math.max(0, granted - used);
}

/**
 * Returns the maximum number of slots that a proxy can rightly claim: its allowance or, if this is unknown, the whole
 * limit.
 *
 * Example: an allowance of 10 → 10; an unknown allowance and a limit of 100 → 100.
 *
 * @returns null if there is no such proxy
 */
export function claimableBy(
  { holders, limit }: Pick<Allowances, 'holders' | 'limit'>,
  proxy: ServiceId,
): number | null {
  const holder = holders.get(proxy);
  if (holder === undefined) return null;
  return holder.known ? holder.granted : limit;
}

/** State of a proxy that has just been started: it has no slots. */
export const NEW_HOLDER: Holder = {
  granted: 0,
  known: true,
  linked: false,
  players: 0,
  overclaims: false,
  used: 0,
  seq: 0,
  pending: false,
  answeredAt: 0,
  waiting: [],
};

/** The slots of a proxy, in the form in which they are stored. */
interface StoredSlots {
  /** Number of slots that the proxy may use; null if it is unknown. */
  readonly granted: number | null;
  /** Number of players on the proxy beyond `granted`. They take slots, too. */
  readonly beyond: number;
}

export type StoredAllowances = ReadonlyMap<ServiceId, StoredSlots>;

/** Returns the allowances to store on disk before messages are sent to proxies. */
export function toKept({ holders }: Allowances): StoredAllowances {
  return new Map([...holders].map(([id, holder]) => [id, toStoredSlots(holder)]));
}

function toStoredSlots(holder: Holder): StoredSlots {
  const { granted, known } = holder;
  return known ? { granted, beyond: chargeOf(holder) - granted } : { granted: null, beyond: 0 };
}

/**
 * Returns the allowances with which a master starts.
 *
 * Example: stored allowances of 10 for proxy-1 and null for proxy-2 → 10 slots granted, and a ceiling of 10.
 * Example: a stored allowance of 10 with 2 players beyond it → 10 slots granted, and 12 players.
 *
 * @param kept the stored allowances. Null if they are lost; proxies that are running may then use an unknown number
 *   of slots
 */
export function openAllowances(kept: StoredAllowances | null): Allowances {
  const entries = [...(kept ?? [])];
  const holders = entries.map(([id, { granted: stored, beyond }]): [ServiceId, Holder] => {
    const granted = stored ?? 0;
    const players = beyond > 0 ? granted + beyond : 0;
    return [id, { ...NEW_HOLDER, granted, known: stored !== null, players }];
  });
  const sum = entries.reduce((all, [, { granted }]) => all + (granted ?? 0), 0);
  const ceiling = entries.some(([, { granted }]) => granted === null) ? sum : null;
  return { limit: 0, turn: 0, holders: new Map(holders), lost: kept === null, ceiling };
}
