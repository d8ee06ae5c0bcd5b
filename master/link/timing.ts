/** Intervals and time limits of the link (ms). Tests use shorter ones. */
export interface LinkTiming {
  /** Maximum time between two messages of the same side, master or plugin. */
  readonly heartbeatMs: number;
  /** Time without a message from the other side after which master or plugin closes the connection. */
  readonly silentAfterMs: number;
  /** Maximum time from the start of a connection until the plugin's greeting, including the TLS handshake. */
  readonly greetingMs: number;
  /** Pause after a failed attempt to listen. */
  readonly retryMs: number;
  /** Minimum time between two `network` messages. */
  readonly networkMs: number;
  /**
   * Minimum time between two `backends` updates for proxies. It is shorter than a round of the control loop, but long
   * enough to combine changes.
   */
  readonly backendsMs: number;
  /** Minimum time between two `backends` updates for game servers, which only display the list (ms). */
  readonly backendsOfServersMs: number;
  /**
   * Maximum time until a request for more slots is answered. It is shorter than the time for which a joining player
   * waits (5 s).
   */
  readonly moreMs: number;
  /** Interval between two checks of spare slots. */
  readonly tickMs: number;
  /**
   * If the stored allowances were lost: time after which a proxy that has not connected is assumed to have no plugin.
   */
  readonly presumeMs: number;
}

export const DEFAULT_TIMING: LinkTiming = {
  heartbeatMs: 5_000,
  silentAfterMs: 15_000,
  greetingMs: 5_000,
  retryMs: 10_000,
  networkMs: 250,
  backendsMs: 100,
  backendsOfServersMs: 5_000,
  moreMs: 3_000,
  tickMs: 1_000,
  presumeMs: 120_000,
};
