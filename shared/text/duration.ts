/**
 * Formats a duration with its two largest units, rounded up to seconds.
 *
 * Example: 380,000 → `6 min 20 s`.
 */
export function durationWords(ms: number): string {
  const seconds = Math.ceil(ms / 1000);
  const units = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
    ['s', 1],
  ] as const;
  const first = units.findIndex(([, length]) => seconds >= length);
  let left = seconds;
  const parts = units
    .slice(first === -1 ? 3 : first, (first === -1 ? 3 : first) + 2)
    .flatMap(([name, length]) => {
      const count = Math.floor(left / length);
      left -= count * length;
      return count > 0 ? [`${count} ${name}`] : [];
    });
  return parts.length === 0 ? '0 s' : parts.join(' ');
}
