import type { SearchHit } from '#shared/model/files.ts';

/** Maximum length of a line in the result (characters; contract with the app). */
const SHOWN_CHARACTERS = 400;

export interface Wanted {
  readonly text: string;
  readonly caseSensitive: boolean;
  /** Maximum number of lines to return. */
  readonly limit: number;
}

/** Lines that contain the text, and whether there are further ones. */
export interface FoundLines {
  readonly lines: SearchHit['lines'];
  readonly more: boolean;
}

/**
 * Finds a text in the lines of a file that arrives in pieces. If the file turns out not to be text (invalid UTF-8 or
 * a NUL byte), the result is null, even if lines were found before.
 */
export class TextFinder {
  readonly #wanted: Wanted;
  readonly #needle: string;
  readonly #decoder = new TextDecoder('utf-8', { fatal: true });
  readonly #found: SearchHit['lines'] = [];
  #line = 1;
  #rest = '';
  #more = false;

  constructor(wanted: Wanted) {
    this.#wanted = wanted;
    this.#needle = this.#fold(wanted.text);
  }

  /**
   * Searches the next piece of the file.
   *
   * @returns false if the file is not text, so that the rest need not be read
   */
  push(piece: Uint8Array): boolean {
    if (piece.includes(0)) return false;
    try {
      this.#take(this.#decoder.decode(piece, { stream: true }));
      return true;
    } catch {
      return false;
    }
  }

  /**
   * Searches the rest of the file.
   *
   * @returns the lines found; null if the file is not text
   */
  end(): FoundLines | null {
    try {
      this.#take(this.#decoder.decode());
    } catch {
      return null;
    }
    this.#look(this.#rest);
    return { lines: this.#found, more: this.#more };
  }

  #take(text: string): void {
    let from = 0;
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      this.#look(this.#rest + text.slice(from, end));
      this.#rest = '';
      this.#line += 1;
      from = end + 1;
    }
    this.#rest += text.slice(from);
  }

  #look(line: string): void {
    const at = this.#fold(line).indexOf(this.#needle);
    if (at < 0) return;
    if (this.#found.length >= this.#wanted.limit) this.#more = true;
    else this.#found.push({ line: this.#line, text: shown(line, at) });
  }

  #fold(text: string): string {
    return this.#wanted.caseSensitive ? text : text.toLowerCase();
  }
}

/** Returns a line. If the line is too long, returns the part around the match. */
function shown(line: string, at: number): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length <= SHOWN_CHARACTERS) return text;
  const from = at < SHOWN_CHARACTERS / 2 ? 0 : at - SHOWN_CHARACTERS / 4;
  return text.slice(from, from + SHOWN_CHARACTERS).toWellFormed();
}
