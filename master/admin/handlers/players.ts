import type { Documents } from '#master/state/context/documents.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { PublishedState } from '#master/control/loop/published-state.ts';
import type { PlayerCommands } from '#master/ingress/player-commands.ts';
import type { HandlersOf } from '../api.ts';

/** Maximum number of players in one response. */
const MOST_LISTED = 20_000;

/** Creates the handlers of `players.*`: the players on the network, as the plugins on the proxies report them. */
export function playersHandlers(
  { link, config }: Pick<Documents, 'config'> & Pick<IngressAccess, 'link'>,
  orders: PlayerCommands,
  shown: Pick<PublishedState, 'players'>,
): HandlersOf<'players'> {
  return {
    'players.list': () => {
      const players = link.players.toSorted((a, b) => a.since - b.since);
      return {
        total: shown.players === null ? null : players.length,
        limit: config.master.config.max_online_players,
        players: players.slice(0, MOST_LISTED),
      };
    },
    'players.kick': ({ uuid, message }, caller) => {
      orders.kick(uuid, message, caller.name);
      return {};
    },
    'players.send': ({ uuid, service }, caller) => {
      orders.send(uuid, service, caller.name);
      return {};
    },
  };
}
