import { describe, expect, it } from 'vitest';
import { toColumns, toRows } from '#renderer/view/console-width.ts';

describe('columns of a console line', () => {
  it.each([
    { name: 'plain signs take one each', line: 'Done (3.4s)!', want: 12 },
    { name: 'colours take none', line: '\u001b[31mred\u001b[0m', want: 3 },
    { name: 'a tab takes four', line: '\tat java', want: 11 },
    { name: 'wide signs take two', line: '世界', want: 4 },
    { name: 'a sign outside the first plane is one sign', line: '😀', want: 2 },
    { name: 'nothing takes none', line: '', want: 0 },
  ])('$name', ({ line, want }) => {
    expect(toColumns(line)).toBe(want);
  });

  it.each([
    { columns: 0, perRow: 80, want: 1 },
    { columns: 80, perRow: 80, want: 1 },
    { columns: 81, perRow: 80, want: 2 },
  ])('$columns columns in rows of $perRow take $want', ({ columns, perRow, want }) => {
    expect(toRows(columns, perRow)).toBe(want);
  });
});
