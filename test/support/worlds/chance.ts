import fc from 'fast-check';

/** Generates true in one of `n` networks, and false in all others. Shrinks to false. */
export function oneIn(n: number): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: n - 1 }).map((drawn) => drawn === n - 1);
}

/** Always generates false. Replaces {@link oneIn} in calm networks. */
export function never(): fc.Arbitrary<boolean> {
  return fc.constant(false);
}

/** Generates a value in one of `n` networks, and null in all others. Shrinks to null. */
export function seldom<T>(n: number, value: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: n - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
}
