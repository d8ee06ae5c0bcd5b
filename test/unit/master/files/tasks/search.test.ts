import { describe, expect, it } from 'vitest';
import { sortInSlices } from '#master/files/tasks/sliced-sort.ts';
import { namePattern } from '#master/files/tasks/name-pattern.ts';
import { TextFinder } from '#master/files/tasks/text-finder.ts';
import { cpuTimeOf } from '#test/support/cpu-time.ts';

describe('namePattern (matches file names with masks such as *.jar)', () => {
  it.each([
    { pattern: '', name: 'anything', want: true },
    { pattern: 'jar', name: 'server.JAR', want: true },
    { pattern: '*.jar', name: 'server.jar.old', want: false },
    { pattern: '*.jar', name: '.jar', want: true },
    { pattern: 'a*b*c', name: 'aXbbYc', want: true },
    { pattern: 'a*b*c', name: 'aXbbYcd', want: false },
    { pattern: '?', name: '😀', want: true },
    { pattern: '??', name: 'x', want: false },
    { pattern: '*', name: '', want: true },
    { pattern: '(a+)+$', name: 'see (a+)+$ there', want: true },
  ])('matches the mask $pattern with the name $name: $want', ({ pattern, name, want }) => {
    expect(namePattern(pattern, false)(name)).toBe(want);
  });

  it('needs little time even for a mask that is designed to be slow', () => {
    const fits = namePattern('*a'.repeat(99), false);
    const tryAll = () => {
      for (let round = 0; round < 100; round += 1) fits(`${'a'.repeat(98)}${'b'.repeat(150)}`);
    };
    expect(cpuTimeOf(tryAll)).toBeLessThan(1_000);
  });
});

describe('TextFinder (searches the content of a file)', () => {
  const find = (pieces: (string | Buffer)[], text = 'needle', limit = 10) => {
    const finder = new TextFinder({ text, caseSensitive: false, limit });
    return pieces.every((piece) => finder.push(Buffer.from(piece))) ? finder.end() : null;
  };

  it('finds a line that is split between two chunks, with its line number', () => {
    expect(find(['one\nnee', 'dle two\r\n', 'three NEEDLE'])).toEqual({
      lines: [
        { line: 2, text: 'needle two' },
        { line: 3, text: 'three NEEDLE' },
      ],
      more: false,
    });
  });

  it('finds a line with a character that is split between two chunks', () => {
    const bytes = Buffer.from('Grüße needle\n');
    expect(find([bytes.subarray(0, 3), bytes.subarray(3)])?.lines).toEqual([
      { line: 1, text: 'Grüße needle' },
    ]);
  });

  it('returns null for a file that proves to be binary, even after a match', () => {
    expect(find(['needle\n', Buffer.from([0xff, 0xfe])])).toBeNull();
    expect(find(['needle\n', Buffer.from([0])])).toBeNull();
    expect(find(['needle\n', Buffer.from('ü').subarray(0, 1)])).toBeNull();
  });

  it('shortens a long line around the match', () => {
    const [line] = find([`${'x'.repeat(10_000)}needle${'y'.repeat(10_000)}`])?.lines ?? [];
    expect(line?.text).toHaveLength(400);
    expect(line?.text).toContain('needle');
  });

  it('stops at the maximum number of lines, and reports that there are more', () => {
    expect(find(['needle\n'.repeat(3)], 'needle', 2)).toMatchObject({
      lines: [{ line: 1 }, { line: 2 }],
      more: true,
    });
  });
});

describe('sortInSlices (sorts without blocking the event loop)', () => {
  it('lets other work run while it sorts many items', async () => {
    const items = Array.from({ length: 100_000 }, (_, index) => (index * 7_919) % 100_003);
    let turns = 0;
    const watch = setInterval(() => (turns += 1), 1);
    const sorted = await sortInSlices(items, (a, b) => a < b);
    clearInterval(watch);
    expect(sorted).toEqual([...items].sort((a, b) => a - b));
    // A synchronous sort would let no other task run.
    expect(turns).toBeGreaterThan(2);
  });
});
