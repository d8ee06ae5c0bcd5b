import fc from 'fast-check';
import type { JsonSchema } from '../../../build/scripts/contract/describe.ts';

/** Returns an arbitrary (fast-check) that generates the values of a JSON schema of the contract. */
export function valueOf(schema: JsonSchema): fc.Arbitrary<unknown> {
  const { anyOf, oneOf, const: value, enum: values, type } = schema;
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) return fc.oneof(...alternatives.map(valueOf));
  if (values !== undefined) return fc.constantFrom(...values);
  if (value !== undefined) return fc.constant(value);
  if (typeof type === 'object') return fc.oneof(...type.map((one) => valueOf({ ...schema, type: one })));
  switch (type) {
    case 'object':
      return objectOf(schema);
    case 'array':
      return fc.array(valueOf(schema.items ?? {}), {
        minLength: numberAt(schema, 'minItems', 0),
        maxLength: Math.min(4, numberAt(schema, 'maxItems', 4)),
      });
    case 'string':
      return textOf(schema);
    case 'integer':
      return fc.integer({
        min: Math.max(-1e9, numberAt(schema, 'minimum', -1e9)),
        max: Math.min(1e9, numberAt(schema, 'maximum', 1e9)),
      });
    case 'number':
      return fc.double({
        noNaN: true,
        noDefaultInfinity: true,
        min: numberAt(schema, 'minimum', -1e9),
        max: 1e9,
      });
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      return fc.jsonValue();
  }
}

function objectOf({ properties, required = [], additionalProperties }: JsonSchema): fc.Arbitrary<unknown> {
  if (properties === undefined) {
    const entry = typeof additionalProperties === 'object' ? valueOf(additionalProperties) : fc.jsonValue();
    return fc.dictionary(fc.stringMatching(/^[a-z]{1,8}-[1-9]$/), entry, { maxKeys: 3 });
  }
  const parts = Object.entries(properties).map(([key, part]) => [key, valueOf(part)] as const);
  return fc.record(Object.fromEntries(parts), { requiredKeys: [...required] });
}

function textOf(schema: JsonSchema): fc.Arbitrary<string> {
  const { pattern } = schema;
  if (typeof pattern !== 'string') {
    return fc.string({
      minLength: numberAt(schema, 'minLength', 0),
      maxLength: Math.min(40, numberAt(schema, 'maxLength', 40)),
    });
  }
  // The generator supports neither Unicode classes, which are in the patterns of names, nor lookaheads, which are in
  // the patterns of paths.
  const unknown = pattern.includes('\\p{') || pattern.includes('(?!');
  return unknown ? fc.constantFrom('Ana', 'laptop') : fc.stringMatching(new RegExp(pattern));
}

function numberAt(schema: JsonSchema, keyword: string, otherwise: number): number {
  const value = schema[keyword];
  return typeof value === 'number' ? value : otherwise;
}

/** Value of a newer master, and the result of reading this value. */
export interface Newer {
  readonly sent: unknown;
  /** Value that an older reader gets: with stand-ins for unknown values, and without unknown keys. */
  readonly read: unknown;
}

/**
 * Returns a value as a newer master may send it. Each object has an additional key, and unknown values replace the
 * values of open enumerations. Readers keep the additional keys of documents.
 *
 * @param value a value of the schema
 */
export function asNewer(value: unknown, schema: JsonSchema, inDocument = false): Newer {
  if (schema.standIn !== undefined) return { sent: 'FROM_THE_FUTURE', read: schema.standIn };
  const isDocument = inDocument || schema.document === true;
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) {
    const own = alternatives.find((one) => isOf(value, one));
    return own === undefined ? same(value) : asNewer(value, own, isDocument);
  }
  if (Array.isArray(value) && schema.items !== undefined) {
    const { items } = schema;
    const parts = value.map((item) => asNewer(item, items, isDocument));
    return { sent: parts.map(({ sent }) => sent), read: parts.map(({ read }) => read) };
  }
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return same(value);
  const { properties } = schema;
  const parts = Object.entries(value).map(
    ([key, part]) => [key, asNewer(part, properties[key] ?? {}, isDocument)] as const,
  );
  const added = { addedLater: { by: 'a newer master' } };
  return {
    sent: { ...Object.fromEntries(parts.map(([key, { sent }]) => [key, sent])), ...added },
    read: {
      ...Object.fromEntries(parts.map(([key, { read }]) => [key, read])),
      ...(isDocument ? added : {}),
    },
  };
}

function same(value: unknown): Newer {
  return { sent: value, read: value };
}

/** Returns whether a value belongs to an alternative of a schema. */
function isOf(value: unknown, { type, const: only, enum: values, properties }: JsonSchema): boolean {
  if (only !== undefined) return value === only;
  if (values !== undefined) return values.includes(value);
  if (value === null) return type === 'null';
  if (Array.isArray(value)) return type === 'array';
  if (typeof value !== 'object')
    return type === typeof value || (type === 'integer' && typeof value === 'number');
  const literal = Object.entries(properties ?? {}).find(([, part]) => part.const !== undefined);
  return (
    type === 'object' &&
    (literal === undefined || (value as Record<string, unknown>)[literal[0]] === literal[1].const)
  );
}
