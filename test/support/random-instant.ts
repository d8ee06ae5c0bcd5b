/**
 * Waits for a random time. For tests that act at a random moment, and therefore do not wait for a condition.
 *
 * @param latestMs maximum waiting time (ms)
 * @returns the waiting time (ms)
 */
export async function randomInstant(latestMs: number): Promise<number> {
  const instantMs = Math.round(Math.random() * latestMs);
  await new Promise((resolve) => setTimeout(resolve, instantMs));
  return instantMs;
}
