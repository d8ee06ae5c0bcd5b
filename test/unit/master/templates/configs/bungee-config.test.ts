import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DefaultFileProblem } from '#master/templates/default-files/default-files.ts';
import { bungeeChecksPlayers, withBungeeConfig } from '#master/templates/configs/bungee-config.ts';
import { cpuTimeOf } from '#test/support/cpu-time.ts';

const wanted = { port: 25571, maxPlayers: 40, proxyProtocol: false };

/** A file as BungeeCord writes it, with additions of an admin. */
const WRITTEN_BY_BUNGEECORD = `connection_throttle: 4000
listeners:
- query_port: 25577
  motd: '&1Another Bungee server'
  tab_list: GLOBAL_PING
  query_enabled: false
  proxy_protocol: false
  forced_hosts:
    pvp.example.org: pvp
  ping_passthrough: false
  priorities:
  - lobby
  bind_local_address: true
  host: 0.0.0.0:25577
  max_players: 1
  tab_size: 60
  force_default_server: false
# for the office
- host: 10.0.0.1:25590
  max_players: 3
  query_port: 25590
ip_forward: false
online_mode: true
servers:
  lobby:
    motd: 'Hellö' # kept as it is
    address: localhost:25565
`;

describe('bungeeChecksPlayers (reads online_mode in config.yml of BungeeCord)', () => {
  it.each([
    ['', true],
    ['online_mode: true\n', true],
    ['Online_Mode: no\n', false],
    ['online_mode: true\nonline_mode: "false"\n', false],
    ['listeners:\n- online_mode: false\n', true],
  ])('returns for %j: %s', (text, want) => {
    expect(bungeeChecksPlayers(text)).toBe(want);
  });
});

