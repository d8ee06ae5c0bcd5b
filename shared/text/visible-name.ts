/** Control characters, line ends, and changes of writing direction: unseen, they make a name read as another one. */
// eslint-disable-next-line no-control-regex -- exactly the characters that cannot be seen
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/g;

/**
 * A name that somebody else chose, with nothing unseen in it: such characters stand there by their number.
 *
 * Example: `photo` + U+202E + `gpj.jar`, which reads as `photoraj.jpg`, becomes `photo⟨202E⟩gpj.jar`.
 */
export function visibleName(name: string): string {
  return name.replace(UNSEEN, (character) => {
    const number = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
    return `⟨${number}⟩`;
  });
}

/** The same for a sentence that may hold such names: its own line ends and tabs stay. */
export function visibleText(text: string): string {
  return text
    .split(/(\n|\t)/)
    .map((part) => (part === '\n' || part === '\t' ? part : visibleName(part)))
    .join('');
}
