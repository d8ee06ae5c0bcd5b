import { TokenBucket } from '#shared/node/token-bucket.ts';

/**
 * Message budget of a service at once (`BURST`), and per second (`PER_SECOND`): all players of a proxy may join or
 * leave at the same moment.
 */
const BURST = 2_000;
const PER_SECOND = 500;

/** Length that costs as much as one extra message (bytes), so that bytes are limited, too. */
const COST_BYTES = 4_096;

/** Number of chunks that cost one message: reading a chunk takes far longer than its bytes. */
const COST_PIECES = 4;

/** Chunks that cost nothing: the end of the previous line, and the line itself. */
const FREE_PIECES = 2;

/** Cost of a greeting in messages: the handshake, and all lists that are sent after it. */
const GREETING_COST = 250;

/** Limits the messages of one service across all its connections. The caller passes the time. */
export class MessageLimit {
  readonly #rate: TokenBucket;

  constructor(now: number) {
    this.#rate = new TokenBucket({ burst: BURST, perSecond: PER_SECOND, now });
  }

  /**
   * Charges a greeting.
   *
   * @returns whether the service may open another connection now
   */
  mayGreet(now: number): boolean {
    return this.#rate.take(GREETING_COST, now) === 0;
  }

  /**
   * Charges a line.
   *
   * @param pieces number of chunks in which it arrived
   * @returns ms to wait before it may be handled; 0 if it was charged
   */
  say(line: Buffer, pieces: number, now: number): number {
    const cost = 1 + line.length / COST_BYTES + Math.max(0, pieces - FREE_PIECES) / COST_PIECES;
    return this.#rate.take(cost, now);
  }
}
