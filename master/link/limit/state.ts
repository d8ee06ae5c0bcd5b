import type { ServiceId } from '#shared/model/service-id.ts';

/** A proxy's request for more, which its players wait for. */
export interface Waiting {
  /** The plugin's own number for it. */
  readonly id: number;
  /** So many players wait. */
  readonly wanted: number;
  /** When it came, in turns: who has answered since then has told what it can spare. */
  readonly since: number;
}

/** One proxy in the book. */
export interface Holder {
  /** Most that the proxy may hold, whatever is still on its way to or from it: what counts towards the limit. */
  readonly granted: number;
  /**
   * False: what it holds is not known, as the book was lost and it has not been heard since. Nothing new is given to anybody
   * meanwhile; slots go on moving between those that are linked.
   */
  readonly known: boolean;
  readonly linked: boolean;
  /** Players on it by the book of sessions. */
  readonly players: number;
  /** True: it says that it holds more than `granted`, though that is known. It counts for nothing, and is told so each second. */
  readonly overclaims: boolean;
  /** Of what it holds, what is taken as far as known: what it said last, and who left since. */
  readonly used: number;
  /** Number of the last `allow`, counted up. */
  readonly seq: number;
  /** Its answer is out. */
  readonly pending: boolean;
  /** When it last answered, in turns. */
  readonly heardAt: number;
  readonly waiting: readonly Waiting[];
}

/** Who may let in how many: the whole book. */
export interface Allowances {
  readonly limit: number;
  /** Counts events: the book's only time. */
  readonly turn: number;
  readonly holders: ReadonlyMap<ServiceId, Holder>;
  /** There is no book of before: who is there at first may hold something. */
  readonly lost: boolean;
  /**
   * While it is not known what some proxies hold: what the others may hold at most, which is what they said they hold. The
   * limit was kept before the book was lost, so it is kept as long as this does not grow. Null: all is known.
   */
  readonly ceiling: number | null;
}

export type AllowanceEvent =
  /** The limit, and all proxies that live or may live: one that is not among them is gone, and so is what it held. */
  | { readonly kind: 'network'; readonly limit: number; readonly proxies: readonly ServiceId[] }
  /** A proxy has connected and says what it holds. */
  | { readonly kind: 'linked'; readonly proxy: ServiceId; readonly allowance: number }
  | { readonly kind: 'unlinked'; readonly proxy: ServiceId }
  /** So many players are on it now. */
  | { readonly kind: 'counted'; readonly proxy: ServiceId; readonly players: number }
  | {
      readonly kind: 'answered';
      readonly proxy: ServiceId;
      readonly seq: number;
      readonly allowance: number;
      readonly used: number;
    }
  | { readonly kind: 'more'; readonly proxy: ServiceId; readonly id: number; readonly wanted: number }
  /** A request has waited long enough: it is answered with what there is. */
  | { readonly kind: 'overdue'; readonly proxy: ServiceId; readonly id: number }
  /** Not heard for so long since the book was lost that it is taken to have no plugin, and to hold only its players. */
  | { readonly kind: 'presumed'; readonly proxy: ServiceId }
  /** Once a second: spare slots are evened out. */
  | { readonly kind: 'tick' };

/** What a proxy is told: the words of the wire's `allow`. */
export interface Allow {
  readonly proxy: ServiceId;
  readonly seq: number;
  readonly allowance: number;
  readonly answers: number | null;
}

/** What counts towards the limit: what it may hold, or, when plugins let players in beyond that, who is on it. */
export function chargeOf(holder: Holder): number {
  return Math.max(holder.granted, holder.players);
}

/** Slots that nobody holds; negative while more is held than the limit allows. */
export function roomOf({ limit, ceiling, holders }: Omit<Allowances, 'turn' | 'lost'>): number {
  let charged = 0;
  let ofKnown = 0;
  for (const holder of holders.values()) {
    charged += chargeOf(holder);
    if (holder.known) ofKnown += chargeOf(holder);
  }
  return Math.min(limit - charged, ceiling === null ? Infinity : ceiling - ofKnown);
}

/** Free slots at a proxy, as far as known. */
export function spareOf({ granted, used }: Holder): number {
  return Math.max(0, granted - used);
}

/**
 * What a proxy can hold at most if all is as it should be: by the book, or, where that does not know, the whole limit.
 *
 * @returns null for one that is not in the book
 */
export function claimableBy(
  { holders, limit }: Pick<Allowances, 'holders' | 'limit'>,
  proxy: ServiceId,
): number | null {
  const holder = holders.get(proxy);
  if (holder === undefined) return null;
  return holder.known ? holder.granted : limit;
}

/** A proxy that has only just come: it holds nothing. */
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

/** The book as it is kept: what each may hold; null where that is not known. */
export type KeptAllowances = ReadonlyMap<ServiceId, number | null>;

/** What has to be on disk before anybody is told of it. */
export function toKept({ holders }: Allowances): KeptAllowances {
  return new Map([...holders].map(([id, { granted, known }]) => [id, known ? granted : null]));
}

/**
 * The book of a master that starts.
 *
 * @param kept what was on disk; null when that is lost: then proxies that run already may hold what nobody knows of
 */
export function openAllowances(kept: KeptAllowances | null): Allowances {
  const entries = [...(kept ?? [])];
  const holders = entries.map(([id, granted]): [ServiceId, Holder] => [
    id,
    { ...NEW_HOLDER, granted: granted ?? 0, known: granted !== null },
  ]);
  const sum = entries.reduce((all, [, granted]) => all + (granted ?? 0), 0);
  const ceiling = entries.some(([, granted]) => granted === null) ? sum : null;
  return { limit: 0, turn: 0, holders: new Map(holders), lost: kept === null, ceiling };
}
