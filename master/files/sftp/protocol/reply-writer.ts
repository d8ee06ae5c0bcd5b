import type { ServerChannel } from 'ssh2';

/**
 * Size below which answers are joined (bytes). Larger answers, such as file data, are sent separately, without
 * copying.
 */
const SMALL_BYTES = 4096;

/**
 * Sends answers, and joins small ones, so that 64 short answers become one SSH packet instead of 64. A small answer
 * waits for {@link ReplyWriter.flush} or {@link ReplyWriter.flushSoon}.
 */
export class ReplyWriter {
  readonly #channel: ServerChannel;
  readonly #onSent: (reply: Buffer) => void;
  #small: Buffer[] = [];
  #scheduled = false;

  /**
   * Creates the writer of one channel.
   *
   * @param onSent called for each answer when its buffer is no longer used, because it was encrypted and sent, or
   *   copied
   */
  constructor(channel: ServerChannel, onSent: (reply: Buffer) => void) {
    this.#channel = channel;
    this.#onSent = onSent;
  }

  /** Sends a large answer now, after all waiting answers. A small answer waits until the next flush. */
  send(reply: Buffer): void {
    if (reply.length >= SMALL_BYTES) {
      // Earlier answers must be sent first.
      this.flush();
      this.#write(reply);
      return;
    }
    this.#small.push(reply);
  }

  /**
   * Sends the waiting answers at the end of this iteration of the event loop, together with answers that are added
   * until then.
   */
  flushSoon(): void {
    if (this.#scheduled || this.#small.length === 0) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  /** Sends the waiting answers now. */
  flush(): void {
    const small = this.#small;
    const [first] = small;
    if (first === undefined) return;
    this.#small = [];
    if (small.length === 1) {
      this.#write(first);
      return;
    }
    this.#write(Buffer.concat(small));
    for (const reply of small) this.#onSent(reply);
  }

  #write(data: Buffer): void {
    if (this.#channel.writable) this.#channel.write(data, () => this.#onSent(data));
  }
}
