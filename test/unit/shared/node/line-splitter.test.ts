import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { LineSplitter } from '#shared/node/line-splitter.ts';

describe('LineSplitter (splits a stream into lines)', () => {
  it('returns the same lines for every division of the bytes into chunks', { timeout: 30_000 }, () => {
    const lines = fc.array(
      fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll('\n', '')),
    );
    fc.assert(
      fc.property(lines, fc.array(fc.integer({ min: 1, max: 9 })), (texts, cuts) => {
        const bytes = Buffer.from(texts.map((text) => `${text}\n`).join(''));
        const splitter = new LineSplitter(1_000);
        const seen: string[] = [];
        for (let from = 0, index = 0; from < bytes.length; index++) {
          const length = cuts[index % Math.max(1, cuts.length)] ?? 5;
          splitter.add(bytes.subarray(from, from + length));
          from += length;
          for (let line = splitter.next(); line !== null; line = splitter.next()) seen.push(line.toString());
        }
        expect(seen).toEqual(texts.map((text) => Buffer.from(text).toString()));
      }),
    );
  });

  it.each([
    ['before its newline has arrived', 'x'.repeat(11)],
    ['after its newline has arrived', `${'x'.repeat(11)}\n`],
  ])('rejects a line that is too long, %s', (_, text) => {
    const splitter = new LineSplitter(10);
    splitter.add(Buffer.from(`${'y'.repeat(10)}\n`));
    expect(splitter.next()?.toString()).toBe('y'.repeat(10));
    splitter.add(Buffer.from(text));
    expect(splitter.next()).toBe('too-long');
  });
});
