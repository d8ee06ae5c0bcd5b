import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { renderLine, stripAnsi } from '#shared/text/ansi.ts';

const shown = (line: string): string =>
  renderLine(line, null, (style) => style)
    .map(({ text }) => text)
    .join('');

describe('renderLine and stripAnsi (console line as plain text)', () => {
  it.each([
    ['plain text is unchanged', 'a\tb', 'a\tb'],
    [
      'BungeeCord: the prompt is overwritten',
      '\x1b[m>\r12:00:00 [INFO] Listening\x1b[m',
      '12:00:00 [INFO] Listening',
    ],
    ['BungeeCord: several prompts are overwritten', '>\r>\r12:00:00 [INFO] hi', '12:00:00 [INFO] hi'],
    ['a prompt that was never erased is removed', '> [12:00:00 INFO]: hi', '[12:00:00 INFO]: hi'],
    [
      "Paper: JLine's modes and its erased prompt are removed",
      '\x1b[?1h\x1b=\x1b[?2004h>....\r\x1b[K[12:00:00 INFO]: hi\x1b[m',
      '[12:00:00 INFO]: hi',
    ],
    ['Velocity: the erased line is removed', '> \r\x1b[2K[12:00:00 INFO]: hi', '[12:00:00 INFO]: hi'],
    ['a prompt alone becomes empty', '\x1b[m>', ''],
    ["JLine's prompt alone becomes empty", '>....', ''],
    ['a quotation is not a prompt', '> so it was said', '> so it was said'],
    ['a progress bar shows its last state', '10%\r55%\r100%', '100%'],
    ['a shorter text keeps the rest of the line', 'abcdef\rxy', 'xycdef'],
    ['a CR at the end changes nothing', 'hello\r', 'hello'],
    ['text is erased to the end', 'abcdef\x1b[3D\x1b[K', 'abc'],
    ['text is erased up to the cursor', 'abcdef\x1b[4G\x1b[1K', '    ef'],
    ['backspace moves the cursor back', 'abd\bc', 'abc'],
    ['moves to the right leave spaces', 'a\x1b[3Cb', 'a   b'],
    ['a move far to the right is limited', `\x1b[999999999Cb`, `${' '.repeat(512)}b`],
    ['a title and a character set are dropped', '\x1b]0;title\x07a\x1b(Bb', 'ab'],
    ['an incomplete sequence removes nothing else', 'a\x1b[', 'a'],
  ])('return the correct text: %s', (_case, line, want) => {
    expect(shown(line)).toBe(want);
    expect(stripAnsi(line)).toBe(want);
  });

  it('return the same text with and without colours, and no control characters', () => {
    const piece = fc.oneof(
      fc.string({ maxLength: 8 }),
      fc.constantFrom(
        '\r',
        '\b',
        '> ',
        '\x1b',
        '\x1b[',
        '\x1b[m',
        '\x1b[31m',
        '\x1b[K',
        '\x1b[2K',
        '\x1b[3G',
        '\x1b[9D',
      ),
      fc.constantFrom('\x1b]0;x\x07', '\x1b=', '\x9b', '[12:00:00 INFO]', '\t', '😀', '\x1b[1K', '\x1b[2C'),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
        const line = pieces.join('');
        expect(stripAnsi(line)).toBe(shown(line));
        expect(shown(line).replaceAll('\t', '')).not.toMatch(/\p{Cc}/u);
      }),
    );
  });
});
