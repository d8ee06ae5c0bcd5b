import type { Backend, Platform, Session } from '#shared/link/messages.ts';
import type { SoftwareFamily } from '#shared/link/software.ts';
import type { Player, Plugin } from '#shared/model/player.ts';
import type { ServiceId } from '#shared/model/service.ts';
import type { WayIn } from '#shared/model/way-in.ts';

/** A service that may have a plugin, as control knows it. */
export interface LinkedService {
  readonly id: ServiceId;
  readonly isProxy: boolean;
  /** What its jar is: only a plugin that can run in that is believed. */
  readonly family: SoftwareFamily;
  /** Players on it by its last status ping, null when it did not answer: what counts for a proxy that is not linked. */
  readonly pinged: number | null;
}

/** What control tells the link each round; only differences travel to plugins. */
export interface NetworkView {
  /** `max_online_players` (docs/specification.md#max_online_players). */
  readonly limit: number;
  /** All game servers that are up. */
  readonly backends: readonly Backend[];
  /** All services that live or may live. One that is not among them any more is proven gone: so are its players. */
  readonly services: readonly LinkedService[];
}

/** What a service needs to find and prove itself to the master: the lines of `HAND_OVER_FILE`. */
export interface HandOver {
  readonly host: string;
  readonly port: number;
  /** SHA-256 of the master's certificate, lower case hex. */
  readonly fingerprint: string;
  readonly service: ServiceId;
  readonly token: string;
}

/** What the link has heard of one service; in use by its own word (`in-use`), players by `count`. */
export interface Heard {
  readonly plugin: Plugin;
  /** Since when its plugin is silent, ms by a clock that nobody sets (`monotonicMs`); null while it is linked. */
  readonly silentSince: number | null;
  /** It said that it is in use, whoever is on it. */
  readonly inUse: { readonly why: string } | null;
  /** Game servers: who is on it by its own count; null when it has not said. */
  readonly count: { readonly online: number; readonly max: number } | null;
}

export type LinkEvent =
  | { readonly kind: 'linked' | 'silent'; readonly service: ServiceId; readonly platform: Platform }
  | { readonly kind: 'joined' | 'left'; readonly proxy: ServiceId; readonly player: Session }
  | { readonly kind: 'switched'; readonly proxy: ServiceId; readonly player: Session }
  /** What {@link Link.heard} tells of a service is something else: who is on it, or whether it is in use. */
  | { readonly kind: 'heard'; readonly service: ServiceId }
  /** A plugin said of itself what cannot be, for the first time; both are sentences for people. */
  | {
      readonly kind: 'doubted';
      readonly service: ServiceId;
      readonly message: string;
      readonly cause: string;
    }
  /** The global limit kept a player out, or a plugin let it in beyond. */
  | {
      readonly kind: 'limit-reached';
      readonly proxy: ServiceId;
      readonly name: string;
      readonly admitted: boolean;
    };

/** Asked in game; resolves with one sentence for the player, rejects with an OverworldError. */
export type StopService = (service: ServiceId, by: { name: string; proxy: ServiceId }) => Promise<string>;

/**
 * The plugin link, as the loop sees it: who is on which proxy and server, and the global player limit, which holds across
 * all proxies whatever happens (docs/specification.md#max_online_players `max_online_players`; docs/adr/0022).
 */
export interface Link {
  /** Where it listens or why not, and how many plugins are linked. */
  readonly state: WayIn['link'];
  /** A port after its own at which it could listen now; null when there is none near, or its address cannot be listened on. */
  findFreePort(): Promise<number | null>;
  readonly players: readonly Player[];
  /** Players on the whole network: sessions of linked proxies, and for others what is known of them. */
  readonly online: number;
  /** Sessions on one service: on a proxy those that came through it, on a game server those that are on it. */
  playersOn(service: ServiceId): number;
  /** True once the plugin of a proxy has told this master who is on it. */
  isCounted(proxy: ServiceId): boolean;
  heard(service: ServiceId): Heard | null;
  setNetwork(view: NetworkView): void;
  handOver(service: ServiceId): HandOver;
  /** @throws OverworldError PLAYER_NOT_FOUND, PLAYER_UNREACHABLE */
  kick(uuid: string, message: string): void;
  /** @throws OverworldError PLAYER_NOT_FOUND, PLAYER_UNREACHABLE, SERVICE_NOT_JOINABLE */
  send(uuid: string, service: ServiceId): void;
  /** Called at most once for each thing that happened, soon after it. @returns a function that unsubscribes */
  on(listener: (event: LinkEvent) => void): () => void;
  /** Who carries out `/cloud stop`. */
  onStopService(handler: StopService): void;
  close(): Promise<void>;
}
