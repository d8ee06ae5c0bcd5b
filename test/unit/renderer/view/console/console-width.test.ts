import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rowBreaks, splitAt, toColumns } from '#renderer/view/console/console-width.ts';

/** Returns the visible rows of a line. */
const rows = (text: string, perRow: number, before = 0): string[] =>
  splitAt([{ text }], rowBreaks({ text }, perRow, before)).map((row) =>
    row.map((part) => part.text).join(''),
  );

describe('toColumns (computes the width of text in a console)', () => {
  it.each([
    { name: '1 per plain character', line: 'Done (3.4s)!', want: 12 },
    { name: '0 for colour codes', line: '\u001b[31mred\u001b[0m', want: 3 },
    { name: '0 for an overwritten prompt', line: '\u001b[m>\r12:00:00 hi', want: 11 },
    { name: '4 for a tab', line: '\tat java', want: 11 },
    { name: '2 per wide character', line: '世界', want: 4 },
    { name: '2 for an emoji, which is one character', line: '😀', want: 2 },
    { name: '0 for an empty line', line: '', want: 0 },
  ])('returns $name', ({ line, want }) => {
    expect(toColumns({ text: line })).toBe(want);
  });
});

describe('the rows into which a console line is wrapped', () => {
  it.each([
    { name: 'are not broken if the line fits', text: 'one two', perRow: 7, want: ['one two'] },
    { name: 'an empty line is one row', text: '', perRow: 7, want: [''] },
    { name: 'break between words', text: 'one two three', perRow: 7, want: ['one two ', 'three'] },
    {
      name: 'may end with blanks beyond the width',
      text: 'one two     three',
      perRow: 7,
      want: ['one two     ', 'three'],
    },
    { name: 'keep a word together', text: 'a player joined', perRow: 8, want: ['a player ', 'joined'] },
    {
      name: 'break inside a word only if it is longer than a row',
      text: 'at abcdefghijkl x',
      perRow: 6,
      want: ['at abc', 'defghi', 'jkl x'],
    },
    {
      name: 'never consist of indentation alone',
      text: '    abcdef g',
      perRow: 8,
      want: ['    abcd', 'ef g'],
    },
    {
      name: 'leave space for a name before the first row',
      text: 'one two',
      perRow: 7,
      before: 4,
      want: ['one ', 'two'],
    },
    { name: 'count wide characters as 2 columns', text: '世界世界', perRow: 5, want: ['世界', '世界'] },
  ])('$name', ({ text, perRow, before, want }) => expect(rows(text, perRow, before)).toEqual(want));

  it('contain the whole text, and are no wider than the console', () => {
    fc.assert(
      fc.property(
        fc.string({ maxLength: 200, unit: fc.constantFrom('a', 'b', ' ', '-', '.', '世', '😀') }),
        fc.integer({ min: 2, max: 40 }),
        (text, perRow) => {
          const seen = rows(text, perRow);
          expect(seen.join('')).toBe(text);
          for (const row of seen) expect(toColumns({ text: row.trimEnd() })).toBeLessThanOrEqual(perRow);
        },
      ),
    );
  });

  it('preserve the colours of the text', () => {
    const pieces = [
      { text: 'abc', style: 1 },
      { text: 'def', style: 2 },
    ];
    expect(splitAt(pieces, [2, 3, 5])).toEqual([
      [{ text: 'ab', style: 1 }],
      [{ text: 'c', style: 1 }],
      [{ text: 'de', style: 2 }],
      [{ text: 'f', style: 2 }],
    ]);
  });
});
