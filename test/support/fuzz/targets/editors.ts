import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { getProperties } from 'properties-file';
import { getStaticTOMLValue, parseTOML } from 'toml-eslint-parser';
import { parse } from 'yaml';
import { withBungeeConfig } from '#master/templates/configs/bungee-config.ts';
import {
  withOldPaperConfig,
  withPaperConfig,
  withSpigotConfig,
} from '#master/templates/configs/game-configs.ts';
import { withServerProperties } from '#master/templates/configs/server-properties.ts';
import { withVelocityConfig } from '#master/templates/configs/velocity-config.ts';
import { DefaultFileProblem } from '#master/templates/default-files/default-files.ts';
import { fuzzer, type FuzzTarget } from '../target.ts';

const forwarding = { kind: 'modern', secret: 'S3', checked: true } as const;
const proxy = { port: 25_571, maxPlayers: 40, proxyProtocol: true, forwarding };

/** UTF-8 byte order mark in a latin1 text. */
const MARK = '\u00EF\u00BB\u00BF';

/** Editor of one file, with words that such files contain. */
interface Editor {
  readonly file: string;
  readonly edit: (text: string) => string | null;
  /** Returns all settings except those that the editor sets. Throws if the text cannot be read. */
  readonly others: (text: string) => unknown;
  readonly words: readonly string[];
}

const yamlWords = [
  '- ',
  ': ',
  '  ',
  '    ',
  '{',
  '}',
  '[',
  ']',
  ', ',
  '&a ',
  '*a',
  '<<',
  '|\n',
  '>-\n',
  '---\n',
  '...\n',
  '# x',
  '!!str ',
  '? ',
  '%YAML 1.1\n',
  '"',
  "'",
  '\t',
];
const tomlWords = [
  ' = ',
  '.',
  '[',
  ']',
  '[[',
  ']]',
  '{',
  '}',
  ', ',
  '"""',
  "'''",
  '"',
  "'",
  '# x',
  '1979-05-27',
  '0x1',
  'inf',
  '\\u00e9',
  '\\',
];

const editors: readonly Editor[] = [
  {
    file: 'server.properties',
    edit: (text) => withServerProperties(text, { port: 25_571, maxPlayers: 40, onlineMode: 'false' }),
    others: (text) =>
      without(getProperties(text), ['server-port', 'max-players', 'online-mode', 'query.port']),
    words: [
      'server-port',
      'max-players',
      'online-mode',
      'query.port',
      '=',
      ' : ',
      '\\',
      '\\u00',
      '\\u002d',
      '#',
      '!',
      'motd',
    ],
  },
  {
    file: 'velocity.toml',
    edit: (text) => withVelocityConfig(text, proxy),
    others: (text) => {
      const { advanced, query, ...root } = getStaticTOMLValue(parseTOML(text.replace(MARK, ''))) as Record<
        string,
        object
      >;
      return [
        without(root, ['bind', 'show-max-players', 'player-info-forwarding-mode', 'forwarding-secret-file']),
        without(advanced, ['haproxy-protocol']),
        without(query, ['port']),
      ];
    },
    words: [
      'bind',
      'show-max-players',
      'player-info-forwarding-mode',
      'forwarding-secret-file',
      'advanced',
      'haproxy-protocol',
      'query',
      'port',
      'true',
      '12',
      ...tomlWords,
    ],
  },
  {
    file: 'config.yml',
    edit: (text) => withBungeeConfig(text, proxy),
    others: (text) => {
      const root = without(readYaml(text), ['ip_forward', 'connection_throttle']);
      const [first, ...more] = Array.isArray(root['listeners']) ? (root['listeners'] as unknown[]) : [];
      const listener = without(isMap(first) ? first : {}, [
        'host',
        'max_players',
        'query_port',
        'proxy_protocol',
      ]);
      return [without(root, ['listeners']), listener, more];
    },
    words: [
      'listeners:',
      'host',
      'max_players',
      'query_port',
      'ip_forward',
      'IP_Forward',
      'connection_throttle',
      'proxy_protocol',
      '0.0.0.0:1',
      'true',
      ...yamlWords,
    ],
  },
  {
    file: 'spigot.yml',
    edit: (text) => withSpigotConfig(text, { ...forwarding, kind: 'legacy' }),
    others: (text) => {
      const { settings, ...root } = readYaml(text);
      return [root, without(isMap(settings) ? settings : {}, ['bungeecord'])];
    },
    words: ['settings', 'bungeecord', 'true', 'false', 'x', ...yamlWords],
  },
  {
    file: 'paper-global.yml',
    edit: (text) => withPaperConfig(text, forwarding),
    others: (text) => without(readYaml(text), ['proxies']),
    words: [
      'proxies',
      'velocity',
      'bungee-cord',
      'enabled',
      'online-mode',
      'secret',
      'true',
      "''",
      ...yamlWords,
    ],
  },
  {
    file: 'paper.yml',
    edit: (text) => withOldPaperConfig(text, forwarding),
    others: (text) => without(readYaml(text), ['settings']),
    words: ['settings', 'velocity-support', 'enabled', 'online-mode', 'secret', 'true', "''", ...yamlWords],
  },
];

