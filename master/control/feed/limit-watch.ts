import type { ActivityEvent } from '#shared/model/event.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { OVERWORLD } from '#master/state/feed/emit-event.ts';
import { knownPlayers } from '#master/ingress/presence.ts';

/**
 * Share of `max_online_players` below which the network no longer counts as full (percent). It is below 100 %, so
 * that single players who join and leave at the limit cause no events.
 */
const LEFT_BELOW_PERCENT = 95;

type Known = Pick<Documents, 'config'> &
  Pick<Environment, 'now'> &
  Pick<ServiceStores, 'records'> &
  Pick<IngressAccess, 'link' | 'proxies'> &
  Feed;

/**
 * Reports whether the network counts as full, given whether it counted as full before. With a limit of 0 or less, the
 * network never counts as full.
 *
 * Example: with a limit of 100, full from 100 players until there are fewer than 95.
 */
export function isAtLimit(wasAtLimit: boolean, players: number, limit: number): boolean {
  if (limit <= 0) return false;
  return wasAtLimit ? players * 100 >= limit * LEFT_BELOW_PERCENT : players >= limit;
}

/**
 * Writes an event when the network reaches `max_online_players` (docs/specification.md#max_online_players), and
 * another event when it is no longer full. Each event is written once, even if the master restarts in between.
 *
 * @returns a function that stops the watch
 */
export function watchLimit(known: Known): () => void {
  const { events, topics } = known;
  const kinds = ['network.limit-reached', 'network.limit-left'] as const;
  let full = events.query({ limit: 1, kinds })[0]?.kind === 'network.limit-reached';
  const look = (): void => {
    // After a restart of the master, the number of players is unknown until every running service has answered.
    const players = knownPlayers(known);
    if (players === null) return;
    const limit = known.config.master.config.max_online_players;
    const now = isAtLimit(full, players, limit);
    if (now === full) return;
    full = now;
    emitLimitEvent(known, full, { players, limit });
  };
  return topics.subscribe((stale) => {
    if (stale.includes('services') || stale.includes('config')) look();
  });
}

function emitLimitEvent(
  { events }: Known,
  full: boolean,
  { players, limit }: { readonly players: number; readonly limit: number },
): ActivityEvent {
  return events.add({
    kind: full ? 'network.limit-reached' : 'network.limit-left',
    subject: { type: 'network', id: 'network' },
    template: null,
    actor: OVERWORLD,
    message: full ? 'The network is full: its player limit is reached' : 'The network has room again',
    cause: full
      ? `${players} players are online, max_online_players is ${limit}`
      : `${players} of at most ${limit} players are online, fewer than ${LEFT_BELOW_PERCENT} %`,
  });
}
