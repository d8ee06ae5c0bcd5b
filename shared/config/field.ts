import { z } from 'zod';

/** When a changed value begins to count (design: "effect is data"). */
export type Effect = 'now' | 'next service start' | 'master start';

/** What a person needs to know about one configuration field. Attached to the field's zod schema. */
export interface FieldMeta {
  /** Short name, sentence case, as shown above the input. */
  readonly label: string;
  /** One line: what it does and what special values mean. */
  readonly help: string;
  readonly effect: Effect;
  /** Shown inside the input. MB = 2^20 bytes. */
  readonly unit?: 'MB' | 'ms' | '%' | 'players' | 'services';
  /** Values with a meaning of their own, e.g. `{ '-1': 'no limit' }`. */
  readonly special?: Readonly<Record<string, string>>;
  /** True: never sent to a viewer, never logged, shown as dots. */
  readonly secret?: boolean;
  /** How the allowed values are put into words where the type and its limits do not say it. */
  readonly allowed?: string;
  /** Heading under which forms group the field. */
  readonly group?: string;
}

const fieldMeta = z.registry<FieldMeta>();

/** Attaches metadata to a field. Must be the outermost call, as zod's registries know a schema by identity. */
export function field<S extends z.ZodType>(schema: S, meta: FieldMeta): S {
  fieldMeta.add(schema, meta);
  return schema;
}

/** One field of a document, described for forms, checks and docs tables. Derived, never written by hand. */
export interface FieldDescription extends FieldMeta {
  /** Path in the document, e.g. `['provider', 'location']`. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'boolean' | 'string list' | 'object list';
  /** Limits of an integer, or of a string's length. */
  readonly min?: number;
  readonly max?: number;
  /** What a person may enter, in words: "a whole number from 0 to 100 %". */
  readonly allowed: string;
  readonly default: unknown;
  /** False: the key may be left out and then stays absent (as `directory` of a file entry). */
  readonly required: boolean;
  /** For a string of which only some values are allowed: these values. */
  readonly options?: readonly string[];
  /** For `object list`: the fields of one entry. */
  readonly entry?: readonly FieldDescription[];
}

interface Unwrapped {
  readonly inner: z.ZodType;
  readonly default: unknown;
  readonly optional: boolean;
  readonly meta: FieldMeta | undefined;
}

/** Peels defaults and optionals off a schema, remembering what they said. */
function unwrap(schema: z.ZodType): Unwrapped {
  let inner = schema;
  let defaultValue: unknown;
  let optional = false;
  let meta = fieldMeta.get(schema);
  for (;;) {
    if (inner instanceof z.ZodDefault || inner instanceof z.ZodPrefault) {
      defaultValue = inner.def.defaultValue;
      inner = inner.def.innerType as z.ZodType;
    } else if (inner instanceof z.ZodOptional) {
      optional = true;
      inner = inner.def.innerType as z.ZodType;
    } else {
      return { inner, default: defaultValue, optional, meta };
    }
    meta ??= fieldMeta.get(inner);
  }
}

function typeOf(inner: z.ZodType): FieldDescription['type'] {
  if (inner instanceof z.ZodNumber) return 'integer';
  if (inner instanceof z.ZodBoolean) return 'boolean';
  if (inner instanceof z.ZodArray) {
    return unwrap(inner.element as z.ZodType).inner instanceof z.ZodObject ? 'object list' : 'string list';
  }
  return 'string';
}

function limitsOf(inner: z.ZodType): { min?: number; max?: number } {
  if (inner instanceof z.ZodNumber) {
    const limits: { min?: number; max?: number } = {};
    if (inner.minValue !== null) limits.min = inner.minValue;
    if (inner.maxValue !== null) limits.max = inner.maxValue;
    return limits;
  }
  if (inner instanceof z.ZodString) {
    const limits: { min?: number; max?: number } = {};
    if (inner.minLength !== null) limits.min = inner.minLength;
    if (inner.maxLength !== null) limits.max = inner.maxLength;
    return limits;
  }
  return {};
}

function allowedInWords(
  type: FieldDescription['type'],
  limits: { min?: number; max?: number },
  meta: FieldMeta,
): string {
  if (meta.allowed !== undefined) return meta.allowed;
  switch (type) {
    case 'integer': {
      const unit = meta.unit === undefined ? '' : ` ${meta.unit}`;
      const special = Object.entries(meta.special ?? {}).map(([value, means]) => `${value} = ${means}`);
      const range = `a whole number from ${limits.min ?? '−∞'} to ${limits.max ?? '∞'}${unit}`;
      return special.length === 0 ? range : `${range} (${special.join(', ')})`;
    }
    case 'boolean':
      return 'true or false';
    case 'string list':
      return 'a list of texts';
    case 'object list':
      return 'a list of entries';
    case 'string':
      return limits.max === undefined ? 'a text' : `a text of ${limits.min ?? 0} to ${limits.max} characters`;
  }
}

/**
 * Describes every leaf field of a document schema, in the order of the schema.
 *
 * @throws Error when a leaf has no metadata: a programmer's mistake, caught by a test over both documents
 */
export function describeFields(schema: z.ZodType, path: readonly string[] = []): FieldDescription[] {
  const { inner } = unwrap(schema);
  if (!(inner instanceof z.ZodObject)) throw new Error(`${path.join('.')} is not an object schema`);
  return Object.entries(inner.shape as Record<string, z.ZodType>).flatMap(([key, child]) => {
    const childPath = [...path, key];
    const unwrapped = unwrap(child);
    if (unwrapped.inner instanceof z.ZodObject) return describeFields(unwrapped.inner, childPath);
    return [describeLeaf(childPath, unwrapped)];
  });
}

function describeLeaf(
  path: readonly string[],
  { inner, optional, meta, ...rest }: Unwrapped,
): FieldDescription {
  if (meta === undefined) throw new Error(`${path.join('.')} has no field metadata`);
  const type = typeOf(inner);
  const limits = limitsOf(inner);
  const entry =
    type === 'object list' ? { entry: describeFields((inner as z.ZodArray<z.ZodType>).element) } : {};
  const options = inner instanceof z.ZodEnum ? { options: inner.options.map(String) } : {};
  return {
    ...meta,
    ...limits,
    ...options,
    ...entry,
    path,
    type,
    allowed: allowedInWords(type, limits, meta),
    default: rest.default,
    required: !optional,
  };
}
