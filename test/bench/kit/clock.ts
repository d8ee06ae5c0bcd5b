/** Returns the time that `work` takes (s). */
export async function secondsOf(work: () => Promise<unknown>): Promise<number> {
  const began = performance.now();
  await work();
  return (performance.now() - began) / 1000;
}

/** Returns the time that synchronous work takes (ms). */
export function millisecondsOf(work: () => unknown): number {
  const began = performance.now();
  work();
  return performance.now() - began;
}

/** Waits for a fixed time that is part of the measurement. Must not be used to wait for a condition. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
