import type { ServiceId } from '#shared/model/service.ts';

/**
 * Maximum number of players moved away from a service within {@link MOVES_WITHIN_MS}, so that a fallback receives
 * many players over several seconds. It does not depend on the number of rounds, because each player who arrives
 * causes another round.
 */
const MAX_MOVES = 50;

/** Time within which a service loses at most {@link MAX_MOVES} players (ms). */
const MOVES_WITHIN_MS = 1_000;

/** A fallback that players may be moved to. */
export interface MoveTarget {
  readonly id: ServiceId;
  readonly online: number;
  readonly max: number;
  /** Whether `joinPermission` is set, so that some players may not enter. */
  readonly restricted: boolean;
}

/** A player, and the service to move them to. */
export interface Move {
  readonly uuid: string;
  readonly from: ServiceId;
  readonly to: ServiceId;
}

/** An earlier move of a player. */
export interface RecentMove {
  /** When it was requested (ms on the monotonic clock). */
  readonly at: number;
  readonly from: ServiceId;
  /**
   * Service that the player is moved to. Null if the request could not be sent: the move then only delays the
   * player's next move.
   */
  readonly to: ServiceId | null;
}

/** What decides which players are moved, and to which services. */
export interface MoveSituation {
  /** All players of the network, each with the game server they are on; null for none. */
  readonly players: readonly { readonly uuid: string; readonly server: ServiceId | null }[];
  /** The game servers whose players are moved away. */
  readonly draining: ReadonlySet<ServiceId>;
  readonly targets: readonly MoveTarget[];
  /**
   * Moves that may still be in progress, by the player's uuid. Contains at least the moves of the last second. A
   * player in this map is not moved again. A slot on the fallback counts as taken for the player until `players`
   * lists the player there.
   */
  readonly recent: ReadonlyMap<string, RecentMove>;
  /** The current time (ms on the monotonic clock). */
  readonly now: number;
}

/**
 * Assigns a fallback to each player of a draining service, up to the number of free slots of each fallback, and up to
 * 50 players of each draining service per second. Both limits include the recent moves. Fallbacks without a
 * `joinPermission` come before restricted ones. Within both groups, the fullest fallback comes first, so that others
 * become empty and can be stopped. Players for whom no slot is left, or who must wait, are not in the result.
 *
 * Example: with 49 of 50 players on lobby-1 and 10 of 50 on lobby-2, three players go to lobby-1, lobby-2 and
 * lobby-2.
 */
export function planMoves(situation: MoveSituation): readonly Move[] {
  const { players, recent } = situation;
  const candidates = fallbacksWithRoom(situation);
  const allowed = allowedMoves(situation);
  const moves: Move[] = [];
  for (const { uuid, server } of players) {
    if (server === null || recent.has(uuid)) continue;
    const left = allowed.get(server) ?? 0;
    if (left <= 0) continue;
    const target = candidates.find((one) => one.left > 0);
    if (target === undefined) break;
    target.left -= 1;
    allowed.set(server, left - 1);
    moves.push({ uuid, from: server, to: target.id });
  }
  return moves;
}

/**
 * Returns the fallbacks that have room, in the order in which they are filled, each with the number of free slots.
 */
function fallbacksWithRoom({
  players,
  targets,
  recent,
}: MoveSituation): { readonly id: ServiceId; left: number }[] {
  const underWay = new Map<ServiceId, number>();
  for (const { uuid, server } of players) {
    const to = recent.get(uuid)?.to ?? null;
    if (to !== null && to !== server) underWay.set(to, (underWay.get(to) ?? 0) + 1);
  }
  return targets
    .map(({ id, online, max, restricted }) => ({
      id,
      max,
      restricted,
      taken: online + (underWay.get(id) ?? 0),
    }))
    .filter(({ taken, max }) => taken < max)
    .toSorted(
      (a, b) =>
        Number(a.restricted) - Number(b.restricted) ||
        b.taken / b.max - a.taken / a.max ||
        (a.id < b.id ? -1 : 1),
    )
    .map(({ id, taken, max }) => ({ id, left: max - taken }));
}

/** Returns how many players may be moved away from each draining service now. */
function allowedMoves({ draining, recent, now }: MoveSituation): Map<ServiceId, number> {
  const allowed = new Map<ServiceId, number>([...draining].map((id) => [id, MAX_MOVES]));
  for (const { at, from, to } of recent.values()) {
    const left = allowed.get(from);
    if (left !== undefined && to !== null && now - at < MOVES_WITHIN_MS) allowed.set(from, left - 1);
  }
  return allowed;
}
