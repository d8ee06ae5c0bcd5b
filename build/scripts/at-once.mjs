/**
 * Does some work for each item, for a limited number of items at the same time. Starts the items in their order.
 *
 * @template T, R
 * @param {readonly T[]} items
 * @param {number} most number of items at the same time
 * @param {(item: T) => Promise<R>} work must not throw: the work for the other items would go on
 * @returns {Promise<R[]>} the results, in the order in which they arrived
 */
export async function atOnce(items, most, work) {
  const waiting = [...items];
  /** @type {R[]} */
  const results = [];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      results.push(await work(item));
    }
  };
  await Promise.all(Array.from({ length: most }, worker));
  return results;
}
