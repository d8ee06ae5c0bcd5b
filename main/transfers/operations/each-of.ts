/**
 * Works on all items, a few at a time. The first error stops what has not begun, and all that had begun have ended when
 * it is thrown.
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
