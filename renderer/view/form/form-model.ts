import { checkDocument, type FieldProblem } from '#shared/config/document.ts';
import type { FieldDescription } from '#shared/config/field.ts';
import type { z } from 'zod';

/** Inputs of one entry of an object list, by key. The document omits the key of an empty input. */
export type EntryInput = Readonly<Record<string, string | boolean | readonly string[]>>;

/**
 * Value of one input: the typed text (also for numbers), the position of a switch, the items of a list, or the
 * entries of an object list.
 */
export type FieldInput = string | boolean | readonly string[] | readonly EntryInput[];

/** All inputs of a form by the dotted path of their field. */
export type FormInputs = Readonly<Record<string, FieldInput>>;

/** Result of reading a form's inputs. */
export interface FormReading {
  /**
   * The document that the inputs describe. It may be invalid: a text in a number field stays a text, so that
   * validation can report it.
   */
  readonly document: Readonly<Record<string, unknown>>;
  /**
   * Problems by the dotted path of their field. Problems of the entries of a list are listed under the path of the
   * list.
   */
  readonly problems: ReadonlyMap<string, readonly FieldProblem[]>;
}

/** Returns the dotted path of a field. Inputs and problems refer to a field by this path. */
export function pathOf(field: Pick<FieldDescription, 'path'>): string {
  return field.path.join('.');
}

/** Groups fields by their heading. Groups, and fields in a group, are in the order of the schema. */
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

/**
 * Returns the fields whose label, key, description or heading contain each word of a text, ignoring case. An empty
 * text returns all fields.
 */
export function findFields(fields: readonly FieldDescription[], text: string): readonly FieldDescription[] {
  const words = text.toLowerCase().split(/\s+/);
  return fields.filter((field) => {
    const about = `${field.label} ${pathOf(field)} ${field.help} ${field.group ?? ''}`.toLowerCase();
    return words.every((word) => about.includes(word));
  });
}

/**
 * Converts a document to inputs. A missing value becomes the field's default. A value of a wrong type stays visible
 * in text and number fields, so that a person can correct it. In a switch it becomes off, and in a list an empty
 * list.
 */
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
    case 'number':
    case 'string':
      return toText(present);
  }
}

function toText(value: unknown): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Converts an entry of an object list to inputs. The result for `{}` is an entry whose inputs are empty. */
export function toEntryInput(entry: readonly FieldDescription[], item: unknown): EntryInput {
  return Object.fromEntries(
    entry.map((field) => {
      const value = valueAt(item, field.path);
      return [pathOf(field), toEntryValue(field, value)];
    }),
  );
}

function toEntryValue(field: FieldDescription, value: unknown): string | boolean | readonly string[] {
  // A missing boolean becomes an empty text, not `false`, so that the document does not get the key.
  if (typeof value === 'boolean') return value;
  if (field.type === 'string list') return Array.isArray(value) ? value.map(String) : [];
  return toText(value);
}

/** Converts inputs to a document. An empty number becomes the field's default. Empty optional keys are omitted. */
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
  if (!field.required && saysNothing(input)) return undefined;
  switch (field.type) {
    case 'boolean':
    case 'string':
    case 'string list':
      return input;
    case 'integer':
    case 'number':
      return typeof input === 'string' ? toNumber(field, input.trim()) : input;
    case 'object list':
      return Array.isArray(input)
        ? input.map((item) => toEntry(field.entry ?? [], item as EntryInput))
        : input;
  }
}

function saysNothing(input: FieldInput): boolean {
  return input === '' || (Array.isArray(input) && input.length === 0);
}

function toEntry(entry: readonly FieldDescription[], input: EntryInput): Record<string, unknown> {
  return toDocument(entry, input);
}

function toNumber(field: FieldDescription, text: string): unknown {
  if (text === '') return field.default;
  return /^[+-]?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

/** Converts inputs to a document and validates it as a whole. This also checks rules across several fields. */
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

/**
 * Returns the dotted path of the field to which a problem's path belongs: `firewall_rules` for
 * `firewall_rules[0].port`. Returns the problem's path itself if there is no such field.
 */
function ownerOf(fields: readonly FieldDescription[], path: string): string {
  const plain = path.replace(/\[.*$/, '');
  return fields.some((field) => pathOf(field) === plain) ? plain : path;
}

/** Returns the value at a path of a document. Undefined if a key on the path is missing or is not a section. */
export function valueAt(document: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Record<string, unknown>)[key]
        : undefined,
    document,
  );
}

/**
 * Sets a value at a path of `target`. Creates missing sections on the path. Copies existing sections, so that only
 * `target` itself is changed.
 */
export function putAt(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
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
