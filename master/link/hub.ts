import type { TLSSocket } from 'node:tls';
import { monotonicMs } from '#shared/node/clock.ts';
import type { Logger } from 'pino';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import { LINK_VERSION, type MasterMessage, type PluginMessage } from '#shared/link/messages.ts';
import { canRunOn } from '#shared/link/software.ts';
import type { Player } from '#shared/model/player.ts';
import type { ServiceId } from '#shared/model/service-id.ts';
import type { PlayerEntry } from '#shared/model/player-entry.ts';
import { advertisedAddress } from './server/advertised-address.ts';
import type { AllowanceKeeper, Overclaim } from './limit/allowance-keeper.ts';
import { NetworkBroadcaster } from './sessions/network-broadcaster.ts';
import { BackendFeed } from './registry/backend-feed.ts';
import { PluginConnection } from './server/connection.ts';
import { MessageRouter } from './sessions/message-router.ts';
import { refuse, type Hello, type Refused } from './server/greeting.ts';
import { PluginRegistry } from './registry/plugin-registry.ts';
import { PluginSession } from './sessions/plugin-session.ts';
import { playersOnProxy } from './sessions/player-count.ts';
import type { LinkIdentity } from './server/identity.ts';
import { KnownServices } from './registry/known-services.ts';
import type {
  HandOver,
  PluginReport,
  PluginLink,
  PluginLinkEvent,
  NetworkView,
  StopService,
} from './link.ts';
import type { Listener } from './server/listener.ts';
import { Listeners } from './listeners.ts';
import { freePortAfter } from './server/ports.ts';
import { PlayerSessions } from './sessions/player-sessions.ts';
import { MessageLimit } from './server/message-limit.ts';
import type { LinkTiming } from './timing.ts';

export interface HubComponents {
  readonly hostname: string;
  /** Configured port. If it is 0, the system chooses a free port. */
  readonly port: number;
  readonly identity: LinkIdentity;
  readonly keeper: AllowanceKeeper;
  readonly timing: LinkTiming;
  readonly log: Logger;
  readonly now: () => number;
}

/** Maximum length of a message to a player (characters). */
const MAX_KICK_MESSAGE = 1_000;

/** Connects the parts of the plugin link: accepts connections of plugins and sends them the state of the network. */
export class Hub implements PluginLink {
  readonly #components: HubComponents;
  readonly #services = new KnownServices();
  readonly #sessions = new PlayerSessions();
  readonly #feed = new BackendFeed();
  readonly #registry: PluginRegistry;
  readonly #listeners: Listeners;
  readonly #router: MessageRouter;
  readonly #counted = new Map<ServiceId, number>();
  /**
   * Services whose plugin was rejected because of its version, or because its platform is impossible for the
   * service's software.
   */
  readonly #doubted = new Set<ServiceId>();
  readonly #speeches = new Map<ServiceId, MessageLimit>();
  readonly #announcer: NetworkBroadcaster;
  #listener: Listener | null = null;
  #limit = 0;
  #players: readonly Player[] | null = null;
  #stopService: StopService | null = null;

