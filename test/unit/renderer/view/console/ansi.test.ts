import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { contrast, paletteColour, type Rgb } from '#renderer/view/console/ansi-palette.ts';
import { parseAnsi, type AnsiSpan } from '#renderer/view/console/ansi.ts';
import { stripAnsi } from '#shared/text/ansi.ts';

const describeSpan = ({ text, colour, paint, bold }: AnsiSpan): string => {
  const front = colour ?? paint.colour ?? 'plain';
  const back = paint.background === null ? '' : ` on ${paint.background}`;
  return `${front}${back}${bold ? '+bold' : ''}:${text}`;
};
const coloured = (line: string): string[] => parseAnsi(line).map(describeSpan);

const toRgb = (hex: string): Rgb =>
  [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16)) as unknown as Rgb;
/** Background of the console in the light and in the dark theme. */
const GROUNDS = ['#131714', '#0b0e0c'];

describe('parseAnsi (reads the colours of a console line)', () => {
  it.each([
    ['plain text', 'hello', ['plain:hello']],
    ['an empty line', '', []],
    ['a colour and its reset', '\x1b[33mWARN\x1b[m ok', ['yellow:WARN', 'plain: ok']],
    ['several codes at once', '\x1b[1;31mERROR\x1b[0m', ['red+bold:ERROR']],
    ['bright colours', '\x1b[92mgreen', ['green:green']],
    ['the end of bold keeps the colour', '\x1b[1;36ma\x1b[22mb', ['cyan+bold:a', 'cyan:b']],
    ['a true colour', '\x1b[38;2;255;85;85mred', ['#ff5555:red']],
    ['a true colour with colons', '\x1b[38:2::255:85:85mred', ['#ff5555:red']],
    ['a true colour that is too dark is lightened', '\x1b[38;2;0;0;0mnight', ['#808080:night']],
    ['256 colours: the named colours', '\x1b[38;5;9mred', ['red:red']],
    ['256 colours: the colour cube', '\x1b[38;5;46mgreen', ['#00ff00:green']],
    ['256 colours: greys', '\x1b[38;5;250mgrey', ['#bcbcbc:grey']],
    ['a background', '\x1b[44mblue', ['#dfe5e0 on #0000ee:blue']],
    ['a bright background', '\x1b[103;31mhot', ['#cd0000 on #ffff00:hot']],
    ['a background of the 256 colours', '\x1b[48;5;1;32mok', ['#bff3bf on #cd0000:ok']],
    [
      'a true colour background and its reset',
      '\x1b[48;2;1;2;3ma\x1b[49mb',
      ['#dfe5e0 on #010203:a', 'plain:b'],
    ],
    ['inverse', '\x1b[7ma\x1b[27mb', ['#131714 on #dfe5e0:a', 'plain:b']],
    ['malformed codes change nothing', '\x1b[38;2;999;0;0ma\x1b[48;5mb', ['plain:ab']],
    ['an erased prompt is removed', '\x1b[m>\r\x1b[32m12:00:00 hi', ['green:12:00:00 hi']],
    [
      'window titles are removed, and cursor movements take effect',
      '\x1b]0;title\x07ab\x1b[1Dc\r',
      ['plain:ac'],
    ],
    ['8-bit control characters are removed', 'a\x9b31mb\x85c', ['plain:a31mbc']],
    ['an unknown code changes nothing', '\x1b[73mx', ['plain:x']],
  ])('parses a line correctly: %s', (_case, line, want) => expect(coloured(line)).toEqual(want));

  it('keeps all text', () => {
    const line = '\x1b[32m[18:04:09 INFO]\x1b[0m: \x1b[1mJoined\x1b[0m\ttwo';
    expect(
      parseAnsi(line)
        .map(({ text }) => text)
        .join(''),
    ).toBe(stripAnsi(line));
    expect(stripAnsi(line)).toBe('[18:04:09 INFO]: Joined\ttwo');
  });

  it('makes each colour readable on its background in both themes', () => {
    const byte = fc.integer({ min: 0, max: 255 });
    const colour = fc.oneof(
      fc.tuple(byte, byte, byte).map(([r, g, b]) => `2;${r};${g};${b}`),
      byte.map((n) => `5;${n}`),
    );
    fc.assert(
      fc.property(colour, fc.option(colour), (front, back) => {
        const codes = back === null ? `38;${front}` : `38;${front};48;${back}`;
        const { paint } = parseAnsi(`\x1b[${codes}mtext`)[0] ?? { paint: null };
        if (paint?.colour === null || paint?.colour === undefined) return;
        for (const ground of paint.background === null ? GROUNDS : [paint.background]) {
          expect(contrast(toRgb(paint.colour), toRgb(ground))).toBeGreaterThanOrEqual(4.5);
        }
      }),
    );
  });
});

describe('the palette of 256 terminal colours', () => {
  it.each([
    [1, [205, 0, 0]],
    [15, [255, 255, 255]],
    [16, [0, 0, 0]],
    [21, [0, 0, 255]],
    [231, [255, 255, 255]],
    [232, [8, 8, 8]],
    [255, [238, 238, 238]],
  ])('contains the correct colour %i', (n, want) => expect(paletteColour(n)).toEqual(want));
});
