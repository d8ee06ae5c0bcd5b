import { describe, expect, it } from 'vitest';
import { formatPairs, formatTable, formatTime } from '#master/cli/table.ts';

describe('formatTable', () => {
  it('aligns text left and numbers right, without trailing spaces', () => {
    expect(
      formatTable(
        ['NAME', 'RAM MB', 'NOTE'],
        [
          ['lobby-1', 1399, ''],
          ['a', 80, 'waits'],
        ],
      ),
    ).toBe(['NAME     RAM MB  NOTE', 'lobby-1    1399', 'a            80  waits'].join('\n'));
  });

  it('returns only the heading for an empty table', () => {
    expect(formatTable(['A', 'B'], [])).toBe('A  B');
  });

  it('formats a folder with several 100,000 files', () => {
    const rows = Array.from({ length: 300_000 }, (_, index) => [`r.${index}.mca`, index]);
    expect(formatTable(['NAME', 'BYTES'], rows).split('\n').at(-1)).toBe('r.299999.mca  299999');
  });

  it('replaces control characters', () => {
    expect(formatTable(['A'], [['\x1b[2Jgone\n']])).toBe('A\n·[2Jgone·');
    expect(formatTable(['A'], [['evil\u202egnp.exe\u2066']])).toBe('A\nevil·gnp.exe·');
  });
});

describe('formatPairs', () => {
  it('aligns the values in one column', () => {
    expect(
      formatPairs([
        ['Host key', 'SHA256:x'],
        ['Java', 17],
      ]),
    ).toBe('Host key  SHA256:x\nJava      17');
  });
});

it('formatTime returns times in UTC', () => {
  expect(formatTime(Date.UTC(2025, 2, 1, 12, 30))).toBe('2025-03-01 12:30 UTC');
});
