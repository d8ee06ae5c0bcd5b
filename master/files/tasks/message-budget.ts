import { MAX_MESSAGE_BYTES } from '#shared/rpc/contract.ts';

/**
 * Size limit of the items in an answer (bytes): half of the size limit of a message of the admin API. The other half
 * leaves room for the other fields, and keeps each step of the event loop short.
 */
const MAX_ANSWER_BYTES = MAX_MESSAGE_BYTES / 2;

/** Tracks the size of an answer, so that no more items are added when it would become too large to send. */
export class MessageBudget {
  #bytes = 0;

  /**
   * Adds an item to the size of the answer.
   *
   * @returns false if the item does not fit; it is not counted in this case
   */
  take(item: unknown): boolean {
    const bytes = Buffer.byteLength(JSON.stringify(item)) + 1;
    if (this.#bytes + bytes > MAX_ANSWER_BYTES) return false;
    this.#bytes += bytes;
    return true;
  }
}
