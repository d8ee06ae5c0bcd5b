/**
 * Lowest id of a server. HAProxy's `balance first` sends a connection to the open server with the lowest `id` that is
 * below its limit. It thus fills servers in the sequence of their ids. A server's id therefore contains the server's
 * position in that sequence (its place). The lowest bit of the id is set if the server gets a PROXY header. New
 * servers always get higher positions. A running HAProxy shows the ids, so positions need not be stored.
 */
const FIRST_ID = 0x4000_0000;
const LAST_PLACE = 0x1fff_ffff;

/**
 * Returns the server id for HAProxy that encodes a position and whether HAProxy sends a PROXY header.
 *
 * Example: position 1 with a PROXY header → 1073741827 (`FIRST_ID` + 2 × 1 + 1).
 *
 * @param place position in the sequence in which servers are filled, from 1
 */
export function idAt(place: number, sendsHeader: boolean): number {
  return FIRST_ID + 2 * place + (sendsHeader ? 1 : 0);
}

/**
 * Returns the position that a server's id contains. Null if Overworld did not assign the id.
 *
 * Example: 1073741827 → 1; 7 → null.
 */
export function placeOf(id: number): number | null {
  return id >= FIRST_ID && id <= idAt(LAST_PLACE, true) ? Math.floor((id - FIRST_ID) / 2) : null;
}

/** A proxy that needs a position in the sequence in which proxies are filled. */
export interface UnplacedProxy {
  readonly name: string;
  /** Whether the proxy accepts new players. */
  readonly open: boolean;
  /** Whether the proxy has players. */
  readonly used: boolean;
  /** Whether HAProxy allows a new position for the proxy while the proxy has no players. */
  readonly movable: boolean;
}

/** Positions of the proxies, by name. `moved` contains the names of the proxies whose position has changed. */
export interface ProxyPlaces {
  readonly at: ReadonlyMap<string, number>;
  readonly moved: ReadonlySet<string>;
}

/**
 * Assigns each proxy its position in the sequence in which proxies are filled. Existing proxies keep their positions,
 * and new ones come last. The exception is an empty proxy before a proxy in use: it moves to the end, because it
 * would otherwise get players for whom the proxy in use has room.
 *
 * Example: gate-1 empty at position 1 and gate-2 in use at position 2 → gate-2 stays, gate-1 moves to position 3.
 *
 * @param known current positions by name, including those of proxies that are no longer in the desired state
 */
export function assignPlaces(
  seekers: readonly UnplacedProxy[],
  known: ReadonlyMap<string, number>,
): ProxyPlaces {
  const highest = Math.max(0, ...known.values());
  // Starts again from the first position. This never happens in practice, because it takes 2^29 assigned positions.
  if (highest + seekers.length > LAST_PLACE) return assignPlaces(seekers, new Map());
  const lastUsed = Math.max(
    0,
    ...seekers.filter(({ open, used }) => open && used).map(({ name }) => known.get(name) ?? Infinity),
  );
  const sorted = [...seekers].sort((one, other) => compare(one, other, known));
  const at = new Map<string, number>();
  const moved = new Set<string>();
  let next = highest + 1;
  for (const { name, open, used, movable } of sorted) {
    const place = known.get(name);
    const moves = place !== undefined && place < lastUsed && open && !used && movable;
    at.set(name, place === undefined || moves ? next++ : place);
    if (moves) moved.add(name);
  }
  return { at, moved };
}

/** Sorts proxies in use first, then by current position. New proxies come last, the oldest first. */
function compare(one: UnplacedProxy, other: UnplacedProxy, known: ReadonlyMap<string, number>): number {
  if (one.used !== other.used) return one.used ? -1 : 1;
  const place = ({ name }: UnplacedProxy): number => known.get(name) ?? Infinity;
  if (place(one) !== place(other)) return place(one) - place(other);
  return BY_AGE.compare(one.name, other.name);
}

/** Sorts service ids by the number at their end, which grows with time: `gate-9` before `gate-10`. */
const BY_AGE = new Intl.Collator('en', { numeric: true });