/** Returns the root of a YAML file. Throws if the root is not a map. */
function readYaml(text: string): object & Record<string, unknown> {
  const root: unknown = parse(text.replace(MARK, '')) ?? {};
  if (!isMap(root)) throw new Error('the file is no map');
  return root;
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns a map without these keys, in upper or lower case. */
function without(map: object | undefined, keys: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(Object.entries(map ?? {}).filter(([key]) => !keys.includes(key.toLowerCase())));
}

/**
 * Returns an arbitrary of texts that look like a file of the editor: its words, line ends and random bytes (latin1)
 * in random order.
 */
function textOf({ words }: Editor): fc.Arbitrary<string> {
  const piece = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...words) },
    { weight: 4, arbitrary: fc.constantFrom('\n', '\n', '\r\n', '\r', ' ', 'a', '1') },
    {
      weight: 1,
      arbitrary: fc.string({
        unit: fc.integer({ min: 0, max: 255 }).map((code) => String.fromCharCode(code)),
        maxLength: 3,
      }),
    },
  );
  const line = fc
    .tuple(
      fc.constantFrom('', '  ', '- '),
      fc.constantFrom(...words),
      fc.constantFrom(': ', ' = ', '=', ':\n  '),
      fc.constantFrom('1', 'true', 'a', "'b'", ''),
    )
    .map((parts) => `${parts.join('')}\n`);
  return fc
    .tuple(fc.constantFrom('', MARK), fc.array(fc.oneof(piece, line), { maxLength: 14 }))
    .map(([mark, pieces]) => mark + pieces.join(''));
}

/** Returns the edited text, or null if the editor refuses the text. Throws all other errors. */
function edited({ edit }: Editor, text: string): string | null {
  try {
    return edit(text);
  } catch (error) {
    if (error instanceof DefaultFileProblem) return null;
    throw error;
  }
}

function readable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}

/**
 * Targets that fuzz the editors of files of game servers and proxies. People and plugins can write arbitrary text to
 * these files.
 */
export const editorTargets: readonly FuzzTarget[] = editors.map((editor) => ({
  name: `the editor of ${editor.file}`,
  runs: { change: 2_000, night: 20_000 },
  msPerRun: 40,
  mostGrowthMb: 300,
  open: () => ({
    fuzz: fuzzer(textOf(editor), (text) => {
      const once = edited(editor, text);
      if (once === null) return;
      strictEqual(edited(editor, once), once);
      const before = readable(() => editor.others(text));
      if (before !== undefined) deepStrictEqual(editor.others(once), before);
    }),
  }),
}));
