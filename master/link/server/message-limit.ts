import { TokenBucket } from '#shared/node/token-bucket.ts';

/**
 * Number of messages that a service may send at once (`BURST`), and number per second after that (`PER_SECOND`). Both
 * are high because all players of a proxy may join or leave at the same moment.
 */
const BURST = 2_000;
const PER_SECOND = 500;

/** Number of bytes that count as one additional message. The size of messages is thus limited as well. */
const COST_BYTES = 4_096;

/**
 * Number of chunks that count as one additional message, because reading a chunk takes far longer than reading its
 * bytes.
 */
const COST_PIECES = 4;

/**
 * Number of chunks per line that are not counted: the chunk that also contains the end of the previous line, and one
 * more.
 */
const FREE_PIECES = 2;

/**
 * Number of messages that one greeting counts as. It is high because of the TLS handshake, and because all lists are
 * sent after a greeting.
 */
const GREETING_COST = 250;

/** Limits the messages of one service, in total over all its connections. The caller passes the current time. */
export class MessageLimit {
  readonly #rate: TokenBucket;

  constructor(now: number) {
    this.#rate = new TokenBucket({ burst: BURST, perSecond: PER_SECOND, now });
  }

  /**
   * Counts a greeting as {@link GREETING_COST} messages, if the limit allows it.
   *
   * @param now monotonic time (ms)
   * @returns whether the service may open another connection now
   */
  mayGreet(now: number): boolean {
    return this.#rate.take(GREETING_COST, now) === 0;
  }

  /**
   * Counts a line, if the limit allows it.
   *
   * @param pieces number of chunks in which the line arrived
   * @param now monotonic time (ms)
   * @returns 0 if the line was counted and may be handled now; otherwise the time to wait before the next attempt
   *   (ms)
   */
  recordLine(line: Buffer, pieces: number, now: number): number {
    const cost = 1 + line.length / COST_BYTES + Math.max(0, pieces - FREE_PIECES) / COST_PIECES;
    return this.#rate.take(cost, now);
  }
}
