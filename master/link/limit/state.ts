import type { ServiceId } from '#shared/model/service-id.ts';

/** A proxy's request for more slots, for players who are waiting to join. */
export interface Waiting {
  /** The plugin's own id of the request. */
  readonly id: number;
  /** Number of waiting players. */
  readonly wanted: number;
  /** Turn in which it arrived. A proxy that has answered since then has reported what it can spare. */
  readonly since: number;
}

/** The allowance of one proxy. */
export interface Holder {
  /** Most slots that the proxy may hold, including messages in transit. This counts towards the limit. */
  readonly granted: number;
  /**
   * Whether its allowance is known. It is not if the stored allowances were lost and the proxy has not reported
   * since. Nobody gets new slots meanwhile, but slots still move between linked proxies.
   */
  readonly known: boolean;
  readonly linked: boolean;
  /** Players on it, by their sessions. */
  readonly players: number;
  /**
   * Whether it claims more than `granted` although that is known. The claim is ignored, and it is sent its
   * allowance every second.
   */
  readonly overclaims: boolean;
  /** Slots in use as far as known: by its last report, minus players who have left since. */
  readonly used: number;
  /** Sequence number of the last `allow` message. */
  readonly seq: number;
  /** Whether its answer to the last `allow` is outstanding. */
  readonly pending: boolean;
  /** Turn of its last answer. */
  readonly heardAt: number;
  readonly waiting: readonly Waiting[];
}

/** The slots of all proxies. */
export interface Allowances {
  readonly limit: number;
  /** Number of events so far. This is the only notion of time here. */
  readonly turn: number;
  readonly holders: ReadonlyMap<ServiceId, Holder>;
  /** Whether the stored allowances were lost: proxies that already run may hold slots. */
  readonly lost: boolean;
  /**
   * While some allowances are unknown: the most that all known proxies may hold together, which is what they have
   * reported. The limit held before the loss, so it still holds as long as this does not grow. Null if all are
   * known.
   */
  readonly ceiling: number | null;
}

export type AllowanceEvent =
  /** The limit, and all proxies that run or may run. One that is missing has exited, and its slots are free. */
  | { readonly kind: 'network'; readonly limit: number; readonly proxies: readonly ServiceId[] }
  /** A proxy has connected and reports what it holds. */
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
  /** A request has waited long enough and is answered with the slots that are free. */
  | { readonly kind: 'overdue'; readonly proxy: ServiceId; readonly id: number }
  /**
   * The proxy has not connected for so long after the allowances were lost that it probably has no plugin and holds
   * only its players.
   */
  | { readonly kind: 'presumed'; readonly proxy: ServiceId }
  /** Sent once a second, to even out spare slots. */
  | { readonly kind: 'tick' };

/** The `allow` message to a proxy. */
export interface Allow {
  readonly proxy: ServiceId;
  readonly seq: number;
  readonly allowance: number;
  readonly answers: number | null;
}

/**
 * Returns the number of slots that count towards the limit: the proxy's allowance, or its number of players if
 * plugins have admitted more.
 *
 * Example: granted 10 with 12 players on it → 12.
 */
export function chargeOf(holder: Holder): number {
  return Math.max(holder.granted, holder.players);
}

/**
 * Returns the slots that no proxy holds. Negative while more are held than the limit allows.
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
 * Returns the free slots of a proxy, as far as known.
 *
 * Example: granted 10, used 7 → 3.
 */
export function spareOf({ granted, used }: Holder): number {
  return Math.max(0, granted - used);
}

/**
 * Returns the most that an honest proxy can claim: its allowance, or the whole limit if that is unknown.
 *
 * Example: granted 10 → 10; unknown with a limit of 100 → 100.
 *
 * @returns null for an unknown proxy
 */
export function claimableBy(
  { holders, limit }: Pick<Allowances, 'holders' | 'limit'>,
  proxy: ServiceId,
): number | null {
  const holder = holders.get(proxy);
  if (holder === undefined) return null;
  return holder.known ? holder.granted : limit;
}

/** A proxy that has just been started: it holds nothing. */
export const NEW_HOLDER: Holder = {
  granted: 0,
  known: true,
  linked: false,
  players: 0,
  overclaims: false,
  used: 0,
  seq: 0,
  pending: false,
  heardAt: 0,
  waiting: [],
};

/** The stored form: slots that each proxy may hold; null if unknown. */
export type StoredAllowances = ReadonlyMap<ServiceId, number | null>;

/** Returns what must be on disk before any proxy is told about it. */
export function toKept({ holders }: Allowances): StoredAllowances {
  return new Map([...holders].map(([id, { granted, known }]) => [id, known ? granted : null]));
}

/**
 * Returns the allowances of a master that starts.
 *
 * Example: stored allowances of 10 for proxy-1 and null for proxy-2 → 10 slots granted, and a ceiling of 10.
 *
 * @param kept the stored allowances; null if they are lost, as running proxies may then hold an unknown number
 */
export function openAllowances(kept: StoredAllowances | null): Allowances {
  const entries = [...(kept ?? [])];
  const holders = entries.map(([id, granted]): [ServiceId, Holder] => [
    id,
    { ...NEW_HOLDER, granted: granted ?? 0, known: granted !== null },
  ]);
  const sum = entries.reduce((all, [, granted]) => all + (granted ?? 0), 0);
  const ceiling = entries.some(([, granted]) => granted === null) ? sum : null;
  return { limit: 0, turn: 0, holders: new Map(holders), lost: kept === null, ceiling };
}
