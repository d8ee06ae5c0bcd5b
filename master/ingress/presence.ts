import { monotonicMs } from '#shared/node/clock.ts';
import { isUp } from '#shared/model/service.ts';
import type { PluginReport } from '#master/link/link.ts';
import type { IngressAccess } from '#master/control/context/ingress-access.ts';
import type { ServiceState } from '#master/control/context/service-state.ts';
import type { Environment } from '#master/control/context/environment.ts';
import type { PingAnswer } from '#master/control/pings/pinger.ts';
import { isUnconfirmed, type ServiceRecord } from '#master/control/services/records.ts';
import { isProxyService } from './proxies.ts';

/**
 * Time for which a disconnected plugin's declaration that its service is in use still counts (ms). A restart or
 * update of the master takes less.
 */
const WORD_KEPT_MS = 60_000;

/** Players on a service, as far as they are known. */
export interface Presence {
  readonly players: ServiceRecord['players'];
  /** Why a plugin on it declares it in use, regardless of players; null if none does. */
  readonly declaredInUse: string | null;
}

/**
 * Returns the players of a service from its plugin and its latest status ping. If several sources exist, the one
 * closest to the players counts. A proxy with Overworld's plugin answers pings with the numbers of the whole
 * network, so its sessions count instead.
 *
 * Example: a game server whose ping says 2, with 3 sessions of proxies on it, has 3 players: one has just joined.
 *
 * @param ping null if the latest ping was not answered, or none was sent
 * @param known the link; `clock` is monotonic (ms)
 * @returns null if there is no new information
 */
export function presenceOf(
  record: ServiceRecord,
  ping: PingAnswer | null,
  { link, clock = monotonicMs }: Pick<IngressAccess, 'link'> & { readonly clock?: () => number },
): Presence | null {
  const report = link.reportOf(record.id);
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
  if (report === null && sessions <= record.players.online) return null;
  const { online, max } = record.players;
  return { players: { online: Math.max(online, sessions), max }, declaredInUse };
}

/**
 * Returns why a plugin declares its service in use. A declaration expires if the plugin has been disconnected for
 * long while the service answers, as nothing else would withdraw it. If the service does not answer either, it
 * stays.
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
 * Returns the places that a service has now. Once it is up, its own report counts, as a plugin on it may have
 * changed them (docs/specification.md#maxplayers). Before that, and if it reports no limit, the value from its
 * start counts.
 *
 * Example: started with 50, up, reports 1,000,000, limit 100 → 100.
 *
 * @param limit `max_online_players`: places beyond that cannot be used and do not count
 */
export function placesOn({ state, players, placed }: ServiceRecord, limit: number): number {
  const started = placed?.values.maxPlayers ?? 0;
  if (!isUp({ state }) || players.max < 0) return started;
  return Math.min(players.max, Math.max(started, limit));
}

type Known = Pick<ServiceState, 'records'> & Pick<IngressAccess, 'link' | 'proxies'>;

/**
 * Returns the players on the network as its proxies count them. Null while no proxy is up; then each player is on
 * just one service.
 */
export function playersOnProxies(known: Known): number | null {
  const proxies = known.records.all.some((record) => isUp(record) && isProxyService(record, known));
  return proxies ? known.link.online : null;
}

/**
 * Returns the players on the whole network, each counted once. `max_online_players`
 * (docs/specification.md#max_online_players) limits this number.
 *
 * Example: proxies with 4 players and game servers with 3 → 4; without a proxy → 3.
 */
export function networkPlayers(known: Known): number {
  return playersOnProxies(known) ?? known.records.all.reduce((sum, { players }) => sum + players.online, 0);
}

/**
 * Maximum time to wait for the answer of a service that ran before this master (ms). After that, what is known of
 * it counts.
 */
const HEARD_AGAIN_WITHIN_MS = 30_000;

/**
 * Like {@link networkPlayers}, but null while that is unknown, for example right after a restart of the master. All
 * proxies must have answered first: by their plugin if they have one, as their status pings contain the number of
 * the whole network. Without a proxy, all services must have answered.
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
  // As read from disk: its node was not observed yet.
  if (isUnconfirmed(record) && adoptedAt === null) return true;
  if (adoptedAt === null || known.now() - adoptedAt > HEARD_AGAIN_WITHIN_MS) return false;
  // A proxy with unknown files is recognized by its plugin only.
  const mayBeProxy = placed === null || placed.values.isProxy;
  if (hasProxies && !mayBeProxy) return false;
  if (isUnconfirmed(record)) return true;
  if (!placed?.values.isProxy || placed.given.plugin === null) return false;
  return !known.link.isCounted(id) && known.link.reportOf(id)?.plugin.platform !== 'bukkit';
}
