import type { ServerChannel } from 'ssh2';

/** Answers smaller than this are joined; larger ones (file data) go out as they are, uncopied. */
const SMALL_BYTES = 4096;

/** Joins the small answers of one turn of the event loop, so that a burst of "done" is one SSH packet, not 64. */
export class ReplyWriter {
  readonly #channel: ServerChannel;
  readonly #onSent: (reply: Buffer) => void;
  #small: Buffer[] = [];
  #scheduled = false;

  /** @param onSent called for each answer that is not read any more: it has left, encrypted, or was copied */
  constructor(channel: ServerChannel, onSent: (reply: Buffer) => void) {
    this.#channel = channel;
    this.#onSent = onSent;
  }

  send(reply: Buffer): void {
    if (reply.length >= SMALL_BYTES) {
      // What came before goes before.
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

  /** Sends what waits now. */
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
