import { toPlain } from './console-text.ts';

const TAB = 4;
/** First Hangul letter. From this code point on, most characters take two columns (Unicode 15, East Asian Width). */
const FIRST_WIDE = 0x1100;

const widths = new WeakMap<object, number>();

/**
 * Returns the number of columns that a console line takes in a monospaced font. Escape sequences take no column, wide
 * characters take two. Cached per line.
 */
export function toColumns(line: { readonly text: string }): number {
  const known = widths.get(line);
  if (known !== undefined) return known;
  let columns = 0;
  for (const sign of toPlain(line)) columns += columnsOf(sign);
  widths.set(line, columns);
  return columns;
}

/**
 * Returns the offsets in a line's plain text at which the text continues on the next row. Breaks after spaces, and
 * inside a word if it is longer than a row. Spaces at the end of a row may exceed the row.
 *
 * @param perRow number of columns of a row
 * @param before number of columns before the text on the first row
 */
export function rowBreaks(line: { readonly text: string }, perRow: number, before = 0): readonly number[] {
  if (before + toColumns(line) <= perRow) return [];
  const breaks: number[] = [];
  let column = before;
  /**
   * Whether the text before the current piece consists only of spaces. The next word then stays on the row, because a
   * row of only spaces would look like an empty line.
   */
  let isBlank = true;
  for (const { 0: piece, index } of toPlain(line).matchAll(/\S+|\s+/g)) {
    const width = widthOf(piece);
    if (piece.trim() === '' || column + width <= perRow) {
      column += width;
    } else if (isBlank || width > perRow) {
      column = breakInside(piece, index, { column, perRow, breaks });
    } else {
      breaks.push(index);
      column = width;
    }
    isBlank &&= piece.trim() === '';
  }
  return breaks;
}

/**
 * Breaks a word that is longer than a row: fills the current row, then as many rows as the word needs.
 *
 * @returns the column after the word
 */
function breakInside(
  word: string,
  from: number,
  { column, perRow, breaks }: { column: number; perRow: number; breaks: number[] },
): number {
  let [at, offset] = [column, from];
  for (const sign of word) {
    const width = columnsOf(sign);
    if (at + width > perRow) {
      breaks.push(offset);
      at = 0;
    }
    at += width;
    offset += sign.length;
  }
  return at;
}

function widthOf(text: string): number {
  let columns = 0;
  for (const sign of text) columns += columnsOf(sign);
  return columns;
}

function columnsOf(sign: string): number {
  return sign === '\t' ? TAB : (sign.codePointAt(0) ?? 0) >= FIRST_WIDE ? 2 : 1;
}

/** Splits the pieces of a line at the given offsets in the line. Returns one list of pieces per row. */
export function splitAt<Piece extends { readonly text: string }>(
  pieces: readonly Piece[],
  breaks: readonly number[],
): readonly (readonly Piece[])[] {
  if (breaks.length === 0) return [pieces];
  const rows: Piece[][] = [[]];
  let offset = 0;
  for (const piece of pieces) {
    let { text } = piece;
    for (let next = breaks[rows.length - 1]; next !== undefined && next < offset + text.length;) {
      const head = text.slice(0, next - offset);
      if (head !== '') rows.at(-1)?.push({ ...piece, text: head });
      text = text.slice(head.length);
      offset = next;
      rows.push([]);
      next = breaks[rows.length - 1];
    }
    if (text !== '') rows.at(-1)?.push({ ...piece, text });
    offset += text.length;
  }
  return rows;
}
