/** One line of a configuration: its text without the line end, and the line end as it stands there. */
export interface Line {
  /** From 1, as HAProxy counts them in its messages. */
  readonly number: number;
  readonly text: string;
  /** `\n`, `\r\n`, or nothing at the end of a file that lacks the last one. */
  readonly end: string;
}

/** Cuts a text into lines; put together again they are the text, byte for byte. */
export function linesOf(text: string): Line[] {
  const parts = text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
  return parts.map((part, index) => {
    const end = /\r?\n$/.exec(part)?.[0] ?? '';
    return { number: index + 1, text: part.slice(0, part.length - end.length), end };
  });
}

/** The line end that a text uses: that of its first line. */
export function lineEndOf(text: string): string {
  return /\r?\n/.exec(text)?.[0] ?? '\n';
}

/**
 * Words of one line as HAProxy reads them: quotes and backslashes keep spaces together, `#` begins a comment
 * (configuration manual 2.2).
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
