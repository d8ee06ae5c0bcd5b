/** What two ways of doing the same took, run for run. */
export interface Pairs {
  readonly ours: readonly number[];
  readonly baseline: readonly number[];
}

/**
 * Measures two ways by turns, so that what else the machine does meets both alike; who goes first changes each time.
 *
 * @param n measured pairs; one more before them warms up and is thrown away
 */
export async function interleave(
  n: number,
  ways: { readonly ours: () => Promise<number>; readonly baseline: () => Promise<number> },
): Promise<Pairs> {
  const ours: number[] = [];
  const baseline: number[] = [];
  for (let i = -1; i < n; i += 1) {
    const first = i % 2 === 0 ? 'ours' : 'baseline';
    const second = first === 'ours' ? 'baseline' : 'ours';
    for (const way of [first, second] as const) {
      const measured = await ways[way]();
      if (i >= 0) (way === 'ours' ? ours : baseline).push(measured);
    }
  }
  return { ours, baseline };
}
