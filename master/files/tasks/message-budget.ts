import { MAX_MESSAGE_BYTES } from '#shared/rpc/contract.ts';

/**
 * Maximum total size of the items in an answer (bytes): half the maximum size of a message of the admin API. The
 * other half leaves room for other fields, and keeps the time short during which building the answer blocks the event
 * loop.
 */
const MAX_ANSWER_BYTES = MAX_MESSAGE_BYTES / 2;

/** Tracks the total size of the items in an answer, so that no item is added that would make the answer too large. */
export class MessageBudget {
  #bytes = 0;

  /**
   * Adds the size of an item.
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
