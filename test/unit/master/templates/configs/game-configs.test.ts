import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { DefaultFileProblem } from '#master/templates/default-files/default-files.ts';
import {
  withOldPaperConfig,
  withPaperConfig,
  withSpigotConfig,
} from '#master/templates/configs/game-configs.ts';
import type { Forwarding } from '#master/templates/provision.ts';

const modern: Forwarding = { kind: 'modern', secret: "se'cret", checked: true };
const legacy: Forwarding = { kind: 'legacy', secret: 'unused', checked: true };
const offline = { checked: false };

const writers = { spigot: withSpigotConfig, paper: withPaperConfig, old: withOldPaperConfig };

const MINIMAL = 'proxies:\n  velocity:\n    enabled: true\n    online-mode: true\n';

interface Case {
  readonly it: string;
  readonly file: keyof typeof writers;
  readonly how: Forwarding;
  readonly text: string | null;
  readonly want: string | null;
}

const cases: Case[] = [
  {
    it: 'create a minimal spigot.yml',
    file: 'spigot',
    how: legacy,
    text: null,
    want: 'settings:\n  bungeecord: true\n',
  },
  {
    it: 'enable bungeecord in an existing file and preserve every other byte',
    file: 'spigot',
    how: legacy,
    text: '# Grüße\r\nsettings:\r\n  timeout-time: 60\r\n  bungeecord: false # direct\r\nmessages: {a: b}\r\n',
    want: '# Grüße\r\nsettings:\r\n  timeout-time: 60\r\n  bungeecord: true # direct\r\nmessages: {a: b}\r\n',
  },
  {
    it: 'add bungeecord to settings that lack it',
    file: 'spigot',
    how: legacy,
    text: 'settings:\n    debug: false\n',
    want: 'settings:\n    bungeecord: true\n    debug: false\n',
  },
  {
    it: 'add settings before other keys',
    file: 'spigot',
    how: legacy,
    text: '# mine\ncommands:\n  log: true\n',
    want: '# mine\nsettings:\n  bungeecord: true\ncommands:\n  log: true\n',
  },
  {
    it: 'add settings before the first key of a map if this key has an anchor',
    file: 'spigot',
    how: legacy,
    text: '&log commands: 1\nalias: *log\n',
    want: 'settings:\n  bungeecord: true\n&log commands: 1\nalias: *log\n',
  },
  {
    it: 'add settings before the tag of an empty first key (found by a fuzzer)',
    file: 'spigot',
    how: legacy,
    text: '!!str : 1\n? ',
    want: 'settings:\n  bungeecord: true\n!!str : 1\n? ',
  },
  {
    it: 'add settings before the tag of an empty first key that has a comment after it (found by a fuzzer)',
    file: 'spigot',
    how: legacy,
    text: '!!str : 1\n# x...\n: 1\n',
    want: 'settings:\n  bungeecord: true\n!!str : 1\n# x...\n: 1\n',
  },
  {
    it: 'add settings to a map in braces before its first key if this key has an anchor',
    file: 'spigot',
    how: legacy,
    text: '{ &log commands: 1, alias: *log }\n',
    want: '{ settings: {bungeecord: true}, &log commands: 1, alias: *log }\n',
  },
  {
    it: 'fill empty settings',
    file: 'spigot',
    how: legacy,
    text: 'settings: # none\ncommands: {}\n',
    want: 'settings: {bungeecord: true} # none\ncommands: {}\n',
  },
  {
    it: 'change settings within braces',
    file: 'spigot',
    how: legacy,
    text: '{settings: {}, a: {b: c}}\n',
    want: '{settings: {bungeecord: true}, a: {b: c}}\n',
  },
  {
    it: 'disable bungeecord for modern forwarding',
    file: 'spigot',
    how: modern,
    text: 'settings:\n  bungeecord: true\n',
    want: 'settings:\n  bungeecord: false\n',
  },
  {
    it: 'add nothing that is off by default',
    file: 'spigot',
    how: modern,
    text: 'settings:\n  debug: true\n',
    want: 'settings:\n  debug: true\n',
  },
  { it: 'do not create a file without settings', file: 'spigot', how: modern, text: null, want: null },
  {
    it: "create a minimal paper-global.yml and escape the secret's quotes",
    file: 'paper',
    how: modern,
    text: null,
    want: `${MINIMAL}    secret: 'se''cret'\n`,
  },
  {
    it: "set the three values in Paper's own file",
    file: 'paper',
    how: { ...modern, ...offline },
    text: "_version: 29\nproxies:\n  bungee-cord:\n    online-mode: true\n  proxy-protocol: false\n  velocity:\n    enabled: false\n    online-mode: true\n    secret: ''\nscoreboards: {}\n",
    want: "_version: 29\nproxies:\n  bungee-cord:\n    online-mode: true\n  proxy-protocol: false\n  velocity:\n    enabled: true\n    online-mode: false\n    secret: 'se''cret'\nscoreboards: {}\n",
  },
  {
    it: 'add missing keys at two levels',
    file: 'paper',
    how: modern,
    text: 'proxies:\n  velocity:\n    enabled: true\n',
    want: "proxies:\n  velocity:\n    online-mode: true\n    secret: 'se''cret'\n    enabled: true\n",
  },
  {
    it: 'add a map within braces',
    file: 'paper',
    how: modern,
    text: 'proxies: {proxy-protocol: false}\n',
    want: "proxies: {velocity: {enabled: true, online-mode: true, secret: 'se''cret'}, proxy-protocol: false}\n",
  },
  {
    it: 'fill empty braces with several values',
    file: 'paper',
    how: modern,
    text: 'proxies:\n  velocity: {} # none\n',
    want: "proxies:\n  velocity: {enabled: true, online-mode: true, secret: 'se''cret'} # none\n",
  },
  {
    it: 'fill a file of empty braces',
    file: 'paper',
    how: { ...modern, secret: 'abc' },
    text: '{}\n',
    want: "{proxies: {velocity: {enabled: true, online-mode: true, secret: 'abc'}}}\n",
  },
  {
    it: 'keep a correct secret that is quoted differently',
    file: 'paper',
    how: modern,
    text: `${MINIMAL}    secret: "se'cret"\n`,
    want: `${MINIMAL}    secret: "se'cret"\n`,
  },
  {
    it: 'quote an unquoted secret, which might be read as a number',
    file: 'paper',
    how: { ...modern, secret: '0123e4' },
    text: `${MINIMAL}    secret: 0123e4\n`,
    want: `${MINIMAL}    secret: '0123e4'\n`,
  },
  {
    it: 'disable modern forwarding in an existing file if the network uses legacy forwarding',
    file: 'paper',
    how: legacy,
    text: "proxies:\n  velocity:\n    enabled: true\n    secret: 'theirs'\n",
    want: "proxies:\n  velocity:\n    enabled: false\n    secret: 'theirs'\n",
  },
  { it: 'add nothing if player ids come from Mojang', file: 'paper', how: legacy, text: null, want: null },
  {
    it: 'declare that player ids do not come from Mojang',
    file: 'paper',
    how: { ...legacy, ...offline },
    text: null,
    want: 'proxies:\n  bungee-cord:\n    online-mode: false\n',
  },
  {
    it: 'declare again that player ids come from Mojang',
    file: 'paper',
    how: legacy,
    text: 'proxies:\n  bungee-cord:\n    online-mode: false\n',
    want: 'proxies:\n  bungee-cord:\n    online-mode: true\n',
  },
  {
    it: 'create a minimal paper.yml',
    file: 'old',
    how: { ...modern, ...offline, secret: 'abc' },
    text: null,
    want: "settings:\n  velocity-support:\n    enabled: true\n    online-mode: false\n    secret: 'abc'\n",
  },
  {
    it: 'set player ids and forwarding in paper.yml',
    file: 'old',
    how: { ...legacy, ...offline },
    text: 'settings:\n  bungee-online-mode: true\n  velocity-support:\n    enabled: true\n',
    want: 'settings:\n  bungee-online-mode: false\n  velocity-support:\n    enabled: false\n',
  },
];

