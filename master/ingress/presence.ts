import { monotonicMs } from '#shared/node/clock.ts';
import { isUp } from '#shared/model/service.ts';
import type { PluginReport } from '#master/link/link.ts';
import type { IngressAccess } from './ingress-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { PingAnswer } from '#master/state/pings/pinger.ts';
import { isUnconfirmed, type ServiceRecord } from '#master/state/services/records.ts';
import { isProxyService } from './proxies.ts';

/**
 * Time for which a plugin's declaration "in use" stays valid after the plugin was disconnected (ms). A restart or an
 * update of the master takes less time.
 */
const WORD_KEPT_MS = 60_000;

/**
 * Maximum time to wait for an answer of a service that was running before this master started (ms). After that, its
 * last known players count.
 */
const HEARD_AGAIN_WITHIN_MS = 30_000;

/** Players on a service, as far as they are known. */
export interface Presence {
  readonly players: ServiceRecord['players'];
  /** Why a plugin on the service declares the service in use, regardless of players. Null if no plugin does. */
  readonly declaredInUse: string | null;
}

/**
 * Returns the players of a service, from its plugin and its latest status ping. For a game server, the plugin's count
 * is preferred over the ping. The result is at least the number of sessions that proxies report on the game server.
 * For a proxy with Overworld's plugin, only the proxy's own sessions count, because its answers to pings contain the
 * number of players on the whole network. Right after a restart of the master, nothing is known about such a proxy
 * until its plugin is linked again.
 *
 * Example: the ping of a game server reports 2 players, and proxies report 3 sessions on it → 3, because a player has
 * just joined.
 *
 * @param ping null if the latest ping was not answered, or if none was sent
 * @param known the link; `now` returns the time (ms since epoch), `clock` the monotonic time (ms)
 * @returns null if there is no new information
 */
export function presenceOf(
  record: ServiceRecord,
  ping: PingAnswer | null,
  {
    link,
    now,
    clock = monotonicMs,
  }: Pick<IngressAccess, 'link'> & Pick<Environment, 'now'> & { readonly clock?: () => number },
): Presence | null {
  const report = link.reportOf(record.id);
  if (report === null && awaitsPlugin(record, now())) return null;
  const sessions = link.playersOn(record.id);
  const declaredInUse = declaredBy(report, { before: record.declaredInUse, answers: ping !== null }, clock());
  if (report !== null && report.plugin.platform !== 'bukkit') {
    const max = record.placed?.values.maxPlayers ?? record.players.max;
    return { players: { online: sessions, max }, declaredInUse };
  }
  if (report?.plugin.state === 'linked' && report.count !== null) {
    const { online, max } = report.count;
    return { players: { online: Math.max(online, sessions), max }, declaredInUse };
  }
  if (ping !== null) {
    const { online, max } = ping.players;
    return { players: { online: Math.max(online, sessions), max }, declaredInUse };
  }
  const players = report === null ? playersBySessions(record, sessions) : record.players;
  if (players === null) return null;
  const { online, max } = players;
  return { players: { online: Math.max(online, sessions), max }, declaredInUse };
}

/**
 * Returns the players of a service for which only the sessions on proxies are known. Null if there may be more
 * players than sessions, because the service's ping was not answered. If the service never answers pings, the
 * sessions are all of its players.
 */
function playersBySessions(
  { players, placed }: ServiceRecord,
  sessions: number,
): ServiceRecord['players'] | null {
  if (placed?.statusOff === true) return { online: sessions, max: players.max };
  return sessions <= players.online ? null : players;
}

/**
 * Reports whether a service is a proxy with Overworld's plugin that this master has just adopted. Its plugin connects
 * again within seconds. Until then, its pings do not count: they would make an empty proxy count as in use, so that
 * another proxy would be started.
 */
function awaitsPlugin({ adoptedAt, upAt, placed }: ServiceRecord, now: number): boolean {
  if (adoptedAt === null || upAt !== null || now - adoptedAt > HEARD_AGAIN_WITHIN_MS) return false;
  return placed !== null && placed.values.isProxy && placed.given.plugin !== null;
}

/**
 * Returns why a plugin declares its service in use. If the plugin has been disconnected for at least 1 min, it can no
 * longer withdraw its declaration. The declaration then expires if the service answers pings, and stays if the
 * service does not answer either.
 */
function declaredBy(
  report: PluginReport | null,
  { before, answers }: { readonly before: string | null; readonly answers: boolean },
  now: number,
): string | null {
  const said = report?.inUse?.why ?? null;
  const silentSince = report?.silentSince ?? null;
  if (said === null || silentSince === null || now - silentSince < WORD_KEPT_MS) return said;
  return answers ? null : before;
}

/**
 * Returns the current number of slots of a service. Once the service is up, this is the number that it reports,
 * because a plugin on it may have changed its slots (docs/specification.md#maxplayers). Before the service is up, or
 * if it reports no limit, the result is the value with which it was started.
 *
 * Example: started with 50, up, reports 1,000,000, limit 100 → 100.
 *
 * @param limit `max_online_players`. Reported slots above both this limit and the value from the start do not count,
 * because they cannot be used
 */
export function slotsOn({ state, players, placed }: ServiceRecord, limit: number): number {
  const started = placed?.values.maxPlayers ?? 0;
  if (!isUp({ state }) || players.max < 0) return started;
  return Math.min(players.max, Math.max(started, limit));
}

type Known = Pick<ServiceStores, 'records'> & Pick<IngressAccess, 'link' | 'proxies'>;

/**
 * Returns the number of players on the network as its proxies count them. Null while no proxy is up. Players then
 * join game servers directly, so each player is on only one service.
 */
export function playersOnProxies(known: Known): number | null {
  const proxies = known.records.all.some((record) => isUp(record) && isProxyService(record, known));
  return proxies ? known.link.online : null;
}

/**
 * Returns the number of players on the whole network; each player counts once. `max_online_players` limits this
 * number (docs/specification.md#max_online_players).
 *
 * Example: proxies with 4 players and game servers with 3 → 4; without a proxy → 3.
 */
export function networkPlayers(known: Known): number {
  return playersOnProxies(known) ?? known.records.all.reduce((sum, { players }) => sum + players.online, 0);
}

/**
 * Returns {@link networkPlayers}, or null while the number is unknown, for example right after a restart of the
 * master. With proxies, the number is known once all proxies have answered. A proxy with a plugin must have answered
 * through the plugin, because its status pings contain the number of the whole network. Without proxies, the number
 * is known once all services have answered.
 */
export function knownPlayers(known: Known & Pick<Environment, 'now'>): number | null {
  const { all } = known.records;
  const hasProxies = all.some((record) => isProxyService(record, known));
  return all.some((record) => isAwaited(record, hasProxies, known)) ? null : networkPlayers(known);
}

function isAwaited(
  record: ServiceRecord,
  hasProxies: boolean,
  known: Known & Pick<Environment, 'now'>,
): boolean {
  const { id, placed, adoptedAt } = record;
  // The record was read from disk, and the service's node has not been observed yet.
  if (isUnconfirmed(record) && adoptedAt === null) return true;
  if (adoptedAt === null || known.now() - adoptedAt > HEARD_AGAIN_WITHIN_MS) return false;
  // A proxy whose files are unknown is recognized only by its plugin.
  const mayBeProxy = placed === null || placed.values.isProxy;
  if (hasProxies && !mayBeProxy) return false;
  if (isUnconfirmed(record)) return true;
  if (!placed?.values.isProxy || placed.given.plugin === null) return false;
  return !known.link.isCounted(id) && known.link.reportOf(id)?.plugin.platform !== 'bukkit';
}
