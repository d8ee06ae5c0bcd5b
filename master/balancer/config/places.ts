/**
 * HAProxy's `balance first` gives a connection to the open server with the lowest `id` that is below its limit. So the id of a
 * server is its place in that order; its last bit says whether a PROXY header goes before its connections. Places only grow,
 * and a running HAProxy shows them, so nobody has to remember them.
 */
const FIRST_ID = 0x4000_0000;
const LAST_PLACE = 0x1fff_ffff;

/** HAProxy's id of the server at this place. */
export function idAt(place: number, sendsHeader: boolean): number {
  return FIRST_ID + 2 * place + (sendsHeader ? 1 : 0);
}

/** The place that an id stands for; null for an id that is none of ours. */
export function placeOf(id: number): number | null {
  return id >= FIRST_ID && id <= idAt(LAST_PLACE, true) ? Math.floor((id - FIRST_ID) / 2) : null;
}

/** A proxy that is to have a place. */
export interface PlaceSeeker {
  readonly name: string;
  /** Takes new players. */
  readonly open: boolean;
  /** Somebody is on it. */
  readonly used: boolean;
  /** It can be given another place while nobody is on it. */
  readonly movable: boolean;
}

/** Places by name; `moved`: those that have another place now than before. */
export interface Places {
  readonly at: ReadonlyMap<string, number>;
  readonly moved: ReadonlySet<string>;
}

/**
 * Gives each proxy its place: who has one keeps it, who is new comes last. An empty proxy before one in use moves to the end,
 * so that an empty proxy never gets a player whom one in use has room for.
 *
 * @param known places that proxies have now, also those of proxies that are not wanted any more
 */
export function assignPlaces(seekers: readonly PlaceSeeker[], known: ReadonlyMap<string, number>): Places {
  const highest = Math.max(0, ...known.values());
  // Never in practice: more places than there are would have been given away.
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

/** In use first, then by the places they had, those without one last, the oldest first. */
function compare(one: PlaceSeeker, other: PlaceSeeker, known: ReadonlyMap<string, number>): number {
  if (one.used !== other.used) return one.used ? -1 : 1;
  const place = ({ name }: PlaceSeeker): number => known.get(name) ?? Infinity;
  if (place(one) !== place(other)) return place(one) - place(other);
  return BY_AGE.compare(one.name, other.name);
}

/** Numbers at the end of service ids grow with time: `gate-9` before `gate-10`. */
const BY_AGE = new Intl.Collator('en', { numeric: true });