  constructor(components: HubComponents) {
    this.#components = components;
    const { log, timing, keeper } = components;
    this.#registry = new PluginRegistry(components.now);
    this.#listeners = new Listeners(log);
    this.#router = new MessageRouter({
      log,
      keeper,
      sessions: this.#sessions,
      registry: this.#registry,
      listeners: this.#listeners,
      onPlayers: () => this.#onPlayers(),
      stopService: () => this.#stopService,
    });
    this.#announcer = new NetworkBroadcaster({
      registry: this.#registry,
      feed: this.#feed,
      timing,
      numbers: () => ({ online: this.online, limit: this.#limit }),
    });
  }

  /** Sets the listener. It is not a constructor parameter, because the listener itself needs {@link Hub.meet}. */
  listenBy(listener: Listener): void {
    this.#listener = listener;
  }

  get state(): PlayerEntry['link'] {
    const { listening = null, error = null } = this.#listener ?? {};
    return { listening, error: error === null ? null : toWire(error), plugins: this.#registry.size };
  }

  findFreePort(): Promise<number | null> {
    const { hostname, port } = this.#components;
    return freePortAfter(hostname, port);
  }

  get players(): readonly Player[] {
    this.#players ??= this.#sessions.players;
    return this.#players;
  }

  get online(): number {
    return this.#services.proxies.reduce((sum, { id }) => sum + this.#playersOn(id), 0);
  }

  playersOn(service: ServiceId): number {
    const via = this.#sessions.countVia(service);
    if (via !== null) return via;
    const report = this.reportOf(service);
    const isReported = report?.plugin.state === 'linked' && report.count !== null;
    return isReported ? this.#sessions.countOnByLinked(service) : this.#sessions.countOn(service);
  }

  accepts(service: ServiceId): boolean {
    return this.#feed.get(service)?.open === true;
  }

  isCounted(proxy: ServiceId): boolean {
    return this.#sessions.countVia(proxy) !== null;
  }

  reportOf(service: ServiceId): PluginReport | null {
    return this.#registry.report(service);
  }

  hasLinked(proxy: ServiceId): boolean {
    return this.reportOf(proxy) !== null || this.#components.keeper.grantedTo(proxy) > 0;
  }

  setNetwork({ limit, backends, services }: NetworkView): void {
    const { keeper } = this.#components;
    for (const id of this.#services.set(services)) this.#forget(id);
    this.#checkKinds();
    this.#limit = limit;
    keeper.take({ kind: 'network', limit, proxies: this.#services.proxies.map(({ id }) => id) });
    if (this.#feed.set(backends)) this.#announcer.backendsChanged();
    this.#onCounts();
  }

  handOver(service: ServiceId): HandOver {
    const { hostname, port, identity } = this.#components;
    return {
      host: advertisedAddress(hostname),
      port: this.#listener?.listening?.port ?? port,
      fingerprint: identity.fingerprint,
      service,
      token: identity.tokenOf(service),
    };
  }

  kick(uuid: string, message: string): void {
    const { session } = this.#reach(uuid);
    session.connection.send({ type: 'kick', uuid, message: message.slice(0, MAX_KICK_MESSAGE) });
  }

  send(uuid: string, service: ServiceId): void {
    const { session } = this.#reach(uuid);
    const backend = this.#feed.get(service);
    if (backend === undefined) {
      throw new OverworldError('SERVICE_NOT_JOINABLE', { service, why: 'it is not a running game server' });
    }
    if (!backend.open) {
      throw new OverworldError('SERVICE_NOT_JOINABLE', { service, why: 'it accepts no new players' });
    }
    session.connection.send({ type: 'send', uuid, server: service });
  }

  on(listener: (event: PluginLinkEvent) => void): () => void {
    return this.#listeners.on(listener);
  }

  onStopService(handler: StopService): void {
    this.#stopService = handler;
  }

  async close(): Promise<void> {
    this.#announcer.close();
    for (const session of this.#registry.all) session.connection.cut('the master is shutting down');
    await this.#listener?.close();
    await this.#components.keeper.close();
  }

  /** Sends a message to the plugin of a service. Does nothing if it is not linked. */
  sendMessage(service: ServiceId, message: MasterMessage): void {
    this.#registry.get(service)?.connection.send(message);
  }

  /** Emits a `doubted` event for a proxy that claims more slots than it can have. */
  emitOverclaim({ proxy, claimed, most }: Overclaim): void {
    this.#listeners.emit({
      kind: 'doubted',
      service: proxy,
      message: `${proxy} reports that it may admit ${claimed} players, but it was granted at most ${most} slots`,
      cause:
        "its plugin was replaced, or the master's record is outdated; the plugin is told to return the excess slots",
    });
  }

  /**
   * Handles a new TLS connection. If its first message is a valid greeting, calls `greeted` and opens a plugin
   * session. Otherwise, closes the connection.
   */
  meet(socket: TLSSocket, greeted: () => void): void {
    let session: PluginSession | null = null;
    const connection = new PluginConnection(socket, {
      // The monotonic clock is used, because the wall clock may be changed.
      now: monotonicMs,
      onMessage: (message) => {
        try {
          if (session === null) session = this.#greet(connection, message, greeted);
          // A message is ignored if a newer connection has replaced its session.
          else if (this.#registry.get(session.service) === session) this.#router.route(session, message);
        } catch (error) {
          // A bug in the handling of one message closes only this connection, and does not stop the master.
          this.#components.log.error(
            { err: error, type: message.type },
            'a message of a plugin is not valid',
          );
          connection.cut('its message is not valid');
        }
      },
      onEnd: (why) => {
        if (session !== null) this.#leave(session, why);
      },
      onDrain: () => session?.feed(this.#feed),
    });
  }

  #greet(connection: PluginConnection, message: PluginMessage, greeted: () => void): PluginSession | null {
    if (message.type !== 'hello') {
      connection.cut('it sent no greeting');
      return null;
    }
    const { identity, keeper, timing, log } = this.#components;
    const messageLimit = this.#speeches.get(message.service) ?? new MessageLimit(monotonicMs());
    const no = refuse(message, {
      isTokenOf: (id, token) => identity.isTokenOf(id, token),
      standingOf: (id) => this.#services.standingOf(id),
      kindOf: (id) => this.#services.get(id),
      mayGreet: () => messageLimit.mayGreet(monotonicMs()),
    });
    if (no !== null) {
      log.debug({ service: message.service, why: no.why }, 'a plugin was refused');
      if (no.why === 'platform' || no.why === 'version') this.#emitRejection(message, no);
      connection.dismiss(no, 'refused');
      return null;
    }
    const { service, platform } = message;
    this.#speeches.set(service, messageLimit);
    connection.trust(messageLimit);
    greeted();
    // `isProxy` is on by default (docs/specification.md#isproxy), so a game server may be configured as a proxy by
    // mistake. A game server lets no players in, so slots that are granted to it could not be used.
    const isProxy = platform !== 'bukkit' && (this.#services.get(service)?.isProxy ?? false);
    const session = new PluginSession({ service, platform, isProxy, connection });
    const older = this.#registry.enter(session, message);
    older?.connection.cut('replaced by a newer connection of the same service');
    const { heartbeatMs, silentAfterMs } = timing;
    connection.send({ type: 'welcome', version: LINK_VERSION, heartbeatMs, silentAfterMs });
    this.#announcer.sendAll(session);
    if (isProxy) {
      this.#sessions.linked(service);
      keeper.take({ kind: 'linked', proxy: service, allowance: message.allowance });
    }
    if (older === undefined) {
      log.info({ service, platform, software: message.software, plugin: message.plugin }, 'plugin linked');
      this.#listeners.emit({ kind: 'linked', service, platform });
    }
    return session;
  }

  /**
   * Disconnects plugins whose platform cannot run on the kind of their service. When they connect again, they are
   * rejected.
   */
  #checkKinds(): void {
    for (const { service, platform, connection } of this.#registry.all) {
      const kind = this.#services.get(service);
      if (kind !== undefined && !canRunOn(platform, kind))
        connection.cut('its platform does not match its service');
    }
  }

  /**
   * Reports a rejected plugin with a valid token: it has another version of the link, or claims an impossible
   * platform. Each service is reported once.
   */
  #emitRejection({ service, platform, version, plugin }: Hello, { why, message }: Refused): void {
    if (this.#doubted.has(service)) return;
    this.#doubted.add(service);
    const { log } = this.#components;
    if (why === 'version') {
      log.warn({ service, version, plugin }, 'a plugin has another version of the plugin link');
      const cause =
        'a master of another version started the service; restart it, and it gets the plugin of this master';
      this.#listeners.emit({ kind: 'doubted', service, message, cause });
      return;
    }
    log.warn({ service, platform }, 'a plugin reports a platform that does not match its service');
    const cause =
      'its plugin was replaced, or "Proxy" is set incorrectly in its template; the plugin is not linked';
    this.#listeners.emit({ kind: 'doubted', service, message, cause });
  }

  #leave(session: PluginSession, why: string): void {
    if (!this.#registry.leave(session)) return;
    const { service, platform, isProxy } = session;
    if (isProxy) {
      this.#sessions.unlinked(service);
      this.#components.keeper.take({ kind: 'unlinked', proxy: service });
    }
    this.#components.log.info({ service, why }, 'plugin silent');
    this.#listeners.emit({ kind: 'silent', service, platform });
  }

  /** Removes a service that no longer exists, with its players, and closes the connection of its plugin. */
  #forget(service: ServiceId): void {
    this.#registry.forget(service)?.connection.cut('its service no longer exists');
    this.#router.emitSessionChanges(this.#sessions.gone(service));
    this.#counted.delete(service);
    this.#doubted.delete(service);
    this.#speeches.delete(service);
  }

  #reach(uuid: string): { player: Player; session: PluginSession } {
    const player = this.#sessions.of(uuid);
    if (player === undefined) throw new OverworldError('PLAYER_NOT_FOUND', { player: uuid });
    const session = this.#registry.get(player.proxy);
    // The players of an unlinked proxy stay listed, but no message can be sent to the proxy.
    if (session === undefined) {
      const { name, proxy } = player;
      throw new OverworldError('PLAYER_UNREACHABLE', { player: name, proxy });
    }
    return { player, session };
  }

  #playersOn(proxy: ServiceId): number {
    return playersOnProxy({
      sessions: this.#sessions.countVia(proxy),
      pinged: this.#services.get(proxy)?.pinged ?? null,
      granted: this.#components.keeper.grantedTo(proxy),
    });
  }

  /**
   * Reports whether the number of players on a proxy is more than an estimate. Until a proxy with slots has reported
   * its players, it may have more players than its pings show: those whom plugins let in beyond its slots.
   */
  #isPlayerCountKnown(proxy: ServiceId): boolean {
    if (this.isCounted(proxy)) return true;
    const pinged = this.#services.get(proxy)?.pinged ?? null;
    return pinged !== null && this.#components.keeper.grantedTo(proxy) === 0;
  }

  #onPlayers(): void {
    this.#players = null;
    this.#onCounts();
  }

  #onCounts(): void {
    for (const { id: proxy } of this.#services.proxies) {
      if (!this.#isPlayerCountKnown(proxy)) continue;
      const players = this.#playersOn(proxy);
      if (players === this.#counted.get(proxy)) continue;
      this.#counted.set(proxy, players);
      this.#components.keeper.take({ kind: 'counted', proxy, players });
    }
    this.#announcer.numbersChanged();
  }
}
