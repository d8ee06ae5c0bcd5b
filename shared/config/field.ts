import { z } from 'zod';

/** When a changed value takes effect. */
export type Effect = 'now' | 'next service start' | 'master start';

/** Description of one configuration field for people. Attached to the field's zod schema. */
export interface FieldMeta {
  /** Short label in sentence case, shown above the input. */
  readonly label: string;
  /** One line: what the field does and what its special values mean. */
  readonly help: string;
  readonly effect: Effect;
  /** Unit shown inside the input. MB = 2^20 bytes. */
  readonly unit?: 'MB' | 'ms' | 's' | '%' | 'players' | 'services' | 'nodes' | 'saves' | 'EUR';
  /** Values with a special meaning, such as `{ '-1': 'no limit' }`. */
  readonly special?: Readonly<Record<string, string>>;
  /** Whether the value is secret: the master never logs it or sends it to a client, and clients show dots. */
  readonly secret?: boolean;
  /** Allowed values in words, for fields whose type and limits do not express them. */
  readonly allowed?: string;
  /** Whether the items of a list are globs. A comma inside braces then belongs to an item, and does not separate items. */
  readonly globs?: boolean;
  /** Heading under which forms group the field. */
  readonly group?: string;
  /**
   * First version of the admin API (API_VERSION) whose masters know the field. Absent if all masters know the field.
   */
  readonly since?: number;
}

const fieldMeta = z.registry<FieldMeta>();

/**
 * Attaches metadata to the schema of a field. Must be the outermost call, because zod's registries identify a schema
 * by reference.
 */
export function field<S extends z.ZodType>(schema: S, meta: FieldMeta): S {
  fieldMeta.add(schema, meta);
  return schema;
}

/** Description of one field of a document, for forms, checks and tables in the docs. Derived from the schema. */
export interface FieldDescription extends FieldMeta {
  /** Path in the document, such as `['provider', 'location']`. */
  readonly path: readonly string[];
  readonly type: 'string' | 'integer' | 'number' | 'boolean' | 'string list' | 'object list';
  /** Minimum and maximum of a number, or of the length of a string. */
  readonly min?: number;
  readonly max?: number;
  /** Allowed values in words, such as "a whole number from 0 to 100 %". */
  readonly allowed: string;
  readonly default: unknown;
  /**
   * Whether every parsed document has the key, because a person must set it or it has a default. False for an
   * optional key without a default, such as `directory` of a file entry.
   */
  readonly required: boolean;
  /** Allowed values of a string that is an enumeration. */
  readonly options?: readonly string[];
  /** Fields of one entry of an `object list`. */
  readonly entry?: readonly FieldDescription[];
}

interface Unwrapped {
  readonly inner: z.ZodType;
  readonly default: unknown;
  readonly optional: boolean;
  readonly meta: FieldMeta | undefined;
}

/**
 * Removes the wrappers for defaults and optional values around a schema, and returns the inner schema together with
 * the default, the optionality and the metadata that it found.
 */
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
  if (inner instanceof z.ZodNumber) return inner.format === 'safeint' ? 'integer' : 'number';
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

function numberInWords(
  type: 'integer' | 'number',
  { min, max }: { min?: number; max?: number },
  meta: FieldMeta,
): string {
  const unit = meta.unit === undefined ? '' : ` ${meta.unit}`;
  const special = Object.entries(meta.special ?? {}).map(([value, means]) => `${value} = ${means}`);
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  const range = `${kind} from ${min ?? '−∞'} to ${max ?? '∞'}${unit}`;
  return special.length === 0 ? range : `${range} (${special.join(', ')})`;
}

function allowedInWords(
  type: FieldDescription['type'],
  limits: { min?: number; max?: number },
  meta: FieldMeta,
): string {
  if (meta.allowed !== undefined) return meta.allowed;
  switch (type) {
    case 'integer':
    case 'number':
      return numberInWords(type, limits, meta);
    case 'boolean':
      return 'true or false';
    case 'string list':
      return 'a list of strings';
    case 'object list':
      return 'a list of entries';
    case 'string':
      return limits.max === undefined
        ? 'a string'
        : `a string of ${limits.min ?? 0} to ${limits.max} characters`;
  }
}

/**
 * Describes every leaf field of a document schema, in the order of the schema.
 *
 * @param path keys that lead to the schema
 * @throws Error if the schema is no object, or if a leaf has no metadata. These are programming errors. A test of
 *   both documents finds them.
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