describe('functions that write forwarding settings into config files of game servers', () => {
  it.each(cases)('$it', ({ file, how, text, want }) => {
    expect(writers[file](text, how)).toBe(want);
    expect(writers[file](want, how)).toBe(want);
  });

  it.each([
    { it: 'invalid YAML', text: 'settings:\n  - [\n', why: /^spigot\.yml: line \d is not valid YAML/ },
    { it: 'a list', text: '- settings\n', why: /no settings/ },
    {
      it: 'settings that are not a map',
      text: 'settings: yes\n',
      why: /"settings" has no settings of its own/,
    },
    {
      it: 'settings that are a reference',
      text: 'a: &a {b: c}\nsettings: *a\n',
      why: /"settings" has no settings of its own/,
    },
    {
      it: 'a file with a list where a single value belongs',
      text: 'settings:\n  bungeecord: [true]\n',
      why: /not a single value/,
    },
  ])('reject $it', ({ text, why }) => {
    const run = () => withSpigotConfig(text, legacy);
    expect(run).toThrow(DefaultFileProblem);
    expect(run).toThrow(why);
  });

  const scalar = fc.constantFrom('true', 'false', '"true"', '12', "'a # b'", '');
  const line = fc.constantFrom(
    'enabled',
    'online-mode',
    'secret',
    'proxy-protocol',
    'bungeecord',
    'debug',
    'bungee-online-mode',
  );
  const inner = fc.uniqueArray(fc.record({ line, scalar }), { maxLength: 4, selector: (one) => one.line });
  const maps = fc.uniqueArray(
    fc.record({ name: fc.constantFrom('velocity', 'bungee-cord', 'velocity-support', 'other'), inner }),
    { maxLength: 3, selector: ({ name }) => name },
  );
  const file = fc
    .record({
      top: fc.constantFrom('proxies', 'settings', 'x'),
      maps,
      inner,
      step: fc.constantFrom('  ', '    '),
      note: fc.constantFrom('', ' # note'),
      end: fc.constantFrom('\n', '\r\n'),
      before: fc.constantFrom('', '# first\n', 'a: 1\n', '\u00EF\u00BB\u00BF'),
      open: fc.boolean(),
      braces: fc.constantFrom('', ' {}'),
    })
    .map(({ top, maps: below, inner: own, step, note, end, before, open, braces }) => {
      const written = (lines: readonly { readonly line: string; readonly scalar: string }[], depth: string) =>
        lines.map((one) => `${depth}${one.line}: ${one.scalar}${note}`);
      const lines = [
        ...written(own, step),
        ...below.flatMap(({ name, inner: deep }) => [
          `${step}${name}:${deep.length === 0 ? braces : ''}${note}`,
          ...written(deep, step + step),
        ]),
      ];
      const text = `${before}${top}:${note}\n${lines.join('\n')}`;
      return `${text}${open ? '' : '\n'}`.replaceAll('\n', end);
    });
  const forwarding = fc.record({
    kind: fc.constantFrom('legacy', 'modern'),
    secret: fc.string({ unit: fc.constantFrom('a', '1', "'", '"', '\\', ' ', '#', ':'), minLength: 1 }),
    checked: fc.boolean(),
  }) as fc.Arbitrary<Forwarding>;
  const path = fc.constantFrom('spigot', 'paper', 'old');

  /** Returns the parsed file without byte order mark, and with empty maps for missing values. */
  function read(text: string): Record<string, unknown> {
    return (parse(text.replace(/^\u00EF\u00BB\u00BF/, '')) ?? {}) as Record<string, unknown>;
  }

  /** Returns the path and the value of each leaf. */
  function leaves(value: unknown, at = ''): Map<string, unknown> {
    if (typeof value !== 'object' || value === null) return new Map([[at, value]]);
    return new Map(Object.entries(value).flatMap(([key, below]) => [...leaves(below, `${at}/${key}`)]));
  }

  const ours: Record<keyof typeof writers, RegExp> = {
    spigot: /^\/settings\/bungeecord$/,
    paper: /^\/proxies\/(?:velocity\/(?:enabled|online-mode|secret)|bungee-cord\/online-mode)$/,
    old: /^\/settings\/(?:velocity-support\/(?:enabled|online-mode|secret)|bungee-online-mode)$/,
  };

  it('change nothing but forwarding settings, as a YAML parser confirms', () => {
    fc.assert(
      fc.property(file, forwarding, path, (text, how, which) => {
        const once = writers[which](text, how) ?? '';
        expect(writers[which](once, how)).toBe(once);
        const [before, after] = [leaves(read(text)), leaves(read(once))];
        const isOurs = (name: string) => ours[which].test(name);
        const others = (all: Map<string, unknown>) =>
          // Skip empty values, because Overworld may have added its settings to them.
          [...all].filter(([name, value]) => !isOurs(name) && value !== null && value !== '');
        expect(others(after)).toEqual(others(before));
        const isOn = (name: string) => after.get(name) === true;
        const [bungee, velocity, id] =
          which === 'spigot'
            ? [isOn('/settings/bungeecord'), false, how.checked]
            : which === 'paper'
              ? [
                  false,
                  isOn('/proxies/velocity/enabled'),
                  after.get('/proxies/bungee-cord/online-mode') ?? true,
                ]
              : [
                  false,
                  isOn('/settings/velocity-support/enabled'),
                  after.get('/settings/bungee-online-mode') ?? true,
                ];
        expect([bungee, velocity]).toEqual([
          which === 'spigot' && how.kind === 'legacy',
          which !== 'spigot' && how.kind === 'modern',
        ]);
        if (how.kind === 'legacy') expect(id).toBe(how.checked);
        if (velocity) {
          const top = which === 'paper' ? '/proxies/velocity' : '/settings/velocity-support';
          expect(after.get(`${top}/secret`)).toBe(how.secret);
          expect(after.get(`${top}/online-mode`)).toBe(how.checked);
        }
      }),
      { numRuns: 500 },
    );
  });

  it('preserve all other lines and their order', () => {
    fc.assert(
      fc.property(file, forwarding, path, (text, how, which) => {
        const once = writers[which](text, how) ?? '';
        const shape = (of: string) =>
          of
            .replace(/^\u00EF\u00BB\u00BF/, '')
            .replace(/(?<=(?:enabled|online-mode|secret|bungeecord):).*?(?= # note|\r?$)/gm, '·')
            .split(/\r?\n/);
        const left = shape(once);
        for (const one of shape(text)) {
          // Overworld fills an empty map on the same line.
          const start = one.replace(/(?: {})?(?: # note)?$/, '');
          const at = left.findIndex((now) => now === one || now.startsWith(`${start} {`));
          expect(at, `${one} in ${once}`).toBeGreaterThanOrEqual(0);
          left.splice(0, at + 1);
        }
      }),
      { numRuns: 500 },
    );
  });
});
