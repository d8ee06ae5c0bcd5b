import type { Backend, Platform, Session } from '#shared/link/messages.ts';
import type { SoftwareFamily } from '#shared/link/software.ts';
import type { Player, Plugin } from '#shared/model/player.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { PlayerEntry } from '#shared/model/player-entry.ts';

/** A service that may have a plugin, as the control loop reports it. */
export interface LinkedService {
  readonly id: ServiceId;
  readonly isProxy: boolean;
  /** Software of the service's jar. Only a plugin that can run on it is accepted. */
  readonly family: SoftwareFamily;
  /**
   * Number of players according to the latest status ping; null if the ping was not answered. Used only for a proxy
   * whose plugin has not reported its players to this master yet.
   */
  readonly pinged: number | null;
}

/** State of the network that the control loop passes to the link each round. Only differences are sent to plugins. */
export interface NetworkView {
  /** Player limit of the network: `max_online_players` (docs/specification.md#max_online_players). */
  readonly limit: number;
  /** All game servers that are up. */
  readonly backends: readonly Backend[];
  /**
   * All services that run or may run. If a service is missing from this list, it has exited, and its players have
   * left.
   */
  readonly services: readonly LinkedService[];
}

/**
 * Data with which a service finds the master, and with which both prove their identities: the lines of
 * `HAND_OVER_FILE`.
 */
export interface HandOver {
  readonly host: string;
  readonly port: number;
  /** SHA-256 of the master's certificate (lower-case hex). */
  readonly fingerprint: string;
  readonly service: ServiceId;
  readonly token: string;
}

/** The last report of a plugin about its service. */
export interface PluginReport {
  readonly plugin: Plugin;
  /** Since when the plugin is disconnected (ms of `monotonicMs`); null while it is linked. */
  readonly silentSince: number | null;
  /**
   * Why the plugin declares its service in use, regardless of players. Null if it does not declare the service in
   * use.
   */
  readonly inUse: { readonly why: string } | null;
  /**
   * Whether the plugin has reported that its service is in use or not in use. The plugin reports this soon after it
   * is linked. Until then, `inUse` is null.
   */
  readonly isUseReported: boolean;
  /** Player count of a game server according to its plugin; null if the plugin has not reported one. */
  readonly count: { readonly online: number; readonly max: number } | null;
}

export type PluginLinkEvent =
  | { readonly kind: 'linked' | 'silent'; readonly service: ServiceId; readonly platform: Platform }
  | { readonly kind: 'joined' | 'left'; readonly proxy: ServiceId; readonly player: Session }
  | { readonly kind: 'switched'; readonly proxy: ServiceId; readonly player: Session }
  /**
   * A service's {@link PluginLink.reportOf report} has changed: its player count, or whether it is declared in use.
   */
  | { readonly kind: 'reported'; readonly service: ServiceId }
  /** A plugin has made an impossible claim for the first time. Both texts are sentences for people. */
  | {
      readonly kind: 'doubted';
      readonly service: ServiceId;
      readonly message: string;
      readonly cause: string;
    }
  /** A player was rejected because of the global limit, or a plugin let a player in beyond the limit. */
  | {
      readonly kind: 'limit-reached';
      readonly proxy: ServiceId;
      readonly name: string;
      readonly admitted: boolean;
    };

/**
 * Stops a service at the request of a player in game. Resolves to one sentence for the player. Rejects with an
 * OverworldError if the service cannot be stopped.
 */
export type StopService = (service: ServiceId, by: { name: string; proxy: ServiceId }) => Promise<string>;

/**
 * The plugin link, as the control loop uses it. It knows which player is on which proxy and server, and enforces the
 * global player limit. The limit is kept at any time across all proxies (docs/specification.md#max_online_players;
 * docs/adr/0022).
 */
export interface PluginLink {
  /** Where the link listens, or why it cannot, and how many plugins are linked. */
  readonly state: PlayerEntry['link'];
  /**
   * Finds a free port above the configured one. Returns null if none of the next 100 ports is free, or if the link
   * cannot listen on its address.
   */
  findFreePort(): Promise<number | null>;
  /** All players whom proxies have reported, including the players of proxies that are not linked at the moment. */
  readonly players: readonly Player[];
  /** Number of players on the whole network. For proxies that have not reported their players, it is an estimate. */
  readonly online: number;
  /**
   * Returns the number of players on a service, as proxies report them. For a proxy, these are the players who joined
   * through it. The players of a disconnected proxy may have left long ago. They do not count on a game server whose
   * own plugin is linked and has reported its players.
   */
  playersOn(service: ServiceId): number;
  /** Reports whether a game server accepts new players, as this was last announced to the plugins. */
  accepts(service: ServiceId): boolean;
  /** Reports whether the plugin of a proxy has reported its list of players to this master. */
  isCounted(proxy: ServiceId): boolean;
  /**
   * Returns the last report of a service's plugin. Null if the plugin was never linked to this master since the
   * master started.
   */
  reportOf(service: ServiceId): PluginReport | null;
  /**
   * Reports whether the plugin of a proxy has ever been linked, to this master or to an earlier one. The proof of the
   * latter is its stored allowance, so the result is false for a proxy whose allowance was 0 or is lost.
   */
  hasLinked(proxy: ServiceId): boolean;
  /**
   * Replaces the state of the network. Sends the differences to the plugins. If a service is no longer in the list,
   * removes its players and closes the connection of its plugin.
   */
  setNetwork(view: NetworkView): void;
  /** Returns the data with which a service's plugin connects to this master. The token in it never changes. */
  handOver(service: ServiceId): HandOver;
  /**
   * Asks the player's proxy to kick the player. Does not wait until this has happened.
   *
   * @param message shown to the player; cut to 1,000 characters
   * @throws OverworldError PLAYER_NOT_FOUND, PLAYER_UNREACHABLE
   */
  kick(uuid: string, message: string): void;
  /**
   * Asks the player's proxy to send the player to a game server. Does not wait until this has happened.
   *
   * @throws OverworldError PLAYER_NOT_FOUND, PLAYER_UNREACHABLE, SERVICE_NOT_JOINABLE
   */
  send(uuid: string, service: ServiceId): void;
  /**
   * Adds a listener, which is called once per event, soon after the event.
   *
   * @returns a function that unsubscribes
   */
  on(listener: (event: PluginLinkEvent) => void): () => void;
  /** Sets the handler for `/cloud stop` and replaces any other. Without a handler, the command is refused. */
  onStopService(handler: StopService): void;
  /** Stops listening, and closes all connections. Plugins connect again to the next master. */
  close(): Promise<void>;
}
