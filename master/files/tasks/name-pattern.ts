/**
 * Tells which names are looked for: a part of them, or a mask for the whole name with `*` (anything) and `?` (one
 * character). Never takes longer than length of mask times length of name.
 *
 * @param pattern empty: every name
 */
export function namePattern(pattern: string, caseSensitive: boolean): (name: string) => boolean {
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
  const wanted = fold(pattern);
  if (!/[*?]/.test(wanted)) return (name) => fold(name).includes(wanted);
  const mask = Array.from(wanted);
  return (name) => fitsMask(Array.from(fold(name)), mask);
}

/** Greedy with one way back: of several stars only the last one can still help. */
function fitsMask(name: readonly string[], mask: readonly string[]): boolean {
  let [n, m, star, starred] = [0, 0, -1, 0];
  while (n < name.length) {
    if (mask[m] === '*') {
      star = m;
      starred = n;
      m += 1;
    } else if (mask[m] === '?' || mask[m] === name[n]) {
      n += 1;
      m += 1;
    } else if (star >= 0) {
      starred += 1;
      n = starred;
      m = star + 1;
    } else {
      return false;
    }
  }
  while (mask[m] === '*') m += 1;
  return m === mask.length;
}
