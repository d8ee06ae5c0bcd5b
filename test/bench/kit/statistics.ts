/**
 * Returns the median of the values. For an even number of values, the median is the mean of the two middle values.
 *
 * @throws Error without values
 */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  if (low === undefined || high === undefined) throw new Error('no values, no median');
  return (low + high) / 2;
}

/**
 * Formats the smallest and the largest value, which show how much single runs differ.
 *
 * Example: `0.41–0.52`.
 */
export function spread(values: readonly number[], digits = 2): string {
  return `${Math.min(...values).toFixed(digits)}–${Math.max(...values).toFixed(digits)}`;
}
