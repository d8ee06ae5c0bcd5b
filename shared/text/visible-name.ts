/**
 * Matches control characters, line ends, and changes of writing direction. These characters are invisible, and can
 * make a name look like a different name.
 */
// eslint-disable-next-line no-control-regex -- exactly the characters that cannot be seen
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * Returns a name with each invisible character replaced by its code point.
 *
 * Example: `photo` + U+202E + `gpj.jar`, which reads as `photoraj.jpg`, becomes `photo⟨202E⟩gpj.jar`.
 */
export function visibleName(name: string): string {
  return name.replace(UNSEEN, (character) => {
    const number = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨${number}⟩`;
  });
}

/**
 * Returns a sentence with its invisible characters replaced as by {@link visibleName}, except line ends (`\n`) and
 * tabs.
 */
export function visibleText(text: string): string {
  return text
    .split(/(\n|\t)/)
    .map((part) => (part === '\n' || part === '\t' ? part : visibleName(part)))
    .join('');
}
