import { stripAnsi } from '#shared/text/ansi.ts';

const TAB = 4;
/** From the Hangul letters on, most signs are two columns wide (Unicode 15, East Asian Width). */
const FIRST_WIDE = 0x1100;

/** Columns a console line takes in a fixed-width font: escape sequences take none, wide signs two. */
export function toColumns(line: string): number {
  let columns = 0;
  for (const sign of stripAnsi(line)) {
    columns += sign === '\t' ? TAB : (sign.codePointAt(0) ?? 0) >= FIRST_WIDE ? 2 : 1;
  }
  return columns;
}

/** Rows a line takes when it is broken at a number of columns; an empty line takes one. */
export function toRows(columns: number, perRow: number): number {
  return Math.max(1, Math.ceil(columns / perRow));
}
