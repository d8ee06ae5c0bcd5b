import type { BalancerView } from '#shared/model/player-entry.ts';
import type { ServiceId } from '#shared/model/service.ts';

/** A proxy, as the load balancer needs it. */
export interface WantedEntry {
  readonly id: ServiceId;
  readonly host: string;
  readonly port: number;
  /** Whether it was started to expect a PROXY protocol header. If not, `send-proxy…` is left out of its entry. */
  readonly proxyProtocol: boolean;
  /** Whether it accepts new players. If not, it keeps the players it has. */
  readonly open: boolean;
  /** Number of players that it has places for. */
  readonly maxPlayers: number;
  /** Number of players up to which it is filled before an emptier one gets any; at most {@link maxPlayers}. */
  readonly fillLevel: number;
}

/**
 * HAProxy in front of the proxies (docs/specification.md#balancer; docs/adr/0023). Changes are made through its
 * runtime socket and in its file; HAProxy is reloaded where the socket is not enough. Connected players stay
 * connected.
 */
export interface Balancer {
  /** State at the last look. Never throws. */
  readonly view: BalancerView;
  /**
   * Whether a proxy that starts now must expect a PROXY protocol header: the balancer works, and `entry_addition`
   * asks for it.
   */
  readonly sendsProxyProtocol: boolean;
  /**
   * Replaces the wanted entries. They are applied beside the rounds and retried until that works. A proxy that is
   * left out gets no new players, and is removed when its last player has left or when it no longer answers. A
   * proxy that is being stopped should stay listed with `open: false` until it has exited.
   */
  want(entries: readonly WantedEntry[]): void;
  /** Resolves when no new player is sent to this proxy any more, or after the timeout; at once without a balancer. */
  closed(id: ServiceId, timeoutMs: number): Promise<void>;
  /**
   * Writes Overworld's section into the configuration.
   *
   * @throws OverworldError BALANCER_CONFIG_MISSING, BALANCER_PROGRAM_MISSING, BALANCER_CONFIG_UNUSABLE,
   *   BALANCER_ENTRY_REFUSED, BALANCER_UNREACHABLE; nothing is changed then
   */
  adopt(): Promise<BalancerView>;
  /**
   * Removes Overworld's section from the configuration, and changes nothing else. Connected players stay connected.
   *
   * @throws OverworldError BALANCER_CONFIG_MISSING, BALANCER_PROGRAM_MISSING, BALANCER_CONFIG_UNUSABLE; nothing is
   *   changed then
   */
  remove(): Promise<BalancerView>;
  /** @returns a function that unsubscribes */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}
