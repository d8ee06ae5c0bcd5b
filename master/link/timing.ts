import { HEARTBEAT_MS, SILENT_AFTER_MS } from '#shared/link/messages.ts';

/** Intervals and time limits of the link (ms). Tests use shorter ones. */
export interface LinkTiming {
  /** Maximum time between two messages of each side. */
  readonly heartbeatMs: number;
  /** Time without a message after which a connection is closed. */
  readonly silentAfterMs: number;
  /** Maximum time from the connection to the greeting, including TLS. */
  readonly greetingMs: number;
  /** Pause between two attempts to listen. */
  readonly retryMs: number;
  /** Minimum time between two `network` messages (at most four a second). */
  readonly networkMs: number;
  /**
   * Minimum time between two `backends` updates for proxies. Shorter than a round, and long enough to combine
   * changes.
   */
  readonly backendsMs: number;
  /** Interval for game servers, which only display the list (ms). */
  readonly backendsOfServersMs: number;
  /** Maximum time until a request for more slots is answered. Players wait at most 5 s. */
  readonly moreMs: number;
  /** Interval between two checks of spare slots. */
  readonly tickMs: number;
  /** Time after which a proxy that has not connected since the allowances were lost is assumed to have no plugin. */
  readonly presumeMs: number;
}

export const DEFAULT_TIMING: LinkTiming = {
  heartbeatMs: HEARTBEAT_MS,
  silentAfterMs: SILENT_AFTER_MS,
  greetingMs: 5_000,
  retryMs: 10_000,
  networkMs: 250,
  backendsMs: 100,
  backendsOfServersMs: 5_000,
  moreMs: 3_000,
  tickMs: 1_000,
  presumeMs: 120_000,
};
