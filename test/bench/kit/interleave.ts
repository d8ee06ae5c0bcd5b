/** Measured values of two alternatives, one pair per run. */
export interface Pairs {
  readonly ours: readonly number[];
  readonly baseline: readonly number[];
}

/**
 * Measures two alternatives alternately, so that other load on the machine affects both in the same way. In each
 * pair, the other alternative goes first.
 *
 * @param n number of measured pairs; before them, one more pair runs as a warm-up and is not counted
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
