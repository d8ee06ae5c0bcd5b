/**
 * Removes all of the given characters from the end of a text, in linear time. A regular expression such as `/\r+$/`
 * takes quadratic time for a hostile text.
 *
 * Example: `withoutEnd('a\r\n\n', '\r\n')` is `a`.
 */
export function withoutEnd(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}
