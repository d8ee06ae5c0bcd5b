/** One line of a configuration, and the line end that it has in the file. */
export interface Line {
  /** Line number from 1, as HAProxy counts in its messages. */
  readonly number: number;
  readonly text: string;
  /** Line end: `\n` or `\r\n`; empty for a last line without a line end. */
  readonly end: string;
}

/**
 * Splits a text into lines. Joining the lines with their line ends gives the same text, byte for byte.
 *
 * Example: `a\r\nb` → line 1 `a` with the end `\r\n`, and line 2 `b` with an empty end.
 */
export function linesOf(text: string): Line[] {
  const parts = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return parts.map((part, index) => {
    const end = /\r?\n$/.exec(part)?.[0] ?? '';
    return { number: index + 1, text: part.slice(0, part.length - end.length), end };
  });
}

/** Returns the line end of the first line of a text. Returns `\n` if the text has no line end. */
export function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/**
 * Splits a line into words as HAProxy does: quotes and backslashes protect spaces, and `#` begins a comment
 * (configuration manual 2.2).
 *
 * Example: `bind ":25565" # players` → `bind`, `:25565`.
 */
export function wordsOf(line: string): string[] {
  const words: string[] = [];
  let word = '';
  let isOpen = false;
  let quote: string | null = null;
  for (let at = 0; at < line.length; at += 1) {
    const char = line.charAt(at);
    if (char === '\\' && quote !== "'" && at + 1 < line.length) {
      at += 1;
      word += line.charAt(at);
      isOpen = true;
    } else if (char === quote) quote = null;
    else if (quote === null && (char === '"' || char === "'")) {
      quote = char;
      isOpen = true;
    } else if (quote === null && char === '#') break;
    else if (quote === null && /\s/.test(char)) {
      if (isOpen) words.push(word);
      word = '';
      isOpen = false;
    } else {
      word += char;
      isOpen = true;
    }
  }
  if (isOpen) words.push(word);
  return words;
}
