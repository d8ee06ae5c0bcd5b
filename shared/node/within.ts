/**
 * Waits for a promise, but not longer than a time limit. The work itself goes on after the limit.
 *
 * @param ms time limit (ms); a negative limit counts as 0
 * @returns the value; null after the limit
 * @throws whatever `work` throws within the limit
 */
export async function within<T>(work: Promise<T>, ms: number): Promise<T | null> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), Math.max(0, ms));
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
