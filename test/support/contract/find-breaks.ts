import type { DescribedContract, JsonSchema } from '../../../build/scripts/contract/describe.ts';

/** Place in the contract at which an app and a master of different versions do not work together. */
export interface Break {
  /** Path in the contract, such as `services.list result.services[].state`. */
  readonly at: string;
  readonly why: string;
}

/** How a reader treats unknown keys and values. */
interface Reading {
  /** Whether the reader ignores unknown keys. */
  readonly ignoresKeys: boolean;
  /**
   * Whether the reader may refuse optional keys and values. If it does, the sender reports that the master is too
   * old.
   */
  readonly mayRefuse: boolean;
}

/**
 * Finds all incompatibilities between an app and a master of different versions. There are two kinds: requests of the
 * app that the master refuses, and responses or notifications that the app cannot read. The app reads tolerantly, and
 * the master reads strictly (docs/adr/0029).
 */
export function findBreaks(app: DescribedContract, master: DescribedContract): readonly Break[] {
  const masterIsOlder = master.apiVersion < app.apiVersion;
  const sent: Reading = { ignoresKeys: false, mayRefuse: masterIsOlder };
  const received: Reading = { ignoresKeys: true, mayRefuse: false };
  const ofMethods = Object.entries(app.methods).flatMap(([name, ours]) => {
    const theirs = master.methods[name];
    if (theirs === undefined) return masterIsOlder ? [] : [{ at: name, why: 'is removed' }];
    return [
      ...check({ reader: theirs.params, writer: ours.params }, `${name} params`, sent),
      ...check({ reader: ours.result, writer: theirs.result }, `${name} result`, received),
    ];
  });
  const ofNotifications = Object.entries(app.notifications).flatMap(([name, reader]) => {
    const writer = master.notifications[name];
    if (writer === undefined) return masterIsOlder ? [] : [{ at: name, why: 'is removed' }];
    return check({ reader, writer }, name, received);
  });
  return [...ofMethods, ...ofNotifications];
}

interface Sides {
  readonly reader: JsonSchema;
  readonly writer: JsonSchema;
}

function check({ reader, writer }: Sides, at: string, reading: Reading): readonly Break[] {
  if (isAnything(reader)) return [];
  const writers = alternativesOf(writer);
  if (writers.length > 1) return writers.flatMap((one) => check({ reader, writer: one }, at, reading));
  const readers = alternativesOf(reader);
  if (readers.length > 1) {
    // Ignore alternatives of another type, because they do not show what has changed.
    const alike = readers.filter((one) => isAnything(one) || isSameType(one, writer));
    const found = (alike.length === 0 ? readers : alike).map((one) =>
      check({ reader: one, writer }, at, reading),
    );
    return found.toSorted((a, b) => a.length - b.length)[0] ?? [];
  }
  if (isAnything(writer)) return [{ at, why: 'may be anything now' }];
  if (!isSameType(reader, writer)) return [{ at, why: `was ${typeOf(reader)}, is ${typeOf(writer)}` }];
  if (valuesOf(reader) !== null || valuesOf(writer) !== null)
    return checkValues({ reader, writer }, at, reading);
  return [
    ...checkLimits({ reader, writer }, at),
    ...checkObject({ reader, writer }, at, reading),
    ...(reader.items === undefined
      ? []
      : check({ reader: reader.items, writer: writer.items ?? {} }, `${at}[]`, reading)),
  ];
}

function checkValues({ reader, writer }: Sides, at: string, reading: Reading): readonly Break[] {
  if (reader.standIn !== undefined || reading.mayRefuse) return [];
  const known = valuesOf(reader);
  if (known === null) return [];
  const sent = valuesOf(writer);
  if (sent === null) return [{ at, why: 'may have any value' }];
  // Only readers use a stand-in. No sender sends it.
  const unknown = sent.filter((value) => !known.includes(value) && value !== writer.standIn);
  return unknown.map((value) => ({ at, why: `may be ${JSON.stringify(value)}` }));
}

