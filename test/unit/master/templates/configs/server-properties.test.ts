import fc from 'fast-check';
import { getProperties } from 'properties-file';
import { describe, expect, it } from 'vitest';
import { readServerProperty, withServerProperties } from '#master/templates/configs/server-properties.ts';
import { cpuTimeOf } from '#test/support/cpu-time.ts';

const wanted = { port: 25571, maxPlayers: 40, onlineMode: null };

describe('withServerProperties (changes settings in server.properties)', () => {
  const cases: { it: string; text: string; want: string }[] = [
    {
      it: 'names Overworld as the author of a new file',
      text: '',
      want: '# Created by Overworld: server-port and max-players are set at each start of a service.\nserver-port=25571\nmax-players=40\n',
    },
    {
      it: 'sets both keys in place and preserves order and comments',
      text: '#Minecraft\nmotd=Hi\nserver-port=25565\nonline-mode=false\nmax-players=20\n',
      want: '#Minecraft\nmotd=Hi\nserver-port=25571\nonline-mode=false\nmax-players=40\n',
    },
    {
      it: 'keeps Windows line endings',
      text: 'a=1\r\nserver-port=1\r\n',
      want: 'a=1\r\nserver-port=25571\r\nmax-players=40\r\n',
    },
    {
      it: 'keeps mixed line endings',
      text: 'a=1\rb=2\r\nmax-players=1\nserver-port=1',
      want: 'a=1\rb=2\r\nmax-players=40\nserver-port=25571',
    },
    {
      it: 'ends an unterminated last line before it appends a key',
      text: 'a=1',
      want: 'a=1\nserver-port=25571\nmax-players=40\n',
    },
    {
      it: 'sets every occurrence of a repeated key',
      text: 'server-port=1\nserver-port=2\nmax-players=3\n',
      want: 'server-port=25571\nserver-port=25571\nmax-players=40\n',
    },
    {
      it: 'accepts colons and spaces as separators',
      text: 'server-port : 1\n  max-players 2\n',
      want: 'server-port=25571\nmax-players=40\n',
    },
    {
      it: 'replaces values with continuation lines completely',
      text: 'server-port=1\\\n  2\nmax-players\n',
      want: 'server-port=25571\nmax-players=40\n',
    },
    {
      it: 'ignores keys in comments',
      text: '#server-port=1\\\nmax-players=1\n',
      want: '#server-port=1\\\nmax-players=40\nserver-port=25571\n',
    },
    {
      it: 'ignores keys in values',
      text: 'motd=server-port\\\nmax-players=1\n',
      want: 'motd=server-port\\\nmax-players=1\nserver-port=25571\nmax-players=40\n',
    },
    {
      it: 'reads escapes in keys',
      text: 'server\\u002dport=1\nmax\\-players=2\n',
      want: 'server-port=25571\nmax-players=40\n',
    },
    {
      it: 'never appends a key to a last line that ends in a backslash',
      text: 'a=1\\',
      want: 'a=1\\\n\nserver-port=25571\nmax-players=40\n',
    },
  ];
  it.each(cases)('$it', ({ text, want }) => {
    expect(withServerProperties(text, wanted)).toBe(want);
  });

  it('sets an existing query port to the port of the server', () => {
    expect(withServerProperties('query.port=25565\nserver-port=1\nmax-players=2\n', wanted)).toBe(
      'query.port=25571\nserver-port=25571\nmax-players=40\n',
    );
  });

  it('sets online-mode to false if requested', () => {
    const offline = { ...wanted, onlineMode: 'false' };
    expect(withServerProperties('online-mode : true\nserver-port=1\nmax-players=2\n', offline)).toBe(
      'online-mode=false\nserver-port=25571\nmax-players=40\n',
    );
    expect(withServerProperties('', offline)).toMatch(
      /^# Created by Overworld: server-port, max-players and online-mode are set .*\n(?:.*\n)*online-mode=false\n$/,
    );
  });

  const key = fc.constantFrom(
    'motd',
    'level-name',
    'server-port',
    'max-players',
    'online-mode',
    'server\\-port',
    'é',
  );
  const value = fc.string({
    unit: fc.constantFrom('a', '=', ':', ' ', '#', '!', '\\\\', '\\n', 'ü', '1'),
    maxLength: 8,
  });
  const line = fc.oneof(
    fc.tuple(key, fc.constantFrom('=', ':', ' ', ' = ', ''), value).map((parts) => parts.join('')),
    fc.constantFrom('', '# comment', '  ! note \\', '\t'),
    fc.tuple(key, value).map(([k, v]) => `${k}=${v}\\`),
  );
  const file = fc
    .array(fc.tuple(line, fc.constantFrom('\n', '\r\n', '\r')))
    .map((lines) => lines.flat().join(''));

  it('sets values that Java reads correctly, and leaves other values unchanged', () => {
    fc.assert(
      fc.property(file, (text) => {
        const before = getProperties(text);
        const after = getProperties(withServerProperties(text, wanted));
        expect(after).toEqual({ ...before, 'server-port': '25571', 'max-players': '40' });
      }),
      { numRuns: 2000 },
    );
  });

  it('changes nothing when applied again', () => {
    fc.assert(
      fc.property(file, (text) => {
        const once = withServerProperties(text, wanted);
        expect(withServerProperties(once, wanted)).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });

  it('preserves each other line byte for byte', () => {
    const other = fc.tuple(
      fc.constantFrom('motd=a\\u00fc b', '# c', '', ' x : y', 'q=1\\\n  2', 'é=ß'),
      fc.constantFrom('\n', '\r\n'),
    );
    const ours = fc.tuple(fc.constantFrom('server-port=1', 'max-players: 7'), fc.constantFrom('\n', '\r\n'));
    fc.assert(
      fc.property(fc.array(fc.oneof(other, ours)), (lines) => {
        const text = lines.flat().join('');
        const result = withServerProperties(text, wanted);
        let at = 0;
        for (const [content, end] of lines) {
          if (/^(server-port|max-players)/.test(content)) continue;
          const found = result.indexOf(`${content}${end}`, at);
          expect(found).toBeGreaterThanOrEqual(at);
          at = found + content.length + end.length;
        }
      }),
    );
  });

  // An earlier version used a regular expression for the backslashes at the end of the line, which took 40 s.
  it('reads a line with many backslashes in a short time', () => {
    const text = `${'\\'.repeat(131_071)}x`;
    let result = '';
    expect(cpuTimeOf(() => (result = withServerProperties(text, wanted)))).toBeLessThan(2_000);
    expect(result).toBe(`${text}\nserver-port=25571\nmax-players=40\n`);
  });
});

describe('readServerProperty (reads a value in server.properties)', () => {
  it.each([
    ['enable-status=false\n', 'false'],
    ['enable-status : False \r\n', 'False'],
    ['enable-status=true\nenable-status=false', 'false'],
    ['  enable-status \\\n   false\n', 'false'],
    ['enable-status=\n', ''],
    ['#enable-status=false\nenable-status-x=false\n', null],
    ['', null],
  ])('reads %j as the value %j', (text, value) => {
    expect(readServerProperty(text, 'enable-status')).toBe(value);
  });
});