describe('withBungeeConfig (changes settings in config.yml of BungeeCord)', () => {
  it('changes the first listener, and no other byte', () => {
    expect(withBungeeConfig(WRITTEN_BY_BUNGEECORD, wanted)).toBe(
      WRITTEN_BY_BUNGEECORD.replace('query_port: 25577', 'query_port: 25571')
        .replace('host: 0.0.0.0:25577', 'host: 0.0.0.0:25571')
        .replace('max_players: 1\n', 'max_players: 40\n')
        .replace('ip_forward: false', 'ip_forward: true'),
    );
  });

  const listener = 'ip_forward: true\nlisteners:\n- host: 0.0.0.0:25571\n  max_players: 40\n';
  const cases: { it: string; text: string; want: string }[] = [
    { it: 'creates a minimal file', text: '', want: listener },
    { it: 'keeps the comments of an empty file', text: '# later', want: `# later\n${listener}` },
    {
      it: 'adds missing keys before the first key',
      text: 'online_mode: false\nlisteners:\n  -   motd: Hi # here\n',
      want: 'ip_forward: true\nonline_mode: false\nlisteners:\n  -   host: 0.0.0.0:25571\n      max_players: 40\n      motd: Hi # here\n',
    },
    {
      it: 'keeps Windows line endings',
      text: 'a: 1\r\nlisteners:\r\n- motd: Hi\r\n  host: x:1\r\n',
      want: 'ip_forward: true\r\na: 1\r\nlisteners:\r\n- max_players: 40\r\n  motd: Hi\r\n  host: 0.0.0.0:25571\r\n',
    },
    {
      it: 'fills keys without a value, before their comments',
      text: 'ip_forward:\nlisteners:\n- host:\n  max_players: # how many?\n',
      want: 'ip_forward: true\nlisteners:\n- host: 0.0.0.0:25571\n  max_players: 40 # how many?\n',
    },
    {
      it: 'creates a listener if there is none',
      text: 'ip_forward: true\nlisteners: []\n',
      want: "ip_forward: true\nlisteners: [{host: '0.0.0.0:25571', max_players: 40}]\n",
    },
    {
      it: 'creates a listener if "listeners" is empty',
      text: 'ip_forward: true\nlisteners:\n',
      want: "ip_forward: true\nlisteners: [{host: '0.0.0.0:25571', max_players: 40}]\n",
    },
    {
      it: 'keeps braces, and the quotes of keys',
      text: '{"ip_forward": "no", listeners: [{host: "a:1"}, {host: "b:2"}]}\n',
      want: '{"ip_forward": true, listeners: [{max_players: 40, host: \'0.0.0.0:25571\'}, {host: "b:2"}]}\n',
    },
    {
      it: "ignores the case of the root's keys, as BungeeCord does",
      text: 'IP_Forward: no\nListeners:\n- host: a:1\n  max_players: 2\n',
      want: 'IP_Forward: true\nListeners:\n- host: 0.0.0.0:25571\n  max_players: 40\n',
    },
    {
      it: 'sets all occurrences of a repeated key',
      text: 'ip_forward: false\nip_forward: false\nlisteners:\n- host: a:1\n  host: b:1\n  max_players: 40\n',
      want: 'ip_forward: true\nip_forward: true\nlisteners:\n- host: 0.0.0.0:25571\n  host: 0.0.0.0:25571\n  max_players: 40\n',
    },
    {
      it: 'removes quotes from numbers and booleans, but not from a host',
      text: 'ip_forward: "true"\nlisteners:\n- host: "0.0.0.0:25571"\n  max_players: \'40\'\n',
      want: 'ip_forward: true\nlisteners:\n- host: "0.0.0.0:25571"\n  max_players: 40\n',
    },
    {
      it: 'overrides merged and referenced values',
      text: 'limit: &limit 9\nip_forward: true\nlisteners:\n- <<: {host: a:1}\n  max_players: *limit\n',
      want: 'limit: &limit 9\nip_forward: true\nlisteners:\n- host: 0.0.0.0:25571\n  <<: {host: a:1}\n  max_players: 40\n',
    },
    {
      it: 'keeps a byte order mark',
      text: '\u00EF\u00BB\u00BFip_forward: false\nlisteners:\n- host: a:1\n  max_players: 1\n',
      want: '\u00EF\u00BB\u00BFip_forward: true\nlisteners:\n- host: 0.0.0.0:25571\n  max_players: 40\n',
    },
  ];
  it.each(cases)('$it', ({ text, want }) => {
    expect(withBungeeConfig(text, wanted)).toBe(want);
    expect(withBungeeConfig(want, wanted)).toBe(want);
  });

  const behind = { ...wanted, proxyProtocol: true };
  const unthrottled = listener.replace('\n', '\nconnection_throttle: -1\n');
  const made = `${unthrottled}  proxy_protocol: true\n`;
  it.each([
    { it: 'creates a minimal file that expects PROXY headers', how: behind, text: '', want: made },
    {
      it: 'adds the PROXY protocol',
      how: behind,
      text: unthrottled,
      want: unthrottled.replace('- host', '- proxy_protocol: true\n  host'),
    },
    {
      it: 'switches the throttle off that would count all players as the load balancer',
      how: behind,
      text: made.replace('throttle: -1', 'throttle: 4000 # ms'),
      want: made.replace('throttle: -1', 'throttle: -1 # ms'),
    },
    {
      it: 'keeps the throttle if players connect directly',
      how: wanted,
      text: `connection_throttle: 4000\n${listener}`,
      want: `connection_throttle: 4000\n${listener}`,
    },
    {
      it: 'adds keys before the anchor of the first key',
      how: wanted,
      text: 'ip_forward: true\nlisteners:\n- &k motd: a\n  host: 0.0.0.0:25571\n',
      want: 'ip_forward: true\nlisteners:\n- max_players: 40\n  &k motd: a\n  host: 0.0.0.0:25571\n',
    },
    {
      it: 'enables the PROXY protocol',
      how: behind,
      text: made.replace('protocol: true', 'protocol: false # no'),
      want: made.replace('protocol: true', 'protocol: true # no'),
    },
    {
      it: 'disables the PROXY protocol',
      how: wanted,
      text: made,
      want: made.replace('protocol: true', 'protocol: false'),
    },
    {
      it: 'creates a listener that expects PROXY headers',
      how: behind,
      text: 'ip_forward: true\nconnection_throttle: -1\nlisteners: []\n',
      want: "ip_forward: true\nconnection_throttle: -1\nlisteners: [{host: '0.0.0.0:25571', max_players: 40, proxy_protocol: true}]\n",
    },
    {
      it: 'fills empty quotes',
      how: wanted,
      text: "ip_forward: true\nlisteners:\n- host: ''\n  max_players: 40\n",
      want: listener,
    },
  ])('$it', ({ how, text, want }) => {
    expect(withBungeeConfig(text, how)).toBe(want);
    expect(withBungeeConfig(want, how)).toBe(want);
  });

  const refused: { it: string; text: string; why: RegExp }[] = [
    {
      it: 'invalid YAML and names the line',
      text: 'a: 1\nb: [1\nc: 2\n',
      why: /^config\.yml: line \d is not valid YAML/,
    },
    { it: 'two documents', text: 'a: 1\n---\nb: 2\n', why: /line 2/ },
    { it: 'a list', text: '- a\n', why: /no settings/ },
    { it: 'listeners that are not a list', text: 'listeners: 5\n', why: /"listeners" is not a list/ },
    {
      it: 'a first listener that is a reference',
      text: 'x: &x {host: a}\nlisteners:\n- *x\n',
      why: /first listener/,
    },
    {
      it: 'a host that is a list',
      text: 'listeners:\n- host: [a]\n  max_players: 1\n',
      why: /"host" is not a single value/,
    },
  ];
  it.each(refused)('rejects $it', ({ text, why }) => {
    const run = () => withBungeeConfig(text, wanted);
    expect(run).toThrow(DefaultFileProblem);
    expect(run).toThrow(why);
  });

  // An earlier version copied the line of each mistake out of the text, which took 40 s.
  it('rejects a line with many syntax errors in a short time', () => {
    const refuse = () => withBungeeConfig(`a: [${','.repeat(131_068)}`, wanted);
    expect(cpuTimeOf(() => expect(refuse).toThrow(/line 1 is not valid YAML/))).toBeLessThan(15_000);
  });

  const other = fc.constantFrom(
    'motd: "a # b"',
    "motd: '&1x: y'",
    'tab_size: 60 # sixty',
    'priorities:\n  - lobby\n  # second\n  - game',
    'forced_hosts: {a.b: c}',
    'text: |\n    host: no\n\n    max_players: 1',
    'long: a\n    host b',
  );
  const ours = fc.constantFrom('host: 0.0.0.0:1', 'host: "1:2" # ours', 'max_players: 7', 'query_port: 3');
  const root = fc.constantFrom(
    'online_mode: false',
    'ip_forward: no',
    '# comment',
    'servers:\n  a: {address: b}',
    '',
  );
  const file = fc
    .record({
      before: fc.uniqueArray(root),
      lines: fc.uniqueArray(fc.oneof(other, ours), {
        minLength: 1,
        maxLength: 6,
        selector: (line) => line.split(':', 1)[0],
      }),
      second: fc.boolean(),
      after: fc.uniqueArray(fc.constantFrom('timeout: 1', '# end', 'log_pings: yes')),
      end: fc.constantFrom('\n', '\r\n'),
      open: fc.boolean(),
    })
    .map(({ before, lines, second, after, end, open }) => {
      const text = [
        ...before,
        'listeners:',
        `- ${lines.join('\n  ')}`,
        ...(second ? ['- host: z:9', '  max_players: 9', '  query_port: 9'] : []),
        ...after,
      ].join('\n');
      return `${text}${open ? '' : '\n'}`.replaceAll('\n', end);
    });

  it("changes only Overworld's settings, as a YAML parser confirms", () => {
    fc.assert(
      fc.property(file, (text) => {
        const before = parse(text) as { listeners: Record<string, unknown>[] };
        const [first = {}, ...others] = before.listeners;
        const want = { host: '0.0.0.0:25571', max_players: 40 };
        const query = 'query_port' in first ? { query_port: 25571 } : {};
        expect(parse(withBungeeConfig(text, wanted))).toEqual({
          ...before,
          ip_forward: true,
          listeners: [{ ...first, ...want, ...query }, ...others],
        });
      }),
      { numRuns: 500 },
    );
  });

  it("changes only Overworld's settings in any file, and nothing when applied again", () => {
    fc.assert(
      fc.property(file, (text) => {
        const once = withBungeeConfig(text, wanted);
        expect(withBungeeConfig(once, wanted)).toBe(once);
        const values = /(?<=(?:host|max_players|query_port|ip_forward): )[^ \r\n]+/g;
        const shape = (of: string) => of.replace(values, '·').split('\n');
        const added = [...shape(once)];
        for (const line of shape(text)) {
          // Text after "- " may have moved to a separate line.
          const at = added.findIndex((now) => now === line || now === line.replace(/^-/, ' '));
          expect(at, line).toBeGreaterThanOrEqual(0);
          added.splice(0, at + 1);
        }
      }),
      { numRuns: 500 },
    );
  });
});
