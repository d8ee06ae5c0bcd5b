import { describe, expect, it } from 'vitest';
import { sortGently } from '#master/files/tasks/gentle-sort.ts';
import { namePattern } from '#master/files/tasks/name-pattern.ts';
import { TextFinder } from '#master/files/tasks/text-finder.ts';
import { cpuTimeOf } from '#test/support/cpu-time.ts';

describe('names that are looked for', () => {
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
  ])('"$pattern" and "$name"', ({ pattern, name, want }) => {
    expect(namePattern(pattern, false)(name)).toBe(want);
  });

  it('takes no longer for a mask made to be slow', () => {
    const fits = namePattern('*a'.repeat(99), false);
    const tryAll = () => {
      for (let round = 0; round < 100; round += 1) fits(`${'a'.repeat(98)}${'b'.repeat(150)}`);
    };
    expect(cpuTimeOf(tryAll)).toBeLessThan(1_000);
  });
});

describe('lines that hold a text', () => {
  const find = (pieces: (string | Buffer)[], text = 'needle', limit = 10) => {
    const finder = new TextFinder({ text, caseSensitive: false, limit });
    return pieces.every((piece) => finder.push(Buffer.from(piece))) ? finder.end() : null;
  };

  it('are found across pieces, with their numbers', () => {
    expect(find(['one\nnee', 'dle two\r\n', 'three NEEDLE'])).toEqual({
      lines: [
        { line: 2, text: 'needle two' },
        { line: 3, text: 'three NEEDLE' },
      ],
      more: false,
    });
  });

  it('are found where a character is cut in two', () => {
    const bytes = Buffer.from('Grüße needle\n');
    expect(find([bytes.subarray(0, 3), bytes.subarray(3)])?.lines).toEqual([
      { line: 1, text: 'Grüße needle' },
    ]);
  });

  it('are none in what is no text, whatever came before', () => {
    expect(find(['needle\n', Buffer.from([0xff, 0xfe])])).toBeNull();
    expect(find(['needle\n', Buffer.from([0])])).toBeNull();
    expect(find(['needle\n', Buffer.from('ü').subarray(0, 1)])).toBeNull();
  });

  it('are cut around what was found', () => {
    const [line] = find([`${'x'.repeat(10_000)}needle${'y'.repeat(10_000)}`])?.lines ?? [];
    expect(line?.text).toHaveLength(400);
    expect(line?.text).toContain('needle');
  });

  it('end at the limit', () => {
    expect(find(['needle\n'.repeat(3)], 'needle', 2)).toMatchObject({
      lines: [{ line: 1 }, { line: 2 }],
      more: true,
    });
  });
});

describe('sorting gently', () => {
  it('puts many items in order, and holds up nobody', async () => {
    const items = Array.from({ length: 100_000 }, (_, index) => (index * 7_919) % 100_003);
    let turns = 0;
    const watch = setInterval(() => (turns += 1), 1);
    const sorted = await sortGently(items, (a, b) => a < b);
    clearInterval(watch);
    expect(sorted).toEqual([...items].sort((a, b) => a - b));
    // Sorting at once would leave the event loop no turn at all.
    expect(turns).toBeGreaterThan(2);
  });
});
