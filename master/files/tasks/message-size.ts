import { MAX_MESSAGE_BYTES } from '#shared/rpc/contract.ts';

/** Half of what one message of the admin API may hold: the frame around it, and no turn of the loop too long. */
const MAX_ANSWER_BYTES = MAX_MESSAGE_BYTES / 2;

/** Counts what an answer has grown to, so that it ends before it is too large to send. */
export class MessageRoom {
  #bytes = 0;

  /** @returns false when there is no room for it any more; it is then not counted */
  take(item: unknown): boolean {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (this.#bytes + bytes > MAX_ANSWER_BYTES) return false;
    this.#bytes += bytes;
    return true;
  }
}
