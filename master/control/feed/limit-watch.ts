import type { ActivityEvent } from '#shared/model/event.ts';
import type { Documents } from '../context/documents.ts';
import type { Environment } from '../context/environment.ts';
import type { ServiceState } from '../context/service-state.ts';
import type { IngressAccess } from '../context/ingress-access.ts';
import type { Feed } from '../context/feed.ts';
import { OVERWORLD } from './emit-event.ts';
import { knownPlayers } from '#master/ingress/presence.ts';

/**
 * The limit counts as left only below this share of it (percent), so that single players who join and leave at the
 * limit cause no events.
 */
const LEFT_BELOW_PERCENT = 95;

type Known = Pick<Documents, 'config'> &
  Pick<Environment, 'now'> &
  Pick<ServiceState, 'records'> &
  Pick<IngressAccess, 'link' | 'proxies'> &
  Feed;

/**
 * Reports whether the network counts as full, given whether it did before.
 *
 * Example: with a limit of 100, full from 100 players until there are fewer than 95.
 */
export function isAtLimit(wasAtLimit: boolean, players: number, limit: number): boolean {
  if (limit <= 0) return false;
  return wasAtLimit ? players * 100 >= limit * LEFT_BELOW_PERCENT : players >= limit;
}

/**
 * Writes an event when the players of the network reach `max_online_players`
 * (docs/specification.md#max_online_players), and one when the limit is left again. Each is written once, even if
 * the master restarts in between.
 *
 * @returns a function that stops the watch
 */
export function watchLimit(known: Known): () => void {
  const { events, topics } = known;
  const kinds = ['network.limit-reached', 'network.limit-left'] as const;
  let full = events.query({ limit: 1, kinds })[0]?.kind === 'network.limit-reached';
  const look = (): void => {
    // After a restart, the players are not known until every running service has answered.
    const players = knownPlayers(known);
    if (players === null) return;
    const limit = known.config.master.config.max_online_players;
    const now = isAtLimit(full, players, limit);
    if (now === full) return;
    full = now;
    tellLimit(known, full, { players, limit });
  };
  return topics.subscribe((stale) => {
    if (stale.includes('services') || stale.includes('config')) look();
  });
}

function tellLimit(
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
