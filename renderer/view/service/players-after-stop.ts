import { isUp, type Service } from '#shared/model/service.ts';
import type { Template } from '#shared/model/template.ts';
import { toCount } from '../format/numbers.ts';
import { countPlayers, proxyTemplates } from '../player.ts';

type Stopped = Pick<Service, 'id' | 'template' | 'state' | 'players'>;

/** All services and templates. They determine the fallbacks of players. */
export interface Network {
  readonly services: readonly Service[];
  readonly templates: readonly Template[];
}

/** How many players are on the services that stop, and what happens to these players. */
export interface PlayersAfterStop {
  readonly players: number;
  /** Number of players who are moved to a running fallback with room. */
  readonly moved: number;
  /** Number of players who are disconnected because their proxy stops. */
  readonly throughProxies: number;
}

/**
 * Computes how many players are moved and how many are disconnected when services stop. Proxies move players of game
 * servers to fallbacks with room. Players of a proxy that stops are disconnected. Fallbacks with `joinPermission` do
 * not count, because the window does not know which players may join them.
 */
export function playersAfterStop(
  stopped: readonly Stopped[],
  { services, templates }: Network,
): PlayersAfterStop {
  const proxies = proxyTemplates(templates);
  const players = countPlayers(stopped, proxies);
  const through = stopped.reduce((sum, one) => sum + (proxies.has(one.template) ? one.players.online : 0), 0);
  const ids = new Set(stopped.map(({ id }) => id));
  const staying = services.filter((one) => !ids.has(one.id) && isOpen(one));
  const hasProxy = staying.some(({ template }) => proxies.has(template));
  const room = hasProxy ? roomOf(staying, templates) : 0;
  const onGames = players - Math.min(players, through);
  return { players, moved: Math.min(onGames, room), throughProxies: Math.min(players, through) };
}

function isOpen(service: Service): boolean {
  const { stopping, retiring, draining, unresponsive } = service;
  return isUp(service) && stopping === null && retiring === null && draining === null && !unresponsive;
}

function roomOf(services: readonly Service[], templates: readonly Template[]): number {
  const fallbacks = new Map(
    templates
      .filter(({ config, leaving }) => config.isFallback && !config.isProxy && leaving === null)
      .filter(({ config }) => config.joinPermission === '')
      .map(({ id, config }) => [id, config.maxPlayers]),
  );
  return services.reduce((sum, { template, players }) => {
    const usual = fallbacks.get(template);
    if (usual === undefined) return sum;
    return sum + Math.max(0, (players.max < 0 ? usual : players.max) - players.online);
  }, 0);
}

/** Describes the effect on the players in one sentence. */
export function playersAfterStopWords({ players, moved, throughProxies }: PlayersAfterStop): string {
  const are = (count: number): string => `${toCount(count)} ${count === 1 ? 'player is' : 'players are'}`;
  if (moved === players) return `${are(players)} moved to a fallback with room.`;
  const away = players - moved;
  const why =
    throughProxies >= away
      ? 'as their proxy stops'
      : throughProxies === 0
        ? 'as no fallback has room'
        : 'as their proxy stops or no fallback has room';
  return moved === 0
    ? `${are(players)} disconnected, ${why}.`
    : `${are(moved)} moved to a fallback, ${toCount(away)} ${away === 1 ? 'is' : 'are'} disconnected, ${why}.`;
}
