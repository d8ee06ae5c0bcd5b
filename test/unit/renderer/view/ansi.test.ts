import { describe, expect, it } from 'vitest';
import { parseAnsi } from '#renderer/view/ansi.ts';
import { stripAnsi } from '#shared/text/ansi.ts';

const coloured = (line: string): string[] =>
  parseAnsi(line).map((span) => `${span.colour ?? 'plain'}${span.bold ? '+bold' : ''}:${span.text}`);

describe('parseAnsi', () => {
  it.each([
    ['plain text', 'hello', ['plain:hello']],
    ['an empty line', '', []],
    ['a colour and its reset', '\x1b[33mWARN\x1b[m ok', ['yellow:WARN', 'plain: ok']],
    ['several codes at once', '\x1b[1;31mERROR\x1b[0m', ['red+bold:ERROR']],
    ['bright colours', '\x1b[92mgreen', ['green:green']],
    ['bold ends, colour stays', '\x1b[1;36ma\x1b[22mb', ['cyan+bold:a', 'cyan:b']],
    ['true colour, brought to the nearest', '\x1b[38;2;255;85;85mred', ['red:red']],
    ['256 colours: the cube', '\x1b[38;5;46mgreen', ['green:green']],
    ['a background colour takes its parameters with it', '\x1b[48;5;1;32mok', ['green:ok']],
    [
      'a title and cursor moves are left out',
      '\x1b]0;title\x07a\x1b[2Kb\x1b[3Dc\r',
      ['plain:a', 'plain:b', 'plain:c'],
    ],
    ['controls of 8 bits are left out', 'a\x9b31mb\x85c', ['plain:a', 'plain:31mb', 'plain:c']],
    ['an unknown code changes nothing', '\x1b[73mx', ['plain:x']],
  ])('%s', (_case, line, want) => expect(coloured(line)).toEqual(want));

  it('loses no text', () => {
    const line = '\x1b[32m[18:04:09 INFO]\x1b[0m: \x1b[1mJoined\x1b[0m\ttwo';
    expect(
      parseAnsi(line)
        .map(({ text }) => text)
        .join(''),
    ).toBe(stripAnsi(line));
    expect(stripAnsi(line)).toBe('[18:04:09 INFO]: Joined\ttwo');
  });
});