function checkObject({ reader, writer }: Sides, at: string, reading: Reading): readonly Break[] {
  const [read, written] = [reader.properties ?? {}, writer.properties ?? {}];
  const sends = (key: string): boolean =>
    writer.required?.includes(key) === true || written[key]?.default !== undefined;
  const missing = (reader.required ?? []).filter((key) => !sends(key));
  const refused =
    reading.ignoresKeys || reader.document === true || reader.additionalProperties !== false
      ? []
      : Object.keys(written).filter((key) => !(key in read) && (!reading.mayRefuse || sends(key)));
  const shared = Object.entries(read).flatMap(([key, part]) => {
    const theirs = written[key];
    // A reader of a document does not check the limits of values.
    const own = reader.document === true ? asDocument(part) : part;
    return theirs === undefined ? [] : check({ reader: own, writer: theirs }, `${at}.${key}`, reading);
  });
  const [entries, theirEntries] = [reader.additionalProperties, writer.additionalProperties];
  const ofEntries =
    typeof entries === 'object' && typeof theirEntries === 'object'
      ? check({ reader: entries, writer: theirEntries }, `${at}{}`, reading)
      : [];
  return [
    ...missing.map((key) => ({ at: `${at}.${key}`, why: 'may be missing' })),
    ...refused.map((key) => ({ at: `${at}.${key}`, why: 'is not known' })),
    ...shared,
    ...ofEntries,
  ];
}

/** Returns a part of a document as readers see it: without limits, at all levels. */
function asDocument(part: JsonSchema): JsonSchema {
  const { type, properties, required, items, anyOf } = part;
  return {
    document: true,
    ...(type === undefined ? {} : { type }),
    ...(properties === undefined ? {} : { properties }),
    ...(required === undefined ? {} : { required }),
    ...(items === undefined ? {} : { items: asDocument(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(asDocument) }),
  };
}

const MINIMA = ['minimum', 'minLength', 'minItems'] as const;
const MAXIMA = ['maximum', 'maxLength', 'maxItems'] as const;
const FORMS = ['pattern', 'format', 'allOf', 'propertyNames'] as const;

function checkLimits({ reader, writer }: Sides, at: string): readonly Break[] {
  const limit = (schema: JsonSchema, keyword: string, none: number): number => {
    const value = schema[keyword];
    return typeof value === 'number' ? value : none;
  };
  const low = MINIMA.filter((word) => limit(reader, word, -Infinity) > limit(writer, word, -Infinity));
  const high = MAXIMA.filter((word) => limit(reader, word, Infinity) < limit(writer, word, Infinity));
  const forms = FORMS.filter(
    (word) => reader[word] !== undefined && JSON.stringify(reader[word]) !== JSON.stringify(writer[word]),
  );
  return [...low, ...high, ...forms].map((word) => ({ at, why: `has another ${word}` }));
}

function isAnything(schema: JsonSchema): boolean {
  const { type, anyOf, oneOf, enum: values, const: value } = schema;
  return type === undefined && anyOf === undefined && oneOf === undefined && !values && value === undefined;
}

function alternativesOf(schema: JsonSchema): readonly JsonSchema[] {
  const { anyOf, oneOf, type, ...rest } = schema;
  if (anyOf !== undefined) return anyOf.flatMap(alternativesOf);
  if (oneOf !== undefined) return oneOf.flatMap(alternativesOf);
  if (typeof type === 'object') return type.map((one) => ({ ...rest, type: one }));
  return [schema];
}

function typeOf({ type, enum: values, const: value }: JsonSchema): string {
  if (typeof type === 'string') return type;
  const first = values?.[0] ?? value;
  return first === null ? 'null' : typeof first;
}

function isSameType(reader: JsonSchema, writer: JsonSchema): boolean {
  const [read, written] = [typeOf(reader), typeOf(writer)];
  return read === written || (read === 'number' && written === 'integer');
}

function valuesOf({ enum: values, const: value }: JsonSchema): readonly unknown[] | null {
  if (values !== undefined) return values;
  return value === undefined ? null : [value];
}
