import { z } from 'zod';

/** How a reader treats values that only a newer sender knows. */
interface Tolerance {
  /** Value that a reader uses in place of a value that it does not know. */
  readonly standIn?: string;
  /** Whether the schema belongs to a configuration document, which readers send back. See {@link configDocument}. */
  readonly document?: true;
}

/** Stores the tolerance of each schema. Recorded contracts of the admin API contain the tolerance as well. */
export const tolerance = z.registry<Tolerance>();

/**
 * Returns the schema of an enumeration to which later versions may add values. If a {@link tolerant} reader does not
 * know a value, it uses `standIn` instead. Senders never send the stand-in, unless it is also one of the values.
 */
export function openEnum<const V extends string, const S extends string>(
  values: readonly V[],
  standIn: S,
): z.ZodType<V | S, V | S> {
  return z.enum([...new Set<V | S>([...values, standIn])]).register(tolerance, { standIn });
}

/**
 * Returns the schema of a configuration document in a response. A {@link tolerant} reader keeps the document's
 * unknown keys and accepts values outside of the reader's own limits, because people edit the document and send it
 * back as a whole.
 *
 * @param schema schema of the document, which is not changed
 */
export function configDocument<S extends z.ZodType>(schema: S): S {
  const copy = schema.clone();
  tolerance.add(copy, { document: true });
  return copy;
}

/** How a reader treats unknown keys. `relax` keeps unknown keys, and also applies no limits to values. */
type UnknownKeys = 'drop' | 'keep' | 'relax';

const readers: Readonly<Record<UnknownKeys, WeakMap<z.ZodType, z.ZodType>>> = {
  drop: new WeakMap(),
  keep: new WeakMap(),
  relax: new WeakMap(),
};

/**
 * Returns a schema that also accepts what a newer version may send: objects with unknown keys, and unknown values of
 * an {@link openEnum}. Everything else is checked as `schema` checks it. The result is cached.
 *
 * @param unknownKeys `drop` removes unknown keys from the output, except in configuration documents; `keep` keeps
 *   them
 */
export function tolerant<S extends z.ZodType>(
  schema: S,
  unknownKeys: 'drop' | 'keep' = 'drop',
): z.ZodType<z.output<S>, z.input<S>> {
  // The reader has the same output as the schema, except for unknown keys, which the type does not show.
  return readerOf(schema, unknownKeys) as unknown as z.ZodType<z.output<S>, z.input<S>>;
}

function readerOf(schema: z.ZodType, mode: UnknownKeys): z.ZodType {
  const known = readers[mode].get(schema);
  if (known !== undefined) return known;
  const standIn = tolerance.get(schema)?.standIn;
  const inner = rebuild(schema, mode);
  const reader = standIn === undefined ? inner : z.union([inner, z.string().transform(() => standIn)]);
  readers[mode].set(schema, reader);
  return reader;
}

/** The parts of zod's definitions that contain other schemas. */
interface Definition {
  readonly type: string;
  readonly innerType: z.ZodType;
  readonly element: z.ZodType;
  readonly valueType: z.ZodType;
  readonly options: readonly z.ZodType[];
  readonly shape: Readonly<Record<string, z.ZodType>>;
}

/** Returns a copy of a schema whose parts are tolerant. A schema without parts is returned unchanged. */
function rebuild(schema: z.ZodType, mode: UnknownKeys): z.ZodType {
  // Zod's types do not show the parts of a schema whose kind is known only at run time.
  const definition = schema.def as unknown as Definition;
  const part = (inner: z.ZodType): z.ZodType =>
    readerOf(inner, mode === 'drop' && tolerance.get(inner)?.document === true ? 'relax' : mode);
  const copy = (changed: Partial<Definition> & { readonly catchall?: z.ZodType | undefined }): z.ZodType => {
    const checks = mode === 'relax' ? { checks: [] } : {};
    // `parent` makes the copy keep the metadata of its parent, such as the description of a field.
    return schema.clone(z.core.util.mergeDefs(schema.def, changed, checks) as never, { parent: true });
  };
  switch (definition.type) {
    case 'object':
      return copy({
        shape: Object.fromEntries(
          Object.entries(definition.shape).map(([key, inner]) => [key, part(inner)] as const),
        ),
        catchall: mode === 'drop' ? undefined : z.unknown(),
      });
    case 'array':
      return copy({ element: part(definition.element) });
    case 'record':
      return copy({ valueType: part(definition.valueType) });
    case 'union':
      return copy({ options: definition.options.map(part) });
    case 'nullable':
    case 'optional':
    case 'default':
    case 'prefault':
      return copy({ innerType: part(definition.innerType) });
    case 'string':
    case 'enum':
      return mode === 'relax' ? z.string() : schema;
    case 'number':
      return mode === 'relax' ? z.number() : schema;
    default:
      return schema;
  }
}
