/**
 * Compiles a search pattern: a substring, or a mask for the whole name with `*` (any characters) and `?` (one
 * character). The time for one match grows at most with the length of the mask times the length of the name.
 *
 * Example: `namePattern('*.yml', true)` matches `bukkit.yml` and not `bukkit.yml.bak`; `namePattern('yml', true)`
 * matches both.
 *
 * @param pattern an empty pattern matches every name
 */
export function namePattern(pattern: string, caseSensitive: boolean): (name: string) => boolean {
  const fold = (text: string): string => (caseSensitive ? text : text.toLowerCase());
  const wanted = fold(pattern);
  if (!/[*?]/.test(wanted)) return (name) => fold(name).includes(wanted);
  const mask = Array.from(wanted);
  return (name) => fitsMask(Array.from(fold(name)), mask);
}

/**
 * Returns whether a name matches a mask. After a mismatch, matching resumes at the last star, because earlier stars
 * cannot change the result any more.
 */
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
