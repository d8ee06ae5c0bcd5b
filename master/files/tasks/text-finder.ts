import type { SearchHit } from '#shared/model/files.ts';

/** A shown line is cut at so many characters (contract). */
const SHOWN_CHARACTERS = 400;

export interface Wanted {
  readonly text: string;
  readonly caseSensitive: boolean;
  /** So many lines are enough. */
  readonly limit: number;
}

/** Lines that hold a text, and whether there are further ones. */
export interface FoundLines {
  readonly lines: SearchHit['lines'];
  readonly more: boolean;
}

/**
 * Looks for a text in the lines of a file that comes in pieces. What is no text (not UTF-8, or with a NUL byte) has no
 * lines, whatever was found before that became clear.
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

  /** @returns false for what is no text; it need not be read on */
  push(piece: Uint8Array): boolean {
    if (piece.includes(0)) return false;
    try {
      this.#take(this.#decoder.decode(piece, { stream: true }));
      return true;
    } catch {
      return false;
    }
  }

  /** @returns the lines found; null for what is no text */
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

/** The line, or of a long one the part around what was found. */
function shown(line: string, at: number): string {
  const text = line.endsWith('\r') ? line.slice(0, -1) : line;
  if (text.length <= SHOWN_CHARACTERS) return text;
  const from = at < SHOWN_CHARACTERS / 2 ? 0 : at - SHOWN_CHARACTERS / 4;
  return text.slice(from, from + SHOWN_CHARACTERS).toWellFormed();
}
