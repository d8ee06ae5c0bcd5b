import type { BalancerView } from '#shared/model/way-in.ts';
import type { ServiceId } from '#shared/model/service.ts';

/** A proxy as the load balancer is to know it. */
export interface WantedEntry {
  readonly id: ServiceId;
  readonly host: string;
  readonly port: number;
  /** It was started to expect a PROXY protocol header: without, `send-proxy…` is left out of its entry. */
  readonly proxyProtocol: boolean;
  /** False: it keeps the players it has and gets no new ones. */
  readonly open: boolean;
  /** Players that it has places for. */
  readonly maxPlayers: number;
  /** Players to which it is filled before an emptier one gets any; at most {@link maxPlayers}. */
  readonly fillLevel: number;
}

/**
 * HAProxy in front of the proxies (docs/specification.md#balancer `balancer`; docs/adr/0023). Changes are made through its runtime socket and in its
 * file, which is read again where the socket cannot do it; players who are connected stay so.
 */
export interface Balancer {
  /** As it was last seen; never throws. */
  readonly view: BalancerView;
  /** A proxy that is started now is to expect a PROXY protocol header: the balancer works, and `entry_addition` asks for it. */
  readonly sendsProxyProtocol: boolean;
  /**
   * From now on these, whatever was wanted before. Done beside the rounds; repeated until it is so. One that is left out is
   * closed to new players and goes when its last player has, or when it answers no more; a proxy that is being stopped is
   * better listed with `open: false` until it is gone.
   */
  want(entries: readonly WantedEntry[]): void;
  /** Resolves when no new player is sent to this proxy any more, or that takes too long; at once without a balancer. */
  closed(id: ServiceId, timeoutMs: number): Promise<void>;
  /**
   * Puts our section into the configuration.
   *
   * @throws OverworldError BALANCER_CONFIG_MISSING, BALANCER_PROGRAM_MISSING, BALANCER_CONFIG_UNUSABLE,
   *   BALANCER_ENTRY_REFUSED, BALANCER_UNREACHABLE; then nothing is changed
   */
  adopt(): Promise<BalancerView>;
  /**
   * Takes our section out of the configuration; nothing else is changed, and who is connected stays so.
   *
   * @throws OverworldError BALANCER_CONFIG_MISSING, BALANCER_PROGRAM_MISSING, BALANCER_CONFIG_UNUSABLE; then nothing is changed
   */
  remove(): Promise<BalancerView>;
  /** @returns a function that unsubscribes */
  onChange(listener: () => void): () => void;
  close(): Promise<void>;
}
