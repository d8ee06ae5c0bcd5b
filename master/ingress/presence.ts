import { monotonicMs } from '#shared/node/clock.ts';
import { isUp } from '#shared/model/service.ts';
import type { Heard } from '#master/link/link.ts';
import type { IngressAccess } from '#master/control/context/ingress-access.ts';
import type { ServiceState } from '#master/control/context/service-state.ts';
import type { Environment } from '#master/control/context/environment.ts';
import type { PingAnswer } from '#master/control/pings/pinger.ts';
import { isUnheard, type ServiceRecord } from '#master/control/services/records.ts';
import { isProxyService } from './proxies.ts';

/** So long a silent plugin's word that its service is in use still counts, ms: a master's restart or update is shorter. */
const WORD_KEPT_MS = 60_000;

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
 * @param known whom to ask; `clock`: ms, one that nobody sets
 * @returns null when nobody has said anything new
 */
export function presenceOf(
  record: ServiceRecord,
  ping: PingAnswer | null,
  { link, clock = monotonicMs }: Pick<IngressAccess, 'link'> & { readonly clock?: () => number },
): Presence | null {
  const heard = link.heard(record.id);
  const sessions = link.playersOn(record.id);
  const declaredInUse = declaredBy(heard, { before: record.declaredInUse, answers: ping !== null }, clock());
  if (heard !== null && heard.plugin.platform !== 'bukkit') {
    const max = record.placed?.values.maxPlayers ?? record.players.max;
    return { players: { online: sessions, max }, declaredInUse };
  }
  if (heard?.plugin.state === 'linked' && heard.count !== null) {
    const { online, max } = heard.count;
    return { players: { online: Math.max(online, sessions), max }, declaredInUse };
  }
  if (ping !== null) {
    const { online, max } = ping.players;
    return { players: { online: Math.max(online, sessions), max }, declaredInUse };
  }
  if (heard === null && sessions <= record.players.online) return null;
  const { online, max } = record.players;
  return { players: { online: Math.max(online, sessions), max }, declaredInUse };
}

/**
 * Why a service is in use by its plugin's word. That of one that has been silent for long while the service itself answers is
 * old: nobody is left to take it back. While nobody answers nothing is known to have changed.
 */
function declaredBy(
  heard: Heard | null,
  { before, answers }: { readonly before: string | null; readonly answers: boolean },
  now: number,
): string | null {
  const said = heard?.inUse?.why ?? null;
  const silentSince = heard?.silentSince ?? null;
  if (said === null || silentSince === null || now - silentSince < WORD_KEPT_MS) return said;
  return answers ? null : before;
}

/**
 * Places that a service has now: by its own word once it is up, as a plugin on it may have changed them (docs/specification.md#maxplayers).
 * Before, and where it says that it has no limit, those that it was started with.
 *
 * @param limit `max_online_players`: what a service says beyond that could never be used, and counts for nothing
 */
export function placesOn({ state, players, placed }: ServiceRecord, limit: number): number {
  const started = placed?.values.maxPlayers ?? 0;
  if (!isUp({ state }) || players.max < 0) return started;
  return Math.min(players.max, Math.max(started, limit));
}

type Known = Pick<ServiceState, 'records'> & Pick<IngressAccess, 'link' | 'proxies'>;

/**
 * Players on the network as its proxies count them; null while no proxy is up: then who is on a service is on no other.
 */
export function playersOnProxies(known: Known): number | null {
  const proxies = known.records.all.some((record) => isUp(record) && isProxyService(record, known));
  return proxies ? known.link.online : null;
}

/** Players on the whole network, each once: what `max_online_players` (docs/specification.md#max_online_players) limits. */
export function networkPlayers(known: Known): number {
  return playersOnProxies(known) ?? known.records.all.reduce((sum, { players }) => sum + players.online, 0);
}

/** Maximum time to wait for a service that ran before this master, ms: then what is known of it counts. */
const HEARD_AGAIN_WITHIN_MS = 30_000;

/**
 * As {@link networkPlayers}; null while that is not known yet, as right after a restart of the master. Proxies have to be
 * heard again, by their plugin where they have one: the number in its status pings is that of the whole network. Where no
 * proxy runs, each service has to be heard.
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
  // As it was read from disk: its node has not been looked at yet.
  if (isUnheard(record) && adoptedAt === null) return true;
  if (adoptedAt === null || known.now() - adoptedAt > HEARD_AGAIN_WITHIN_MS) return false;
  // A proxy that its files do not give away is known by its plugin's word alone.
  const mayBeProxy = placed === null || placed.values.isProxy;
  if (hasProxies && !mayBeProxy) return false;
  if (isUnheard(record)) return true;
  if (!placed?.values.isProxy || placed.given.plugin === null) return false;
  return !known.link.isCounted(id) && known.link.heard(id)?.plugin.platform !== 'bukkit';
}
