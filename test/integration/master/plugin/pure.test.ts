import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Backend } from '#shared/link/messages.ts';
import { startPluginDriver, type PluginDriver } from '#test/support/link/plugin-driver.ts';
import { backendOf } from '#test/support/master/scripted-master.ts';

let driver: PluginDriver;
beforeAll(async () => {
  driver = await startPluginDriver();
});
afterAll(() => driver.close());

/**
 * Passes texts through the plugin's JSON reader and writer. Returns the values. The value of a rejected text is
 * `undefined`.
 */
async function throughPlugin(texts: readonly string[]): Promise<unknown[]> {
  const results = (await driver.ask('json', { texts })) as { json?: string; error?: string }[];
  return results.map(({ json }) => (json === undefined ? undefined : withOneZero(JSON.parse(json))));
}

/** Replaces -0 with 0, because the plugin's integers have no negative zero. */
function withOneZero(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value)) as unknown;
}

/** Parses a text with Node.js. Rejects numbers beyond the range of doubles, which Node.js reads as infinity. */
function throughNode(text: string): unknown {
  try {
    const infinite: unknown[] = [];
    const value: unknown = JSON.parse(text, (_key, item: unknown) => {
      if (item === Infinity || item === -Infinity) infinite.push(item);
      return item;
    });
    return infinite.length === 0 ? withOneZero(value) : undefined;
  } catch {
    return undefined;
  }
}

const anyText = fc.oneof(
  fc.string({ unit: 'grapheme' }),
  fc.string({ unit: 'binary' }),
  // Adds lone surrogates, control characters and characters that JSON escapes.
  fc
    .array(fc.constantFrom('\ud800', '\udfff', '\u0000', '\u001f', '\u007f', '"', '\\', '/', 'a'))
    .map((x) => x.join('')),
);

describe('the JSON parser of the plugin', () => {
  it('reads and writes everything that JSON.stringify can write', async () => {
    const value = fc.letrec((tie) => ({
      leaf: fc.oneof(
        anyText,
        fc.integer(),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.boolean(),
        fc.constant(null),
      ),
      node: fc.oneof(
        { depthSize: 'small', maxDepth: 8 },
        tie('leaf'),
        fc.array(tie('node'), { maxLength: 5 }),
        fc.dictionary(
          anyText.filter((key) => key !== '__proto__'),
          tie('node'),
          { maxKeys: 5 },
        ),
      ),
    })).node;
    await fc.assert(
      fc.asyncProperty(
        fc.array(value, { maxLength: 40 }),
        fc.constantFrom(undefined, 1),
        async (all, space) => {
          const texts = all.map((whole) => JSON.stringify(whole, null, space));
          expect(await throughPlugin(texts)).toEqual(texts.map(throughNode));
        },
      ),
      { numRuns: 40 },
    );
  });

  it('accepts randomly changed JSON exactly if the parser of Node.js accepts it', async () => {
    const pieces = [
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a"',
      '1',
      '-',
      '0',
      '.',
      'e',
      '+',
      'true',
      'null',
      'nul',
      ' ',
      '\t',
      '\u000b',
      '\\',
      '\\u00',
      'é',
      '\u0000',
      '01',
      '1.5',
      '1e3',
      '"\\n"',
    ];
    const broken = fc.array(fc.constantFrom(...pieces), { maxLength: 8 }).map((all) => all.join(''));
    await fc.assert(
      fc.asyncProperty(fc.array(broken, { minLength: 50, maxLength: 100 }), async (texts) => {
        expect(await throughPlugin(texts)).toEqual(texts.map(throughNode));
      }),
      { numRuns: 40, examples: [[['-0', '[-0.0]', '-01', '-']]] },
    );
  });

  it.each([
    ['a duplicate key', '{"a":1,"a":2}'],
    ['more nesting than any message has', `${'['.repeat(17)}1${']'.repeat(17)}`],
    ['nesting that would exhaust the stack', '['.repeat(100_000)],
    ['two values', '{} {}'],
    ['an empty text', ''],
    ['an invalid number', '-'],
    ['digits of another script in an escape', '"\\u00６１"'],
  ])('rejects %s', async (_what, text) => {
    expect(await throughPlugin([text])).toEqual([undefined]);
  });

  it('accepts a nesting of 16 levels, and numbers as large as a timestamp in milliseconds', async () => {
    const deep = `${'['.repeat(16)}1${']'.repeat(16)}`;
    const large = '[1799999999999,-99999999999999]';
    expect(await throughPlugin([deep, large])).toEqual([deep, large].map(throughNode));
  });
});

interface Choice {
  readonly backends: readonly Backend[];
  readonly excluded?: readonly string[];
  readonly permissions?: readonly string[];
}

