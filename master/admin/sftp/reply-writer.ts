import type { ServerChannel } from 'ssh2';

/** Answers smaller than this are joined; larger ones (file data) go out as they are, uncopied. */
const SMALL_BYTES = 4096;

/** Joins the small answers of one turn of the event loop, so that a burst of "done" is one SSH packet, not 64. */
export class ReplyWriter {
  readonly #channel: ServerChannel;
  #small: Buffer[] = [];
  #scheduled = false;

  constructor(channel: ServerChannel) {
    this.#channel = channel;
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
    if (small.length === 0) return;
    this.#small = [];
    this.#write(small.length === 1 && small[0] !== undefined ? small[0] : Buffer.concat(small));
  }

  #write(data: Buffer): void {
    if (this.#channel.writable) this.#channel.write(data);
  }
}
