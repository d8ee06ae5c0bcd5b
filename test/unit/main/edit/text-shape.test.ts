import { describe, expect, it } from 'vitest';
import { withShapeOf } from '#main/edit/text-file.ts';

describe('withShapeOf', () => {
  it.each([
    ['the line ends of a file with only CRLF', 'a\r\nb\r\n', 'a\nc\n', 'a\r\nc\r\n'],
    ['mixed line ends as a person wrote them', 'a\r\nb\n', 'a\nc\n', 'a\nc\n'],
    ['existing CRLF line ends', 'a\r\nb', 'x\r\ny', 'x\r\ny'],
    ['plain line ends', 'a\nb', 'a\nc', 'a\nc'],
    ['a byte order mark', '\uFEFFa\r\nb', 'a\nc', '\uFEFFa\r\nc'],
    ['one byte order mark, not two', '\uFEFFa', '\uFEFFb', '\uFEFFb'],
    ['an empty file empty', '', 'a\nb', 'a\nb'],
    ['a first line end without CR', '\nb\r\n', 'a\n', 'a\n'],
  ])('keeps %s', (...[, old, text, want]) => {
    expect(withShapeOf(old, text)).toBe(want);
  });
});
