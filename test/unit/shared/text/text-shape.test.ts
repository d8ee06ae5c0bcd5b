import { describe, expect, it } from 'vitest';
import { withShapeOf } from '#shared/text/text-shape.ts';

describe('withShapeOf (preserves line endings and byte order mark of an edited file)', () => {
  it.each([
    ['the line endings of a file with only CRLF', 'a\r\nb\r\n', 'a\nc\n', 'a\r\nc\r\n'],
    ['the line endings of the new text if the file mixes line endings', 'a\r\nb\n', 'a\nc\n', 'a\nc\n'],
    ['CRLF line endings that the new text already has', 'a\r\nb', 'x\r\ny', 'x\r\ny'],
    ['plain line endings', 'a\nb', 'a\nc', 'a\nc'],
    ['a byte order mark', '\uFEFFa\r\nb', 'a\nc', '\uFEFFa\r\nc'],
    ['one byte order mark, not two', '\uFEFFa', '\uFEFFb', '\uFEFFb'],
    ['the new text unchanged if the file was empty', '', 'a\nb', 'a\nb'],
    ['a first line that ends without CR', '\nb\r\n', 'a\n', 'a\n'],
  ])('preserves %s', (...[, old, text, want]) => {
    expect(withShapeOf(old, text)).toBe(want);
  });
});
