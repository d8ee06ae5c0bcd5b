import type { ServiceId } from '#shared/model/service.ts';

/** A fallback that players may be moved to. */
export interface MoveTarget {
  readonly id: ServiceId;
  readonly online: number;
  readonly max: number;
  /** Whether `joinPermission` is set, so that some players may not enter. */
  readonly restricted: boolean;
}

/** A player and the service to move them to. */
export interface Move<P> {
  readonly player: P;
  readonly to: ServiceId;
}

/**
 * Assigns a fallback to each player, up to the free places of each. The fullest fallback comes first, as for
 * joining players, so that others become empty and can be stopped. Fallbacks without a `joinPermission` come before
 * restricted ones. Players without a place are left out.
 *
 * Example: lobby-1 with 49 of 50 and lobby-2 with 10 of 50 players take three players as lobby-1, lobby-2, lobby-2.
 */
export function planMoves<P>(players: readonly P[], targets: readonly MoveTarget[]): readonly Move<P>[] {
  const places = targets
    .filter(({ online, max }) => online < max)
    .toSorted(
      (a, b) =>
        Number(a.restricted) - Number(b.restricted) ||
        b.online / b.max - a.online / a.max ||
        (a.id < b.id ? -1 : 1),
    )
    .map(({ id, online, max }) => ({ id, left: max - online }));
  const moves: Move<P>[] = [];
  for (const player of players) {
    const place = places.find(({ left }) => left > 0);
    if (place === undefined) break;
    place.left -= 1;
    moves.push({ player, to: place.id });
  }
  return moves;
}
