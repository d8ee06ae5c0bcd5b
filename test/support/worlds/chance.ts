import fc from 'fast-check';

/** True in one of `n` networks; shrinks to false. */
export function oneIn(n: number): fc.Arbitrary<boolean> {
  return fc.integer({ min: 0, max: n - 1 }).map((drawn) => drawn === n - 1);
}

/** Replaces {@link oneIn} in calm networks: always false. */
export function never(): fc.Arbitrary<boolean> {
  return fc.constant(false);
}

/** Null in all but one of `n` networks; shrinks to null. */
export function seldom<T>(n: number, value: fc.Arbitrary<T>): fc.Arbitrary<T | null> {
  return fc.oneof({ weight: n - 1, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: value });
}
