import type { Backend, Platform, Session } from '#shared/link/messages.ts';
import type { SoftwareFamily } from '#shared/link/software.ts';
import type { Player, Plugin } from '#shared/model/player.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { PlayerEntry } from '#shared/model/player-entry.ts';

/** A service that may have a plugin, as the control room knows it. */
export interface LinkedService {
  readonly id: ServiceId;
  readonly isProxy: boolean;
  /** Software of its jar. Only a plugin that can run on it is accepted. */
  readonly family: SoftwareFamily;
  /** Players by its last status ping; null if that was not answered. Used for a proxy that is not linked. */
  readonly pinged: number | null;
}

/** What the link is told each round. Only differences are sent to plugins. */
export interface NetworkView {
  /** `max_online_players` (docs/specification.md#max_online_players). */
  readonly limit: number;
  /** All game servers that are up. */
  readonly backends: readonly Backend[];
  /** All services that run or may run. One that is missing has exited, and so have its players left. */
  readonly services: readonly LinkedService[];
}

/** Data that a service needs to find the master and to prove its identity: the lines of `HAND_OVER_FILE`. */
export interface HandOver {
  readonly host: string;
  readonly port: number;
  /** SHA-256 of the master's certificate (lower-case hex). */
  readonly fingerprint: string;
  readonly service: ServiceId;
  readonly token: string;
}

/** What a plugin has reported about its service. */
export interface PluginReport {
  readonly plugin: Plugin;
  /** Since when its plugin is disconnected (ms of `monotonicMs`); null while it is linked. */
  readonly silentSince: number | null;
  /** Set while it declares itself in use, regardless of its players. */
  readonly inUse: { readonly why: string } | null;
  /** Player count of a game server by its own report; null if it has not reported one. */
  readonly count: { readonly online: number; readonly max: number } | null;
}

export type LinkEvent =
  | { readonly kind: 'linked' | 'silent'; readonly service: ServiceId; readonly platform: Platform }
  | { readonly kind: 'joined' | 'left'; readonly proxy: ServiceId; readonly player: Session }
  | { readonly kind: 'switched'; readonly proxy: ServiceId; readonly player: Session }
  /** The result of {@link Link.heard} for a service has changed: its players, or whether it is in use. */
  | { readonly kind: 'heard'; readonly service: ServiceId }
  /** A plugin made an impossible claim for the first time. Both texts are sentences for people. */
  | {
      readonly kind: 'doubted';
      readonly service: ServiceId;
      readonly message: string;
      readonly cause: string;
    }
  /** The global limit rejected a player, or a plugin let the player in beyond it. */
  | {
      readonly kind: 'limit-reached';
      readonly proxy: ServiceId;
      readonly name: string;
      readonly admitted: boolean;
    };

/**
 * Stops a service on request of a player in game. Resolves to one sentence for the player, rejects with an
 * OverworldError.
 */
export type StopService = (service: ServiceId, by: { name: string; proxy: ServiceId }) => Promise<string>;

/**
 * The plugin link, as the loop sees it: which player is on which proxy and server, and the global player limit,
 * which holds across all proxies in any case (docs/specification.md#max_online_players; docs/adr/0022).
 */
export interface Link {
  /** Where it listens, or why it does not, and how many plugins are linked. */
  readonly state: PlayerEntry['link'];
  /**
   * Finds a free port after the configured one. Null if there is none nearby, or if the address cannot be listened
   * on.
   */
  findFreePort(): Promise<number | null>;
  readonly players: readonly Player[];
  /** Players on the whole network: sessions of proxies that have reported them, and estimates for the others. */
  readonly online: number;
  /**
   * Returns the sessions on a service: for a proxy those that came through it, for a game server those that are on
   * it.
   */
  playersOn(service: ServiceId): number;
  /** Reports whether the plugin of a proxy has reported its players to this master. */
  isCounted(proxy: ServiceId): boolean;
  reportOf(service: ServiceId): PluginReport | null;
  setNetwork(view: NetworkView): void;
  handOver(service: ServiceId): HandOver;
  /**
   * Kicks a player from the network.
   *
   * @throws OverworldError PLAYER_NOT_FOUND, PLAYER_UNREACHABLE
   */
  kick(uuid: string, message: string): void;
  /**
   * Sends a player to a service.
   *
   * @throws OverworldError PLAYER_NOT_FOUND, PLAYER_UNREACHABLE, SERVICE_NOT_JOINABLE
   */
  send(uuid: string, service: ServiceId): void;
  /**
   * Adds a listener. It is called once per event, soon after it happened.
   *
   * @returns a function that unsubscribes
   */
  on(listener: (event: LinkEvent) => void): () => void;
  /** Sets the handler of `/cloud stop`. */
  onStopService(handler: StopService): void;
  close(): Promise<void>;
}
