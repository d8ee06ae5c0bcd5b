/**
 * Returns whether a name matches a mask. In the mask, `*` stands for any characters, `?` for one character, and every
 * other character for itself. The run time is at most proportional to the length of the mask times the length of the
 * name.
 *
 * After a mismatch, matching resumes at the last star, because earlier stars can no longer change the result.
 *
 * @param name the characters of the name
 * @param mask the characters of the mask
 */
export function fitsMask(name: readonly string[], mask: readonly string[]): boolean {
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
