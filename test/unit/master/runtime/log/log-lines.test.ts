import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countLines, decodeLine, LogLineSplitter, MAX_LINE_BYTES } from '#master/runtime/log/log-lines.ts';
import { cpuTimeOf } from '#test/support/cpu-time.ts';

function split(chunks: readonly Buffer[]): string[] {
  const splitter = new LogLineSplitter();
  const lines = chunks.flatMap((chunk) => splitter.push(chunk));
  const rest = splitter.flush();
  return rest === null ? lines : [...lines, rest];
}

describe('LogLineSplitter (splits a log into lines)', () => {
  it.each([
    { it: 'keeps empty lines', text: 'a\n\nb\n', want: ['a', '', 'b'] },
    { it: 'removes carriage returns only at the ends of lines', text: 'a\r\nb\rc\r\n', want: ['a', 'b\rc'] },
    { it: 'returns an unfinished line at the end', text: 'a\nb', want: ['a', 'b'] },
    { it: 'returns no lines for an empty log', text: '', want: [] },
  ])('$it', ({ text, want }) => {
    expect(split([Buffer.from(text)])).toEqual(want);
  });

  it('returns the same lines for every division of the log into chunks', () => {
    const text = fc
      .array(
        fc.tuple(
          fc.string({ unit: 'binary' }).map((line) => line.replace(/[\r\n]/g, '')),
          fc.constantFrom('\n', '\r\n'),
        ),
      )
      .map((lines) => lines.flat().join(''));
    fc.assert(
      fc.property(text, fc.array(fc.nat(7)), (content, cuts) => {
        const bytes = Buffer.from(content);
        const chunks: Buffer[] = [];
        let at = 0;
        for (const cut of cuts) chunks.push(bytes.subarray(at, (at += cut)));
        chunks.push(bytes.subarray(at));
        const want = bytes.toString('utf8').split(/\r?\n/).slice(0, -1);
        expect(split(chunks)).toEqual(want);
        expect(countLines(bytes)).toBe(want.length);
      }),
    );
  });

  it('cuts a very long line, but never within a character of several bytes', () => {
    const splitter = new LogLineSplitter();
    const lines: string[] = [];
    for (let n = 0; n < 10_000; n++) lines.push(...splitter.push(Buffer.from('€')));
    lines.push(...splitter.push(Buffer.from('\nnext\n')));
    expect(lines).toEqual(['€'.repeat(Math.floor(MAX_LINE_BYTES / 3)), 'next']);
  });

  // An earlier version removed the cut character with a regular expression, which took 30 ms for each such line.
  it('decodes 200 long lines of invalid UTF-8 in a short time', () => {
    const bytes = Buffer.concat([Buffer.alloc(MAX_LINE_BYTES - 1, 0xff), Buffer.from('x')]);
    expect(
      cpuTimeOf(() => {
        for (let count = 0; count < 200; count += 1) decodeLine(bytes);
      }),
    ).toBeLessThan(1_000);
    expect(decodeLine(bytes)).toBe(`${'\ufffd'.repeat(MAX_LINE_BYTES - 1)}x`);
  });
});
