import { isUp } from '#shared/model/service.ts';
import type { Parts } from '../parts.ts';
import type { PingAnswer } from '../pinger.ts';
import type { ServiceRecord } from '../records.ts';
import { isProxyService } from './proxies.ts';

/** Who is on a service, as far as anybody has said. */
export interface Presence {
  readonly players: ServiceRecord['players'];
  /** Why a plugin on it says that it is in use, whoever is on it; null when none does. */
  readonly declaredInUse: string | null;
}

/**
 * Who is on one service, from what its plugin said and its newest status ping; of several words the one nearest to the
 * players counts. A proxy with our plugin answers pings with the whole network's numbers, so its sessions count and no
 * ping. Example: a game server whose ping says 2, with 3 sessions of proxies on it, has 3: one has just joined.
 *
 * @param ping null: the newest was not answered, or none was sent
 * @returns null when nobody has said anything new
 */
export function presenceOf(
  record: ServiceRecord,
  ping: PingAnswer | null,
  link: Parts['link'],
): Presence | null {
  const heard = link.heard(record.id);
  const sessions = link.playersOn(record.id);
  const declaredInUse = heard?.inUse?.why ?? null;
  if (heard !== null && heard.plugin.platform !== 'bukkit') {
    const max = record.placed?.values.maxPlayers ?? record.players.max;
    return { players: { online: sessions, max }, declaredInUse };
  }
  if (heard?.plugin.state === 'linked' && heard.count !== null)
    return { players: { ...heard.count }, declaredInUse };
  if (ping !== null) {
    const { online, max } = ping.players;
    return { players: { online: Math.max(online, sessions), max }, declaredInUse };
  }
  if (heard === null && sessions <= record.players.online) return null;
  const { online, max } = record.players;
  return { players: { online: Math.max(online, sessions), max }, declaredInUse };
}

type Known = Pick<Parts, 'records' | 'proxies' | 'link'>;

/**
 * Players on the network as its proxies count them; null while no proxy is up: then who is on a service is on no other.
 */
export function playersOnProxies(known: Known): number | null {
  const proxies = known.records.all.some((record) => isUp(record) && isProxyService(record, known));
  return proxies ? known.link.online : null;
}

/** Players on the whole network, each once: what `max_online_players` (spec 2.2) limits. */
export function networkPlayers(known: Known): number {
  return playersOnProxies(known) ?? known.records.all.reduce((sum, { players }) => sum + players.online, 0);
}
