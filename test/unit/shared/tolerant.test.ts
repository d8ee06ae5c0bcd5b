import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toJsonSchema } from '../../../build/scripts/contract/describe.ts';
import { describeFields, field } from '#shared/config/field.ts';
import { methods, notifications, type MethodName } from '#shared/rpc/contract.ts';
import { configDocument, openEnum, tolerant } from '#shared/tolerant.ts';
import { asNewer, valueOf } from '#test/support/contract/values.ts';

/** Number of generated values for each method. */
const RUNS = 25;

const names = Object.keys(methods) as MethodName[];

describe.each([
  ...names.map((name): [string, z.ZodType] => [`the result of ${name}`, methods[name].result]),
  ...Object.entries(notifications).map(([name, schema]): [string, z.ZodType] => [
    `the notification ${name}`,
    schema,
  ]),
])('the schema of %s', (_, schema) => {
  const json = toJsonSchema(schema);

  it('accepts data of a newer master that has added keys and values', () => {
    fc.assert(
      fc.property(valueOf(json), (value) => {
        const { sent, read } = asNewer(value, json);
        const expected = tolerant(schema).parse(read);
        expect(tolerant(schema).parse(sent)).toEqual(expected);
        expect(expected).toMatchObject(read as object);
      }),
      { numRuns: RUNS },
    );
  });
});

describe('a tolerant schema (which accepts data of newer versions)', () => {
  const inner = z.strictObject({ n: z.int().max(5).default(1) });
  const schema = z.strictObject({ state: openEnum(['on', 'off'], 'unknown'), list: z.array(inner) });

  it('removes unknown keys at each level, which the strict schema rejects', () => {
    const sent = { state: 'on', list: [{ n: 2, m: 3 }], more: true };
    expect(tolerant(schema).parse(sent)).toEqual({ state: 'on', list: [{ n: 2 }] });
    expect(schema.safeParse(sent).success).toBe(false);
  });

  it('keeps unknown keys on request', () => {
    const sent = { state: 'on', list: [{ n: 2, m: 3 }], more: true };
    expect(tolerant(schema, 'keep').parse(sent)).toEqual(sent);
  });

  it('replaces an unknown value of an open enumeration, but rejects a value of another type', () => {
    expect(tolerant(schema).parse({ state: 'paused', list: [] })).toEqual({ state: 'unknown', list: [] });
    expect(tolerant(schema).safeParse({ state: 7, list: [] }).success).toBe(false);
    expect(schema.safeParse({ state: 'paused', list: [] }).success).toBe(false);
  });

  it('rejects missing keys, and values outside of their limits', () => {
    expect(tolerant(schema).safeParse({ state: 'on' }).success).toBe(false);
    expect(tolerant(schema).safeParse({ state: 'on', list: [{ n: 6 }] }).success).toBe(false);
  });

  it('adds default values, with a new list each time', () => {
    const withList = z.strictObject({ ids: z.array(z.string()).default([]) });
    const first = tolerant(withList).parse({});
    first.ids.push('changed');
    expect(tolerant(withList).parse({})).toEqual({ ids: [] });
  });

  it('keeps unknown keys in a document, and accepts values outside of their limits there', () => {
    const template = z.strictObject({
      id: z.string(),
      config: configDocument(inner.refine(({ n }) => n !== 3)),
    });
    const sent = { id: 'a', config: { n: 3, m: 9 }, more: 1 };
    expect(tolerant(template).parse(sent)).toEqual({ id: 'a', config: { n: 3, m: 9 } });
    expect(tolerant(template).parse({ id: 'a', config: { n: 900 } })).toEqual({
      id: 'a',
      config: { n: 900 },
    });
    expect(tolerant(template).safeParse({ id: 'a', config: { n: 'x' } }).success).toBe(false);
  });

  it('rejects values outside of their limits if the document is not marked with configDocument', () => {
    const document = z.strictObject({ n: z.int().max(5) });
    configDocument(document);
    expect(tolerant(document).parse({ n: 5, m: 1 })).toEqual({ n: 5 });
    expect(tolerant(document).safeParse({ n: 6 }).success).toBe(false);
  });

  it('preserves the descriptions of fields', () => {
    const meta = { label: 'Ports', help: 'Open ports.', effect: 'now' } as const;
    const document = z.strictObject({ ports: field(z.array(z.int()).default([]), meta) });
    expect(describeFields(tolerant(document) as unknown as z.ZodType)).toMatchObject([meta]);
  });
});
