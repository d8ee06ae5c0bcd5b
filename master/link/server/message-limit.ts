import { RateBucket } from './rate-bucket.ts';

/** Messages that a plugin may send at once, and each second: a proxy's whole crowd may join or leave at one instant. */
const BURST = 2_000;
const PER_SECOND = 500;

/** A line this long costs as much as two messages, bytes: so bytes are bounded, too. */
const COST_BYTES = 4_096;

/** So many pieces of a line cost a message: each is read for itself, which takes far longer than its bytes. */
const COST_PIECES = 4;

/** Usual: the last of the line before, and its own. */
const FREE_PIECES = 2;

/** A greeting costs as many messages: the handshake, and all lists that follow it. */
const GREETING_COST = 250;

/** How much one service may say, by whatever connections. Time comes in as an argument. */
export class MessageLimit {
  readonly #rate: RateBucket;

  constructor(now: number) {
    this.#rate = new RateBucket({ burst: BURST, perSecond: PER_SECOND, now });
  }

  /** @returns whether it may begin another connection now */
  mayGreet(now: number): boolean {
    return this.#rate.take(GREETING_COST, now) === 0;
  }

  /**
   * @param pieces in which the line came
   * @returns ms to wait before it may say this, 0 when it has been said
   */
  say(line: Buffer, pieces: number, now: number): number {
    const cost = 1 + line.length / COST_BYTES + Math.max(0, pieces - FREE_PIECES) / COST_PIECES;
    return this.#rate.take(cost, now);
  }
}
