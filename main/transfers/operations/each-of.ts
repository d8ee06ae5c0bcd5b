/**
 * Runs an action on all items, several in parallel. After the first error no further item is started; the error is
 * thrown once all started ones have finished.
 */
export async function eachOf<T>(
  items: Iterable<T>,
  atATime: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const queue = items[Symbol.iterator]();
  const failures: unknown[] = [];
  const worker = async () => {
    for (let next = queue.next(); next.done !== true; next = queue.next()) {
      try {
        await work(next.value);
      } catch (error) {
        failures.push(error);
      }
      if (failures.length > 0) return;
    }
  };
  await Promise.all(Array.from({ length: atATime }, worker));
  if (failures.length > 0) throw failures[0];
}
