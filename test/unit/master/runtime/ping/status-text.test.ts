import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseStatusText } from '#master/runtime/ping/status-text.ts';

const usual = {
  version: { name: 'Paper 1.21.4', protocol: 769 },
  players: { max: 20, online: 3, sample: [{ name: 'Steve', id: '00000000-0000-0000-0000-000000000000' }] },
  description: 'Hello',
};

function motdOf(description: unknown): unknown {
  const status = parseStatusText(JSON.stringify({ ...usual, description }));
  return typeof status === 'string' ? status : status.motd;
}

describe('parseStatusText (JSON in the answer to a status ping)', () => {
  it('reads a normal answer, and ignores unknown fields', () => {
    expect(
      parseStatusText(JSON.stringify({ ...usual, favicon: 'data:…', modinfo: { type: 'FML' } })),
    ).toEqual({
      players: { online: 3, max: 20 },
      version: 'Paper 1.21.4',
      protocol: 769,
      motd: 'Hello',
    });
  });

  it.each([
    ['a text', 'A server', 'A server'],
    ['a component', { text: 'A ', extra: [{ text: 'red', color: 'red' }, ' server'] }, 'A red server'],
    ['a list', ['A ', { text: 'server' }], 'A server'],
    ['colour codes', '§aGreen §lserver§r', 'Green server'],
    ['two lines', 'one\ntwo', 'one\ntwo'],
    ['control characters', 'a\u001b[31mb\u0000\rc', 'a[31mbc'],
    ['no content', undefined, ''],
    ['a number', 7, ''],
  ])('returns as plain text a description with %s', (_, description, want) => {
    expect(motdOf(description)).toBe(want);
  });

  it('limits the length and the nesting of a description', () => {
    expect(motdOf('x'.repeat(100_000))).toHaveLength(512);
    const deep = `${'{"extra":['.repeat(20_000)}"bottom"${']}'.repeat(20_000)}`;
    const text = JSON.stringify({ ...usual, description: '' }).replace(
      '"description":""',
      `"description":${deep}`,
    );
    expect(parseStatusText(text)).toMatchObject({ motd: '' });
  });

  // The sum of the players on all servers must stay a valid number, even if a single server reports a huge number.
  it('limits player counts to the maximum', () => {
    const players = { online: Number.MAX_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER };
    expect(parseStatusText(JSON.stringify({ ...usual, players }))).toMatchObject({
      players: { online: 2_147_483_647, max: 2_147_483_647 },
    });
    const none = { online: 0, max: -1 };
    expect(parseStatusText(JSON.stringify({ ...usual, players: none }))).toMatchObject({ players: none });
  });

  it.each([
    ['missing players', { ...usual, players: undefined }],
    ['players that are null', { ...usual, players: null }],
    ['a negative count', { ...usual, players: { online: -1, max: 20 } }],
    ['a fractional count', { ...usual, players: { online: 0.5, max: 20 } }],
    ['a count that is text', { ...usual, players: { online: '3', max: 20 } }],
  ])('returns no player count for %s', (_, status) => {
    expect(parseStatusText(JSON.stringify(status))).toBe('no player count');
  });

  it.each([
    ['', 'nothing'],
    ['{', 'half JSON'],
    ['[]', 'a list'],
    ['null', 'null'],
    ['{"players":{"online":0,"max":1}}', 'no version'],
  ])('rejects %j (%s)', (text) => {
    expect(parseStatusText(text)).toBe('not minecraft');
  });

  it('throws no exception, for any text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        expect(['string', 'object']).toContain(typeof parseStatusText(text));
      }),
    );
  });
});
