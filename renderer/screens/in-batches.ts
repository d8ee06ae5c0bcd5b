import { toOverworldError, type OverworldError } from '#shared/errors/overworld-error.ts';

/** Maximum number of parallel requests. The master limits the requests per key. */
const AT_ONCE = 8;

/** An item on which an action has failed, and the reason. */
export interface BatchFailure<T> {
  readonly item: T;
  readonly error: OverworldError;
}

/** Performs an action on each item, in batches of eight. Returns the failures in the order of the items. */
export async function tryInBatches<T>(
  all: readonly T[],
  act: (one: T) => Promise<void>,
): Promise<readonly BatchFailure<T>[]> {
  const failures: BatchFailure<T>[] = [];
  for (let from = 0; from < all.length; from += AT_ONCE) {
    const batch = all.slice(from, from + AT_ONCE);
    const results = await Promise.all(batch.map((item) => failureOf(item, act)));
    failures.push(...results.filter((result) => result !== null));
  }
  return failures;
}

/** Performs an action. Returns null, or its failure. */
async function failureOf<T>(item: T, act: (one: T) => Promise<void>): Promise<BatchFailure<T> | null> {
  try {
    await act(item);
    return null;
  } catch (thrown) {
    return { item, error: toOverworldError(thrown) };
  }
}

/**
 * Performs an action on each item, in batches of eight.
 *
 * @throws OverworldError the first failure, after all items have been tried
 */
export async function inBatches<T>(all: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const [first] = await tryInBatches(all, act);
  if (first !== undefined) throw first.error;
}
