/**
 * HAProxy's `balance first` gives a connection to the open server with the lowest `id` that is below its limit. So
 * a server's id encodes its place in the fill order; its lowest bit says whether it gets a PROXY header. Places
 * only grow, and a running HAProxy shows them, so they need not be stored.
 */
const FIRST_ID = 0x4000_0000;
const LAST_PLACE = 0x1fff_ffff;

/**
 * Returns HAProxy's id of the server at a place.
 *
 * Example: place 1 with a PROXY header → 1073741827.
 */
export function idAt(place: number, sendsHeader: boolean): number {
  return FIRST_ID + 2 * place + (sendsHeader ? 1 : 0);
}

/**
 * Returns the place that an id stands for. Null for an id that Overworld did not assign.
 *
 * Example: 1073741827 → 1; 7 → null.
 */
export function placeOf(id: number): number | null {
  return id >= FIRST_ID && id <= idAt(LAST_PLACE, true) ? Math.floor((id - FIRST_ID) / 2) : null;
}

/** A proxy that needs a place. */
export interface UnplacedProxy {
  readonly name: string;
  /** Whether it accepts new players. */
  readonly open: boolean;
  /** Whether players are on it. */
  readonly used: boolean;
  /** Whether it can get another place while no player is on it. */
  readonly movable: boolean;
}

/** Places by name. `moved` contains the names that have changed their place. */
export interface Places {
  readonly at: ReadonlyMap<string, number>;
  readonly moved: ReadonlySet<string>;
}

/**
 * Assigns a place to each proxy. Existing proxies keep their places, and new ones come last. An empty proxy in
 * front of a proxy in use moves to the end, so that it never gets a player for whom the proxy in use has room.
 *
 * Example: gate-1 empty at place 1 and gate-2 in use at place 2 → gate-2 stays, and gate-1 moves to place 3.
 *
 * @param known current places, including those of proxies that are no longer wanted
 */
export function assignPlaces(seekers: readonly UnplacedProxy[], known: ReadonlyMap<string, number>): Places {
  const highest = Math.max(0, ...known.values());
  // Starts again from the first place. It never happens in practice, as it takes 2^29 assigned places.
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

/** Sorts proxies in use first, then by current place; new ones come last, the oldest first. */
function compare(one: UnplacedProxy, other: UnplacedProxy, known: ReadonlyMap<string, number>): number {
  if (one.used !== other.used) return one.used ? -1 : 1;
  const place = ({ name }: UnplacedProxy): number => known.get(name) ?? Infinity;
  if (place(one) !== place(other)) return place(one) - place(other);
  return BY_AGE.compare(one.name, other.name);
}

/** Sorts by the number at the end of the id, which grows with time: `gate-9` before `gate-10`. */
const BY_AGE = new Intl.Collator('en', { numeric: true });
