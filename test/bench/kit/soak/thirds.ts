/**
 * Returns the first and the last third of the values, without the values in the middle. Both thirds have the same
 * length.
 *
 * @throws Error if there are fewer than three values
 */
export function thirds<T>(values: readonly T[]): readonly [readonly T[], readonly T[]] {
  const length = Math.floor(values.length / 3);
  if (length === 0) throw new Error(`there were ${values.length} samples, which is too few for a comparison`);
  return [values.slice(0, length), values.slice(-length)];
}