describe('the fallback that the plugin chooses for a player', () => {
  const lobby = (id: string, players: number, changes: Partial<Backend> = {}): Backend =>
    backendOf(id, { players, maxPlayers: 10, ...changes });

  it.each<[string, Choice, string | null]>([
    ['does not exist if no server runs', { backends: [] }, null],
    [
      'is the fullest server that has room',
      { backends: [lobby('lobby-1', 2), lobby('lobby-2', 9), lobby('lobby-3', 10)] },
      'lobby-2',
    ],
    [
      'is the server with the lowest number, compared numerically, among equally full servers',
      { backends: [lobby('lobby-10', 3), lobby('lobby-2', 3)] },
      'lobby-2',
    ],
    [
      'is the server with the lowest number if all servers are empty',
      { backends: [lobby('lobby-3', 0), lobby('lobby-1', 0)] },
      'lobby-1',
    ],
    [
      'is the server of the alphabetically first template among equally full servers',
      { backends: [lobby('zoo-1', 0), lobby('lobby-7', 0)] },
      'lobby-7',
    ],
    [
      'is the server with the largest share of used slots, not the server with the most players',
      { backends: [lobby('lobby-1', 3), lobby('lobby-2', 6, { maxPlayers: 30 })] },
      'lobby-1',
    ],
    [
      'is the server in use that is below its fill level, not the empty one',
      { backends: [lobby('lobby-1', 0), lobby('lobby-2', 7, { fillLevel: 8 })] },
      'lobby-2',
    ],
    [
      'is the empty server once the server in use has reached its fill level',
      { backends: [lobby('lobby-1', 8, { fillLevel: 8 }), lobby('lobby-2', 0, { fillLevel: 8 })] },
      'lobby-2',
    ],
    [
      'is a server below its fill level, not a fuller server above its fill level',
      { backends: [lobby('lobby-1', 9, { fillLevel: 8 }), lobby('lobby-2', 1, { fillLevel: 8 })] },
      'lobby-2',
    ],
    [
      'is the server with the most room if all servers are above their fill levels',
      { backends: [lobby('lobby-1', 9, { fillLevel: 8 }), lobby('lobby-2', 8, { fillLevel: 8 })] },
      'lobby-2',
    ],
    [
      'is the server with the last free slot if all other servers are full',
      { backends: [lobby('lobby-1', 9, { fillLevel: 8 }), lobby('lobby-2', 10, { fillLevel: 8 })] },
      'lobby-1',
    ],
    [
      'is never a server that is not a fallback',
      { backends: [lobby('game-1', 5, { fallback: false })] },
      null,
    ],
    [
      'is never a server that is closing',
      { backends: [lobby('lobby-1', 5, { open: false }), lobby('lobby-2', 0)] },
      'lobby-2',
    ],
    ['does not exist if all servers are full', { backends: [lobby('lobby-1', 10)] }, null],
    ['does not exist if no server has slots', { backends: [lobby('lobby-1', 0, { maxPlayers: 0 })] }, null],
    [
      'is not the server that was just lost',
      { backends: [lobby('lobby-1', 9), lobby('lobby-2', 0)], excluded: ['lobby-1'] },
      'lobby-2',
    ],
    [
      'does not exist if the only server was just lost',
      { backends: [lobby('lobby-1', 9)], excluded: ['lobby-1'] },
      null,
    ],
    [
      'is not the fuller server if this server requires a permission that the player lacks',
      { backends: [lobby('vip-1', 9, { permission: 'vip' }), lobby('lobby-1', 0)] },
      'lobby-1',
    ],
    [
      'is the fuller server if the player has the permission that this server requires',
      { backends: [lobby('vip-1', 9, { permission: 'vip' }), lobby('lobby-1', 0)], permissions: ['vip'] },
      'vip-1',
    ],
  ])('%s', async (_what, { backends, excluded = [], permissions = [] }, wanted) => {
    expect(await driver.ask('choose', { backends, excluded, permissions })).toBe(wanted);
  });
});

describe('the first server that Velocity chooses for a player', () => {
  const configured = { address: 'vault.test', servers: ['Vault-1', 'vault-2'] };

  it.each([
    ['is a forced host if the configuration assigns it to the typed address', 'vault.test', 'vault-2', true],
    ['is a forced host if the address was typed with capital letters', 'Vault.TEST', 'vault-2', true],
    ['is a forced host if its name is configured with capital letters', 'vault.test', 'vault-1', true],
    ['is no forced host if another server is assigned to the address', 'vault.test', 'lobby-1', false],
    ['is no forced host if no server is assigned to the address', 'play.test', 'vault-2', false],
  ])('%s', async (...[, host, server, wanted]) => {
    expect(await driver.ask('is-forced', { ...configured, host, server })).toBe(wanted);
  });
});

describe('the delays before the plugin connects again', () => {
  /** Expects these maximums of the delays after attempts of this kind. Each delay is at least half of its maximum. */
  async function expectDelays(attempts: readonly string[], most: readonly number[]): Promise<number[]> {
    const delays = (await driver.ask('delays', { attempts })) as number[];
    expect(delays).toHaveLength(most.length);
    for (const [index, ms] of delays.entries()) {
      expect(ms).toBeGreaterThanOrEqual((most[index] ?? 0) / 2);
      expect(ms).toBeLessThanOrEqual(most[index] ?? 0);
    }
    return delays;
  }
  const growing = [250, 500, 1_000, 2_000, 4_000, 8_000, 10_000, 10_000, 10_000];

  it('double from 0.25 s to 10 s, contain a random part, and begin at 0.25 s again after a success', async () => {
    const attempts = [...growing.map(() => 'rejected'), 'linked', 'rejected'];
    const runs = Array.from({ length: 20 }, () => expectDelays(attempts, [...growing, 250, 500]));
    const sixths = (await Promise.all(runs)).map((delays) => delays[5]);
    expect(new Set(sixths).size).toBeGreaterThan(10);
  });

  it.each([
    ['hangs and never welcomes the plugin', 'hung'],
    ['welcomes the plugin but closes the connection soon', 'cut off'],
    ['sends a message that the plugin cannot read, even after several seconds', 'unreadable'],
  ])('also double up to 10 s while the master %s', async (_what, attempt) => {
    const repeated = growing.map(() => attempt);
    expect(await expectDelays(repeated, growing)).toHaveLength(growing.length);
  });
});
