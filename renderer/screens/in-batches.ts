import { toOverworldError } from '#shared/errors/overworld-error.ts';

/** Maximum number of parallel requests. The master limits the requests per key. */
const AT_ONCE = 8;

/**
 * Performs an action on each item, in batches of eight.
 *
 * @throws OverworldError the first failure, after all items have been tried
 */
export async function inBatches<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const failures: unknown[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const results = await Promise.allSettled(all.slice(from, from + AT_ONCE).map(act));
    for (const result of results) if (result.status === 'rejected') failures.push(result.reason);
  }
  if (failures.length > 0) throw toOverworldError(failures[0]);
}
