import { MAX_MESSAGE_BYTES } from '#shared/rpc/contract.ts';

/**
 * Size limit of an answer (bytes): half of a message of the admin API. It leaves room for the frame and keeps each
 * turn of the event loop short.
 */
const MAX_ANSWER_BYTES = MAX_MESSAGE_BYTES / 2;

/** Tracks the size of an answer, so that it stops growing before it is too large to send. */
export class MessageBudget {
  #bytes = 0;

  /** @returns false if the item does not fit; it is not counted in this case */
  take(item: unknown): boolean {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (this.#bytes + bytes > MAX_ANSWER_BYTES) return false;
    this.#bytes += bytes;
    return true;
  }
}
