import { DefaultFileProblem } from '../default-files/default-files.ts';

/** Replacement of a part of a text, or an insertion if `from` equals `to`. Offsets are those of `String.slice`. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/**
 * Applies edits that do not overlap. The text between them stays the same.
 *
 * Example: `splice('a=1', [{ from: 2, to: 3, text: '25' }])` is `a=25`.
 */
export function splice(text: string, edits: readonly Edit[]): string {
  let result = '';
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.from - b.from)) {
    result += text.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return result + text.slice(at);
}

/**
 * Applies the edits that a file needs and verifies the result. This check refuses a file in an unexpected style, so
 * that the file is not damaged.
 *
 * @param editsOf returns the edits that a text still needs; none if it has all settings
 * @throws DefaultFileProblem if the result does not have the settings
 */
export function settle(path: string, text: string, editsOf: (text: string) => readonly Edit[]): string {
  const result = splice(text, editsOf(text));
  if (isSettled(result, editsOf)) return result;
  const why = `${path} is written in a way that Overworld cannot change safely; write one plain setting per line`;
  throw new DefaultFileProblem('unusable', why);
}

function isSettled(text: string, editsOf: (text: string) => readonly Edit[]): boolean {
  try {
    return editsOf(text).length === 0;
  } catch (error) {
    // The result cannot be parsed.
    if (error instanceof DefaultFileProblem) return false;
    throw error;
  }
}

/** Returns the first line end in a text, or LF if there is none. */
export function lineEndOf(text: string): string {
  return /\r\n|\n/.exec(text)?.[0] ?? '\n';
}

/**
 * Returns the length of the byte order mark of a latin1 text (0 or 3). Parsers would read the mark's three
 * characters as content.
 */
export function markLengthOf(text: string): number {
  return text.startsWith('\u00EF\u00BB\u00BF') ? 3 : 0;
}
