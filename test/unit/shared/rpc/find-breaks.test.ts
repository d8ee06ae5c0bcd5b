import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  toJsonSchema,
  type DescribedContract,
  type JsonSchema,
} from '../../../../build/scripts/contract/describe.ts';
import { configDocument, openEnum } from '#shared/tolerant.ts';
import { findBreaks } from '#test/support/contract/find-breaks.ts';

const none = toJsonSchema(z.strictObject({}));

function contract(apiVersion: number, parts: { params?: z.ZodType; result?: z.ZodType }): DescribedContract {
  const json = (schema: z.ZodType | undefined): JsonSchema =>
    schema === undefined ? none : toJsonSchema(schema);
  const method = { role: 'viewer', params: json(parts.params), result: json(parts.result) };
  return { version: '0.0.0', apiVersion, methods: { 'a.get': method }, notifications: {} };
}

interface Change {
  readonly old: z.ZodType;
  readonly next: z.ZodType;
}

/** Returns what breaks if a contract changes: in an app older than the master, and in an app newer than the master. */
function breaksOf(part: 'params' | 'result', { old, next }: Change) {
  const [older, newer] = [contract(1, { [part]: old }), contract(2, { [part]: next })];
  const words = (app: DescribedContract, master: DescribedContract): readonly string[] =>
    findBreaks(app, master).map(({ at, why }) => `${at} ${why}`);
  return { oldApp: words(older, newer), newApp: words(newer, older) };
}

const id = z.strictObject({ id: z.string() });
const works = { oldApp: [], newApp: [] };

describe('a compatible change of a result', () => {
  it.each<[string, z.ZodType, z.ZodType]>([
    ['a new key with a default', id, z.strictObject({ id: z.string(), held: z.boolean().default(false) })],
    ['a new optional key', id, z.strictObject({ id: z.string(), note: z.string().optional() })],
    ['a new value of an open enumeration', openEnum(['a'], 'other'), openEnum(['a', 'b'], 'other')],
    ['an enumeration that becomes open', z.enum(['a', 'b']), openEnum(['a', 'b'], 'other')],
    [
      'a wider limit in a document',
      z.strictObject({ config: configDocument(z.strictObject({ n: z.int().max(5).default(1) })) }),
      z.strictObject({ config: configDocument(z.strictObject({ n: z.int().max(9).default(1) })) }),
    ],
  ])('%s', (_, old, next) => {
    expect(breaksOf('result', { old, next })).toEqual(works);
  });
});

describe('a change of a result that breaks older apps', () => {
  it.each<[string, z.ZodType, z.ZodType, Partial<ReturnType<typeof breaksOf>>]>([
    [
      'a new key that an older master does not send',
      id,
      z.strictObject({ id: z.string(), held: z.boolean() }),
      { newApp: ['a.get result.held may be missing'] },
    ],
    [
      'a key that is no longer sent',
      z.strictObject({ id: z.string(), note: z.string() }),
      id,
      { oldApp: ['a.get result.note may be missing'] },
    ],
    [
      'a key that may be missing now',
      id,
      z.strictObject({ id: z.string().optional() }),
      { oldApp: ['a.get result.id may be missing'] },
    ],
    [
      'a key of another type, in a list',
      z.array(id),
      z.array(z.strictObject({ id: z.int() })),
      {
        oldApp: ['a.get result[].id was string, is integer'],
        newApp: ['a.get result[].id was integer, is string'],
      },
    ],
    [
      'a value that may be null now',
      id,
      z.strictObject({ id: z.string().nullable() }),
      { oldApp: ['a.get result.id was string, is null'] },
    ],
    [
      'a new value of a closed enumeration',
      z.enum(['a']),
      z.enum(['a', 'b']),
      { oldApp: ['a.get result may be "b"'] },
    ],
    ['a wider limit', z.int().max(5), z.int().max(9), { oldApp: ['a.get result has another maximum'] }],
    [
      'another pattern',
      z.string().regex(/^a$/),
      z.string().regex(/^b$/),
      { oldApp: ['a.get result has another pattern'], newApp: ['a.get result has another pattern'] },
    ],
    [
      'a value of unknown type instead of a string',
      z.strictObject({ id: z.string() }),
      z.strictObject({ id: z.unknown() }),
      { oldApp: ['a.get result.id may be anything now'] },
    ],
  ])('%s', (_, ...[old, next, breaks]) => {
    expect(breaksOf('result', { old, next })).toEqual({ ...works, ...breaks });
  });
});

describe('a change of parameters', () => {
  it.each<[string, z.ZodType, z.ZodType, Partial<ReturnType<typeof breaksOf>>]>([
    ['a new optional key works', id, z.strictObject({ id: z.string(), kill: z.boolean().optional() }), {}],
    [
      'a new value works',
      z.strictObject({ to: z.enum(['a']) }),
      z.strictObject({ to: z.enum(['a', 'b']) }),
      {},
    ],
    [
      'a new required key breaks older apps, and newer apps with older masters',
      id,
      z.strictObject({ id: z.string(), kill: z.boolean() }),
      { oldApp: ['a.get params.kill may be missing'], newApp: ['a.get params.kill is not known'] },
    ],
    [
      'a new key with a default breaks newer apps with older masters, because the app always sends it',
      id,
      z.strictObject({ id: z.string(), kill: z.boolean().default(false) }),
      { newApp: ['a.get params.kill is not known'] },
    ],
    [
      'a removed key breaks older apps',
      z.strictObject({ id: z.string(), kill: z.boolean().optional() }),
      id,
      { oldApp: ['a.get params.kill is not known'] },
    ],
    [
      'a removed value breaks older apps',
      z.strictObject({ to: z.enum(['a', 'b']) }),
      z.strictObject({ to: z.enum(['a']) }),
      { oldApp: ['a.get params.to may be "b"'] },
    ],
    [
      'a narrower limit breaks older apps',
      z.strictObject({ n: z.int().max(9) }),
      z.strictObject({ n: z.int().max(5) }),
      { oldApp: ['a.get params.n has another maximum'] },
    ],
  ])('%s', (_, ...[old, next, breaks]) => {
    expect(breaksOf('params', { old, next })).toEqual({ ...works, ...breaks });
  });
});

describe('a change of the methods', () => {
  it('breaks older apps if a method is removed, but breaks no older master if a method is added', () => {
    const [older, newer] = [contract(1, {}), { ...contract(2, {}), methods: {} }];
    expect(findBreaks(older, newer)).toEqual([{ at: 'a.get', why: 'is removed' }]);
    expect(findBreaks({ ...older, apiVersion: 3 }, newer)).toEqual([]);
  });
});
