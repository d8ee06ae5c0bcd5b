import { checkDocument, type FieldProblem } from '#shared/config/document.ts';
import type { Effect, FieldDescription } from '#shared/config/field.ts';
import type { z } from 'zod';

/** One entry of an object list as it stands in the form. */
export type EntryInput = Readonly<Record<string, string | boolean>>;

/** What stands in one input: text as typed (also of numbers), a switch, the lines of a list, the entries of one. */
export type FieldInput = string | boolean | readonly string[] | readonly EntryInput[];

/** All inputs of a form by their field's dotted path. */
export type FormInputs = Readonly<Record<string, FieldInput>>;

/** A field whose value differs from the one it began with. */
export interface FieldChange {
  readonly path: string;
  readonly field: FieldDescription;
  readonly from: unknown;
  readonly to: unknown;
}

/** What a form's inputs amount to. */
export interface FormReading {
  /** The document as far as the inputs make one; what is no number stays a text, so that the check can name it. */
  readonly document: Readonly<Record<string, unknown>>;
  /** By dotted path of the field; entries of a list count to their list. */
  readonly problems: ReadonlyMap<string, readonly FieldProblem[]>;
}

export function pathOf(field: Pick<FieldDescription, 'path'>): string {
  return field.path.join('.');
}

/** Fields under their headings, both in the order of the schema. */
export function groupFields(
  fields: readonly FieldDescription[],
): readonly { readonly title: string; readonly fields: readonly FieldDescription[] }[] {
  const groups = new Map<string, FieldDescription[]>();
  for (const field of fields) {
    const title = field.group ?? 'Other';
    groups.set(title, [...(groups.get(title) ?? []), field]);
  }
  return [...groups].map(([title, inGroup]) => ({ title, fields: inGroup }));
}

/** A document as inputs. A value that has another type than its field is shown as it is, to be corrected. */
export function toInputs(fields: readonly FieldDescription[], document: unknown): FormInputs {
  return Object.fromEntries(
    fields.map((field) => [pathOf(field), toInput(field, valueAt(document, field.path))]),
  );
}

