import type { BalancerView } from '#shared/model/player-entry.ts';
import type { ServiceId } from '#shared/model/service.ts';

/** A proxy to which the load balancer sends players. */
export interface WantedEntry {
  readonly id: ServiceId;
  readonly host: string;
  readonly port: number;
  /**
   * Whether the proxy was started to expect a PROXY protocol header. If not, its entry contains no `send-proxy…`
   * option.
   */
  readonly proxyProtocol: boolean;
  /** Whether the proxy accepts new players. If not, it keeps its current players. */
  readonly open: boolean;
  /** Number of player slots of the proxy. */
  readonly maxPlayers: number;
  /**
   * Number of players up to which the proxy is filled before an emptier proxy gets new players; at most
   * {@link maxPlayers}.
   */
  readonly fillLevel: number;
}

/**
 * HAProxy in front of the proxies (docs/specification.md#balancer; docs/adr/0023). Changes are made through its
 * runtime socket and in its file; HAProxy is reloaded where the socket is not enough. Connected players stay
 * connected.
 */
export interface Balancer {
  /** State of the balancer when it was last checked. Reading it never throws. */
  readonly view: BalancerView;
  /**
   * Whether a proxy that starts now must expect a PROXY protocol header. True if the balancer works and
   * `entry_addition` requests the header.
   */
  readonly sendsProxyProtocol: boolean;
  /**
   * Replaces the desired entries and returns immediately. Later checks of HAProxy apply the entries in the
   * background, and retry until they succeed. A proxy that is missing from the list gets no new players. Its entry is
   * removed when its last player has left, or when it no longer answers. A proxy that is being stopped should stay in
   * the list with `open: false` until it has exited.
   */
  want(entries: readonly WantedEntry[]): void;
  /**
   * Resolves when HAProxy no longer sends new players to this proxy, or after `timeoutMs`. Resolves soon if there is
   * no HAProxy with Overworld's section. The proxy must be missing from the desired entries, or have `open: false`.
   */
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
   * @throws OverworldError BALANCER_CONFIG_MISSING, BALANCER_PROGRAM_MISSING, BALANCER_CONFIG_UNUSABLE: nothing is
   *   changed; BALANCER_RELOAD_FAILED: the file is changed, but HAProxy has not read it
   */
  remove(): Promise<BalancerView>;
  /**
   * Adds a listener that is called after each change of the state.
   *
   * @returns a function that unsubscribes
   */
  onChange(listener: () => void): () => void;
  /** Stops making changes, and waits for the check in progress. HAProxy keeps running in its current state. */
  close(): Promise<void>;
}
