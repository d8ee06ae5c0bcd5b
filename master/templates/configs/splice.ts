import { DefaultFileProblem } from '../default-files/default-files.ts';

/** One piece of a text that is replaced; `from` = `to` inserts. Offsets as of `String.slice`. */
export interface Edit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** Makes edits that do not overlap; all between them stays byte for byte. */
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
 * Makes the edits that a file lacks and looks at the result again: what is written in a way nobody foresaw is refused
 * rather than damaged.
 *
 * @param editsOf names what the text still lacks; it is empty for a text that says all that is wanted
 * @throws DefaultFileProblem when the result is not read as what is wanted
 */
export function settle(path: string, text: string, editsOf: (text: string) => readonly Edit[]): string {
  const result = splice(text, editsOf(text));
  if (isSettled(result, editsOf)) return result;
  const why = `${path} is written in a way that Overworld cannot change safely; write its settings plainly, one on each line`;
  throw new DefaultFileProblem('unusable', why);
}

function isSettled(text: string, editsOf: (text: string) => readonly Edit[]): boolean {
  try {
    return editsOf(text).length === 0;
  } catch (error) {
    // The result cannot be read at all.
    if (error instanceof DefaultFileProblem) return false;
    throw error;
  }
}

/** The line end that a text uses first. */
export function lineEndOf(text: string): string {
  return /\r\n|\n/.exec(text)?.[0] ?? '\n';
}

/** Length of a byte order mark in a text read as latin1: parsers take its three letters for content. */
export function markLengthOf(text: string): number {
  return text.startsWith('\u00EF\u00BB\u00BF') ? 3 : 0;
}
