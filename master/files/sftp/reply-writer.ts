import type { ServerChannel } from 'ssh2';

/** Size below which answers are joined (bytes). Larger ones, such as file data, are sent without copying. */
const SMALL_BYTES = 4096;

/** Joins the small answers of one event loop turn, so that a burst of "done" becomes one SSH packet instead of 64. */
export class ReplyWriter {
  readonly #channel: ServerChannel;
  readonly #onSent: (reply: Buffer) => void;
  #small: Buffer[] = [];
  #scheduled = false;

  /**
   * @param onSent called for each answer whose buffer is no longer read, because it was encrypted and sent, or
   *   copied
   */
  constructor(channel: ServerChannel, onSent: (reply: Buffer) => void) {
    this.#channel = channel;
    this.#onSent = onSent;
  }

  send(reply: Buffer): void {
    if (reply.length >= SMALL_BYTES) {
      // Earlier answers must be sent first.
      this.flush();
      this.#write(reply);
      return;
    }
    this.#small.push(reply);
    if (this.#scheduled) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      this.flush();
    });
  }

  /** Sends the waiting answers. */
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
