import type { ServiceId } from '#shared/model/service.ts';

/**
 * Maximum number of players moved per round for each draining service, so that a fallback receives many players over
 * several seconds.
 */
export const MOVES_PER_ROUND = 50;

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
 * Assigns a fallback to each player, up to the number of free slots of each fallback. Fallbacks without a
 * `joinPermission` come before restricted ones. Within both groups, the fullest fallback comes first, so that others
 * become empty and can be stopped. Players for whom no slot is left are not in the result. Does not apply {@link
 * MOVES_PER_ROUND}.
 *
 * Example: with 49 of 50 players on lobby-1 and 10 of 50 on lobby-2, three players go to lobby-1, lobby-2 and
 * lobby-2.
 */
export function planMoves<P>(players: readonly P[], targets: readonly MoveTarget[]): readonly Move<P>[] {
  const candidates = targets
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
    const target = candidates.find(({ left }) => left > 0);
    if (target === undefined) break;
    target.left -= 1;
    moves.push({ player, to: target.id });
  }
  return moves;
}
