import { HEARTBEAT_MS, SILENT_AFTER_MS } from '#shared/link/messages.ts';

/** How long things take on the link, ms. Tests set shorter ones. */
export interface LinkTiming {
  /** Each side says something at least this often. */
  readonly heartbeatMs: number;
  /** Who has said nothing for so long is cut. */
  readonly silentAfterMs: number;
  /** From the connection to the greeting, with all of TLS. */
  readonly greetingMs: number;
  /** Between two tries to listen. */
  readonly retryMs: number;
  /** Between two `network` messages: at most four a second. */
  readonly networkMs: number;
  /** Between two lots of changes of backends, for proxies; shorter than a round, and one message for what comes together. */
  readonly backendsMs: number;
  /** The same for game servers, which only show them. */
  readonly backendsOfServersMs: number;
  /** A request for more is answered after this, come what may; players wait 5 s at most. */
  readonly moreMs: number;
  /** Between two looks at spare slots. */
  readonly tickMs: number;
  /** A proxy that was not heard for so long since the book of allowances was lost is taken to have no plugin. */
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