function toInput(field: FieldDescription, value: unknown): FieldInput {
  const present = value ?? field.default;
  switch (field.type) {
    case 'boolean':
      return present === true;
    case 'string list':
      return Array.isArray(present) ? present.map(String) : [];
    case 'object list':
      return Array.isArray(present) ? present.map((item) => toEntryInput(field.entry ?? [], item)) : [];
    case 'integer':
    case 'string':
      return toText(present);
  }
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** One entry of an object list as inputs; `{}` gives an empty one to fill in. */
export function toEntryInput(entry: readonly FieldDescription[], item: unknown): EntryInput {
  return Object.fromEntries(
    entry.map((field) => {
      const value = valueAt(item, field.path);
      return [pathOf(field), toEntryValue(field, value)];
    }),
  );
}

function toEntryValue(field: FieldDescription, value: unknown): string | boolean {
  if (field.type === 'boolean') return value === true;
  return Array.isArray(value) ? value.join(', ') : toText(value);
}

/** Inputs as a document. An empty number means its default; a key that may be left out is, when it says nothing. */
export function toDocument(fields: readonly FieldDescription[], inputs: FormInputs): Record<string, unknown> {
  const document: Record<string, unknown> = {};
  for (const field of fields) {
    const value = toValue(field, inputs[pathOf(field)]);
    if (value !== undefined) putAt(document, field.path, value);
  }
  return document;
}

function toValue(field: FieldDescription, input: FieldInput | undefined): unknown {
  if (input === undefined) return field.default;
  switch (field.type) {
    case 'boolean':
      return !field.required && input === false ? undefined : input;
    case 'integer':
      return typeof input === 'string' ? toNumber(field, input.trim()) : input;
    case 'string':
      return !field.required && input === '' ? undefined : input;
    case 'string list': {
      const lines = toLines(input);
      return !field.required && lines.length === 0 ? undefined : lines;
    }
    case 'object list':
      return Array.isArray(input)
        ? input.map((item) => toEntry(field.entry ?? [], item as EntryInput))
        : input;
  }
}

/** The lines of a list; within an entry it stands in one input, parted by commas. */
function toLines(input: FieldInput): readonly string[] {
  const lines = typeof input === 'string' ? input.split(',') : Array.isArray(input) ? input : [];
  return lines.map((line) => String(line).trim()).filter((line) => line !== '');
}

function toEntry(entry: readonly FieldDescription[], input: EntryInput): Record<string, unknown> {
  return toDocument(entry, input);
}

function toNumber(field: FieldDescription, text: string): unknown {
  if (text === '') return field.default;
  return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Checks the inputs as one document, so that rules over several fields are seen too. */
export function readForm(
  schema: z.ZodType,
  fields: readonly FieldDescription[],
  inputs: FormInputs,
): FormReading {
  const document = toDocument(fields, inputs);
  const reading = checkDocument(schema, document);
  const problems = new Map<string, FieldProblem[]>();
  for (const problem of reading.kind === 'ok' ? [] : reading.problems) {
    const path = ownerOf(fields, problem.field);
    problems.set(path, [...(problems.get(path) ?? []), problem]);
  }
  return { document, problems };
}

/** The field that a problem's path (`firewall_rules[0].port`) belongs to; the path itself when there is none. */
function ownerOf(fields: readonly FieldDescription[], path: string): string {
  const plain = path.replace(/\[.*$/, '');
  return fields.some((field) => pathOf(field) === plain) ? plain : path;
}

/** Fields whose value differs, in the order of the schema. */
export function changesBetween(
  fields: readonly FieldDescription[],
  before: unknown,
  after: unknown,
): readonly FieldChange[] {
  return fields.flatMap((field) => {
    const from = valueAt(before, field.path) ?? field.default;
    const to = valueAt(after, field.path) ?? field.default;
    return isSame(from, to) ? [] : [{ path: pathOf(field), field, from, to }];
  });
}

/** How many changes begin to count when. */
export function countByEffect(changes: readonly FieldChange[]): ReadonlyMap<Effect, number> {
  const counts = new Map<Effect, number>();
  for (const { field } of changes) counts.set(field.effect, (counts.get(field.effect) ?? 0) + 1);
  return counts;
}

/** One field that somebody else changed while it was being edited here. */
export interface TheirChange extends FieldChange {
  /** What stands in the form here. */
  readonly mine: unknown;
  /** True when both changed it, to different values: somebody has to choose. */
  readonly both: boolean;
}

/** What others changed since `base`, beside what stands here. */
export function theirChanges(
  fields: readonly FieldDescription[],
  versions: { readonly base: unknown; readonly theirs: unknown; readonly mine: unknown },
): readonly TheirChange[] {
  const { base, theirs, mine } = versions;
  return changesBetween(fields, base, theirs).map((change) => {
    const here = valueAt(mine, change.field.path) ?? change.field.default;
    return { ...change, mine: here, both: !isSame(here, change.from) && !isSame(here, change.to) };
  });
}

/** Their document with my changes put on top: what I changed stays mine, all else is theirs. */
export function reapply(
  fields: readonly FieldDescription[],
  versions: { readonly base: unknown; readonly theirs: unknown; readonly mine: unknown },
): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const field of fields) {
    const mine = valueAt(versions.mine, field.path) ?? field.default;
    const base = valueAt(versions.base, field.path) ?? field.default;
    const theirs = valueAt(versions.theirs, field.path) ?? field.default;
    putAt(merged, field.path, isSame(mine, base) ? theirs : mine);
  }
  return merged;
}

export function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    document,
  );
}

function putAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [key = '', ...rest] = path;
  if (rest.length === 0) {
    target[key] = value;
    return;
  }
  const section = target[key];
  const inner: Record<string, unknown> =
    typeof section === 'object' && section !== null ? { ...section } : {};
  target[key] = inner;
  putAt(inner, rest, value);
}

function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** Objects with their keys in order, so that the order of writing makes no difference. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
