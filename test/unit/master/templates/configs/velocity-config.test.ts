import fc from 'fast-check';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { describe, expect, it } from 'vitest';
import { DefaultFileProblem } from '#master/templates/default-files/default-files.ts';
import {
  newVelocityConfig,
  readVelocityConfig,
  withVelocityConfig,
  type VelocitySettings,
} from '#master/templates/configs/velocity-config.ts';
import type { Forwarding } from '#master/templates/provision.ts';

const wanted = { port: 25571, maxPlayers: 40, proxyProtocol: false, forwarding: null };

/** The settings that Velocity documents, in its order, with additions of an admin. */
const AS_DOCUMENTED = `# Config version. Do not change this
config-version = "2.7"

# Where players connect to
bind = "0.0.0.0:25565"
motd = "<#09add3>A Velocity Server"

show-max-players = 500   # a boast
online-mode = true
player-info-forwarding-mode = "modern"
forwarding-secret-file = "forwarding.secret"

[servers]
	lobby = "127.0.0.1:30066"
	try = [
	    "lobby", # first
	]
[forced-hosts]
"lobby.example.com" = ["lobby"]

[advanced]
haproxy-protocol = false

[query]
enabled = false
port = 25565
map = "Velocity"
`;

describe('withVelocityConfig (changes settings in velocity.toml)', () => {
  it("changes Overworld's keys in a file with comments, and no other byte", () => {
    expect(withVelocityConfig(AS_DOCUMENTED, wanted)).toBe(
      AS_DOCUMENTED.replace('"0.0.0.0:25565"', '"0.0.0.0:25571"')
        .replace('= 500 ', '= 40 ')
        .replace('port = 25565', 'port = 25571'),
    );
  });

  const both = 'bind = "0.0.0.0:25571"\nshow-max-players = 40\n';
  const cases: { it: string; text: string; want: string }[] = [
    { it: 'adds both keys to an empty file', text: '', want: both },
    {
      it: 'adds both keys before the first table',
      text: '[servers]\nbind = "x"\n',
      want: `${both}[servers]\nbind = "x"\n`,
    },
    {
      it: 'adds keys after the last setting of the root and its comment',
      text: 'motd = """\nbind = 1\n""" # hi\n\n# tables\n[servers]\n',
      want: `motd = """\nbind = 1\n""" # hi\n${both}\n# tables\n[servers]\n`,
    },
    {
      it: 'ends an unterminated last line before it appends a key',
      text: "bind='0.0.0.0:1'",
      want: 'bind="0.0.0.0:25571"\nshow-max-players = 40',
    },
    {
      it: 'keeps Windows line endings',
      text: 'a = 1\r\n[b]\r\n',
      want: `a = 1\r\n${both.replaceAll('\n', '\r\n')}[b]\r\n`,
    },
    {
      it: 'changes keys with quoted or dotted names',
      text: '"bind" = 1\nshow-max-players = "many"\nquery.port = 1\n',
      want: '"bind" = "0.0.0.0:25571"\nshow-max-players = 40\nquery.port = 25571\n',
    },
    {
      it: 'keeps a byte order mark and UTF-8 text',
      text: '\u00EF\u00BB\u00BF# \u00C3\u009C\nbind = "x"\nmotd = "\u00C3\u00A9"\n',
      want: '\u00EF\u00BB\u00BF# \u00C3\u009C\nbind = "0.0.0.0:25571"\nmotd = "\u00C3\u00A9"\nshow-max-players = 40\n',
    },
  ];
  it.each(cases)('$it', ({ text, want }) => {
    expect(withVelocityConfig(text, wanted)).toBe(want);
    expect(withVelocityConfig(want, wanted)).toBe(want);
  });

  const forwarding: Forwarding = { kind: 'modern', secret: 'S3', checked: true };
  const MODE = 'player-info-forwarding-mode';
  const set: { it: string; text: string; how: Partial<VelocitySettings>; want: string }[] = [
    {
      it: 'sets a missing mode, and does not add the secret',
      text: both,
      how: { forwarding },
      want: `${both}${MODE} = "modern"\n`,
    },
    {
      it: 'replaces the mode "none", ignoring case',
      text: `${both}${MODE} = "NONE" # yet\n`,
      how: { forwarding: { ...forwarding, kind: 'legacy' } },
      want: `${both}${MODE} = "legacy" # yet\n`,
    },
    ...['legacy', 'bungeeguard', 'Modern'].map((mode) => ({
      it: `keeps the mode ${mode}, which the admin has set`,
      text: `${both}${MODE} = "${mode}"\n`,
      how: { forwarding },
      want: `${both}${MODE} = "${mode}"\n`,
    })),
    {
      it: 'replaces the value of forwarding-secret, the key of older Velocity versions',
      text: `${both}${MODE} = "modern"\nforwarding-secret = "theirs"\n`,
      how: { forwarding },
      want: `${both}${MODE} = "modern"\nforwarding-secret = "S3"\n`,
    },
    ...['/etc/secret', '../secret', 'a/../../b', 'velocity.toml', '', 'C:\\\\x', '.', 'x/'].map((path) => ({
      it: `replaces the secret file "${path}" by forwarding.secret`,
      text: `${both}${MODE} = "modern"\nforwarding-secret-file = "${path}"\n`,
      how: { forwarding },
      want: `${both}${MODE} = "modern"\nforwarding-secret-file = "forwarding.secret"\n`,
    })),
    {
      it: 'does not change the secret if the file sets another mode',
      text: `${both}${MODE} = "bungeeguard"\nforwarding-secret-file = "/etc/secret"\nforwarding-secret = "x"\n`,
      how: { forwarding },
      want: `${both}${MODE} = "bungeeguard"\nforwarding-secret-file = "/etc/secret"\nforwarding-secret = "x"\n`,
    },
    {
      it: 'enables the PROXY protocol in its table',
      text: `${both}[advanced] # more\ntcp-fast-open = false\n[query]\n`,
      how: { proxyProtocol: true },
      want: `${both}[advanced] # more\nhaproxy-protocol = true\ntcp-fast-open = false\n[query]\n`,
    },
    {
      it: 'disables the PROXY protocol',
      text: `${both}[advanced]\nhaproxy-protocol=true\n`,
      how: {},
      want: `${both}[advanced]\nhaproxy-protocol=false\n`,
    },
    {
      it: 'disables the PROXY protocol under its earlier name, too',
      text: `${both}[advanced]\nproxy-protocol = true\n`,
      how: {},
      want: `${both}[advanced]\nproxy-protocol = false\n`,
    },
    {
      it: 'enables the PROXY protocol under both names',
      text: `${both}[advanced]\nproxy-protocol = false\n`,
      how: { proxyProtocol: true },
      want: `${both}[advanced]\nhaproxy-protocol = true\nproxy-protocol = true\n`,
    },
    {
      it: 'creates the table after a last line without a line ending',
      text: 'bind = "0.0.0.0:25571"\nshow-max-players = 40',
      how: { proxyProtocol: true },
      want: 'bind = "0.0.0.0:25571"\nshow-max-players = 40\n\n[advanced]\nhaproxy-protocol = true\n',
    },
    {
      it: 'adds a key to an empty table at the end of the file',
      text: `${both}[advanced]`,
      how: { proxyProtocol: true },
      want: `${both}[advanced]\nhaproxy-protocol = true`,
    },
    {
      it: 'adds a key to an inline table',
      text: `${both}advanced = {}\nquery = { port = 1 }\n`,
      how: { proxyProtocol: true },
      want: `${both}advanced = { haproxy-protocol = true }\nquery = { port = 25571 }\n`,
    },
    {
      it: 'adds a key to an inline table that is not empty',
      text: `${both}advanced = {a = 1}\n`,
      how: { proxyProtocol: true },
      want: `${both}advanced = { haproxy-protocol = true,a = 1}\n`,
    },
    {
      it: 'adds a key to dotted names',
      text: `${both}advanced.a = 1\n`,
      how: { proxyProtocol: true },
      want: `${both}advanced.a = 1\nadvanced.haproxy-protocol = true\n`,
    },
  ];
  it.each(set)('$it', ({ text, how, want }) => {
    expect(withVelocityConfig(text, { ...wanted, ...how })).toBe(want);
    expect(withVelocityConfig(want, { ...wanted, ...how })).toBe(want);
  });

  it('rejects text that is not TOML, with the line number in the error', () => {
    const run = () => withVelocityConfig('a = 1\nbind: x\n', wanted);
    expect(run).toThrow(DefaultFileProblem);
    expect(run).toThrow(/^velocity\.toml: line 2 is not valid TOML/);
  });

  const endless: { it: string; text: string }[] = [
    { it: 'deeply nested lists', text: `a = ${'['.repeat(20_000)}${']'.repeat(20_000)}` },
    { it: 'deeply nested tables', text: `${'a={'.repeat(20_000)}${'}'.repeat(20_000)}` },
    { it: 'an endless number', text: `a = ${'1'.repeat(131_000)}` },
  ];
  it.each(endless)('rejects $it', ({ text }) => {
    const run = () => withVelocityConfig(text, wanted);
    expect(run).toThrow(DefaultFileProblem);
    expect(run).toThrow('velocity.toml has a value that is too large or nested too deeply');
  });

  const rootLine = fc.constantFrom(
    '# bind = "x"',
    '',
    'motd = "bind = 1"',
    "bind = 'a:1' # here",
    'show-max-players=7',
    'online-mode = true',
    "text = '''\nshow-max-players = 3\n[query]\n'''",
  );
  const tableLine = fc.constantFrom(
    '[servers]\na = "b:1"',
    '[query]\nport = 1 # q',
    '[advanced]\nbind = "no"',
    '# x',
    '[forced-hosts]',
  );
  const file = fc
    .record({
      root: fc.uniqueArray(rootLine),
      tables: fc.uniqueArray(tableLine),
      end: fc.constantFrom('\n', '\r\n'),
      open: fc.boolean(),
    })
    .map(({ root, tables, end, open }) => {
      const text = [...root, ...tables].join('\n');
      return `${text}${open ? '' : '\n'}`.replaceAll('\n', end);
    });
  const settings = fc.record({
    port: fc.constant(25_571),
    maxPlayers: fc.constant(40),
    proxyProtocol: fc.boolean(),
    forwarding: fc.constantFrom(null, forwarding, { ...forwarding, kind: 'legacy' as const }),
  });
  const read = (text: string) =>
    getStaticTOMLValue(parseTOML(text)) as Record<string, Record<string, unknown>>;

  it("changes only Overworld's settings, as a TOML parser confirms", () => {
    fc.assert(
      fc.property(file, settings, (text, how) => {
        const before = read(text);
        const once = withVelocityConfig(text, how);
        const advanced = { ...before['advanced'], 'haproxy-protocol': true };
        expect(read(once)).toEqual({
          ...before,
          ...(how.proxyProtocol ? { advanced } : {}),
          ...(how.forwarding === null ? {} : { [MODE]: how.forwarding.kind }),
          bind: '0.0.0.0:25571',
          'show-max-players': 40,
          ...(before['query'] === undefined ? {} : { query: { ...before['query'], port: 25571 } }),
        });
        expect(withVelocityConfig(once, how)).toBe(once);
      }),
      { numRuns: 500 },
    );
  });

  it('preserves all other lines byte for byte and in order', () => {
    fc.assert(
      fc.property(file, settings, (text, how) => {
        const linesOf = (of: string) => of.match(/[^\n]*\n|[^\n]+$/g) ?? [];
        const result = linesOf(withVelocityConfig(text, how));
        for (const line of linesOf(text).filter((one) => !/^(?:bind|show-max|port)/.test(one))) {
          // If the last line has no line end, it gets a line end when lines are added after it.
          const at = result.findIndex((now) => (line.endsWith('\n') ? now === line : now.trimEnd() === line));
          expect(at, line).toBeGreaterThanOrEqual(0);
          result.splice(0, at + 1);
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('readVelocityConfig (reads settings in velocity.toml)', () => {
  it("returns the values of the file, and Velocity's defaults for missing values", () => {
    expect(readVelocityConfig('')).toEqual({ checked: true, mode: null, secretFile: 'forwarding.secret' });
    const text =
      'online-mode = false\nplayer-info-forwarding-mode = "BungeeGuard"\nforwarding-secret-file = "./a/../b/s"\n';
    expect(readVelocityConfig(text)).toEqual({ checked: false, mode: 'bungeeguard', secretFile: 'b/s' });
  });
});

describe('newVelocityConfig (creates a minimal velocity.toml)', () => {
  it('sets forwarding and PROXY header as requested', () => {
    const text = newVelocityConfig({
      ...wanted,
      proxyProtocol: true,
      forwarding: { kind: 'modern', secret: 'S3', checked: true },
    });
    expect(read(text)).toMatchObject({
      'player-info-forwarding-mode': 'modern',
      advanced: { 'haproxy-protocol': true },
    });
    expect(text).not.toContain('S3');
  });

  it('contains all settings, so that withVelocityConfig changes nothing', () => {
    const text = newVelocityConfig(wanted);
    expect(read(text)).toMatchObject({ bind: '0.0.0.0:25571', 'show-max-players': 40 });
    expect(withVelocityConfig(text, wanted)).toBe(text);
  });

  function read(text: string): unknown {
    return getStaticTOMLValue(parseTOML(text));
  }
});
