/**
 * Waits until a random instant, at which the test then does something. The instant is the subject of such a test; it does
 * not wait for a condition.
 *
 * @param latestMs latest instant (ms from now)
 * @returns the instant (ms after the call)
 */
export async function randomInstant(latestMs: number): Promise<number> {
  const instantMs = Math.round(Math.random() * latestMs);
  await new Promise((resolve) => setTimeout(resolve, instantMs));
  return instantMs;
}
