import { monotonicMs } from '#shared/node/clock.ts';
import { isUp } from '#shared/model/service.ts';
import { fillLevel } from '#master/core/snapshot/fill-level.ts';
import type { PluginReport } from '#master/link/link.ts';
import type { IngressAccess } from './ingress-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { PingAnswer } from '#master/state/pings/pinger.ts';
import { isUnconfirmed, lastUpOf, type ServiceRecord } from '#master/state/services/records.ts';
import { isProxyService } from './proxies.ts';

/**
 * Time for which a plugin's declaration "in use" stays valid after the plugin was disconnected (ms). A plugin whose
 * server works connects again within this time.
 */
const WORD_KEPT_MS = 60_000;

/**
 * Maximum time, after this master has adopted a running service, to wait until the service has answered a ping and
 * its plugin has reported (ms). After that, the players that are known by then count.
 */
const HEARD_AGAIN_WITHIN_MS = 30_000;

/** All services, and what their plugins report. */
type Reports = Pick<ServiceStores, 'records'> & Pick<IngressAccess, 'link'> & Pick<Environment, 'now'>;

/** Players on a service, as far as they are known. */
export interface Presence {
  readonly players: ServiceRecord['players'];
  /** Why a plugin on the service declares the service in use, regardless of players. Null if no plugin does. */
  readonly declaredInUse: string | null;
  /**
   * Whether the service counts as in use. One of these conditions is enough:
   *
   * - Players are on the service.
   * - A plugin declares the service in use.
   * - The service was in use before a restart of the master, and not all reports about it have arrived yet.
   */
  readonly isInUse: boolean;
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
 * @param known the link, and all services; `now` returns the time (ms since epoch), `clock` the monotonic time (ms)
 * @returns null if there is no new information
 */
export function presenceOf(
  record: ServiceRecord,
  ping: PingAnswer | null,
  known: Reports & { readonly clock?: () => number },
): Presence | null {
  const { link, now, clock = monotonicMs } = known;
  const report = link.reportOf(record.id);
  if (report === null && awaitsPlugin(record, now())) return null;
  const maybeInUse = mayStillBeInUse(record, report, known);
  // A proxy's plugin sends its list of players right after its greeting. Until then, the proxy would look empty.
  const isUncounted = report !== null && report.plugin.platform !== 'bukkit' && !link.isCounted(record.id);
  if (isUncounted && !maybeInUse) return null;
  const players = countPlayers(record, { report, ping, sessions: link.playersOn(record.id) });
  if (players === null) return null;
  const declaredInUse = declaredBy(report, { before: record.declaredInUse, answers: ping !== null }, clock());
  const isInUse = players.online > 0 || declaredInUse !== null || maybeInUse;
  return { players, declaredInUse, isInUse };
}

/** Returns the players of a service. Null if there is no new information. */
function countPlayers(
  record: ServiceRecord,
  {
    report,
    ping,
    sessions,
  }: { readonly report: PluginReport | null; readonly ping: PingAnswer | null; readonly sessions: number },
): ServiceRecord['players'] | null {
  if (report !== null && report.plugin.platform !== 'bukkit') {
    const max = record.placed?.values.maxPlayers ?? record.players.max;
    return { online: sessions, max };
  }
  const reported = report?.plugin.state === 'linked' ? report.count : null;
  const lastKnown = report === null ? playersBySessions(record, sessions) : record.players;
  const players = reported ?? ping?.players ?? lastKnown;
  return players === null ? null : { online: Math.max(players.online, sessions), max: players.max };
}

/**
 * Returns the players of a service for which only the sessions on proxies are known. Null if there are at most as
 * many sessions as players in the record. This is then no new information, because the service's ping was not
 * answered. If the service never answers pings, the sessions are all of its players.
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
 * Reports whether a service without known players may still be in use. This is the case for up to 30 s after a
 * restart of the master if the service was in use before. The result is false as soon as the service's plugin has
 * reported. For a game server without a plugin, it is false as soon as all proxies have reported their players.
 * Without this function, the rules could stop the service at once.
 */
function mayStillBeInUse(record: ServiceRecord, report: PluginReport | null, known: Reports): boolean {
  const { id, adoptedAt, placed } = record;
  if (adoptedAt === null || known.now() - adoptedAt > HEARD_AGAIN_WITHIN_MS) return false;
  if (lastUpOf(record)?.state !== 'IN_USE' || placed === null) return false;
  if (report !== null) {
    const isCounted = report.plugin.platform === 'bukkit' ? report.count !== null : known.link.isCounted(id);
    return !isCounted || !report.isUseReported;
  }
  if (placed.given.plugin !== null) return true;
  return !placed.values.isProxy && known.records.all.some((one) => isAwaited(one, true, known));
}

/**
 * Returns why a plugin declares its service in use. If the plugin has been disconnected for at least 1 min, it can no
 * longer withdraw its declaration. The declaration then expires if the service answers pings, and stays if the
 * service does not answer pings.
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
 * Returns the number of slots that a service reports. If it reports -1 (no limit), returns the value with which it was
 * started, because with a limit of 0 no player would be sent to the service.
 */
export function reportedSlots({ players, placed }: Pick<ServiceRecord, 'players' | 'placed'>): number {
  return players.max < 0 ? (placed?.values.maxPlayers ?? 0) : players.max;
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
export function slotsOn(record: ServiceRecord, limit: number): number {
  const started = record.placed?.values.maxPlayers ?? 0;
  return isUp(record) ? Math.min(reportedSlots(record), Math.max(started, limit)) : started;
}

/**
 * Reports whether a service has free slots for players.
 *
 * @param limit `max_online_players`
 */
export function hasRoom(record: ServiceRecord, limit: number): boolean {
  return record.players.online < slotsOn(record, limit);
}

/**
 * Reports whether more than 20 % of a service's slots are free, so that it is below the default {@link fillLevel}. The
 * level of its template does not count: if it is 100 %, each free slot would be ample room.
 *
 * @param limit `max_online_players`
 */
export function hasAmpleRoom(record: ServiceRecord, limit: number): boolean {
  const level = fillLevel({ startNewServiceAtTemplateCapacity: 0 }, slotsOn(record, limit));
  return hasRoom(record, limit) && record.players.online < level;
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

/**
 * Reports whether services that the master adopted in the last 30 s have not reported their players yet. The numbers
 * of players on the network and on templates may then be too small.
 */
export function awaitsReports(known: Known & Pick<Environment, 'now'>): boolean {
  return known.records.all.some((record) => record.adoptedAt !== null && isAwaited(record, false, known));
}

/**
 * Reports whether the number of players on the network is unknown because of this service.
 *
 * @param hasProxies whether the network has proxies, so that only they count its players
 */
function isAwaited(record: ServiceRecord, hasProxies: boolean, known: Omit<Reports, 'records'>): boolean {
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
