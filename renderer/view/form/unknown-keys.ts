import type { FieldDescription } from '#shared/config/field.ts';
import { isSame } from './form-changes.ts';

type Keys = Readonly<Record<string, unknown>>;

/**
 * Returns an edited document, to which the unknown keys of its base are added. No field describes these keys. They
 * come from a newer master, which would reset them if the saved document did not contain them. Entries of lists keep
 * their unknown keys unless a person has edited the entries.
 */
export function withUnknownKeys(fields: readonly FieldDescription[], base: unknown, edited: Keys): Keys {
  if (!isObject(base)) return edited;
  const keys = new Set([...Object.keys(base), ...Object.keys(edited)]);
  return Object.fromEntries(
    [...keys].flatMap((key): [string, unknown][] => {
      const own = fields.filter(({ path }) => path[0] === key);
      if (own.length === 0) return [[key, Object.hasOwn(edited, key) ? edited[key] : base[key]]];
      // A missing optional key was left out on purpose.
      if (!Object.hasOwn(edited, key)) return [];
      return [[key, withUnknownPart(own, base[key], edited[key])]];
    }),
  );
}

/** Like {@link withUnknownKeys}, for the value at one key. @param fields the fields at or below this key */
function withUnknownPart(fields: readonly FieldDescription[], base: unknown, edited: unknown): unknown {
  const below = fields.filter(({ path }) => path.length > 1);
  if (below.length > 0 && isObject(edited)) {
    return withUnknownKeys(
      below.map((field) => ({ ...field, path: field.path.slice(1) })),
      base,
      edited,
    );
  }
  const entry = fields[0]?.entry;
  if (entry === undefined || !Array.isArray(edited) || !Array.isArray(base)) return edited;
  return edited.map((item: unknown) => {
    if (!isObject(item)) return item;
    const known = new Set(entry.map(({ path }) => path[0]));
    const before = (base as readonly unknown[]).find(
      (one) => isObject(one) && isSame(pick(one, known), pick(item, known)),
    );
    return before === undefined ? item : withUnknownKeys(entry, before, item);
  });
}

function pick(item: Keys, known: ReadonlySet<string | undefined>): Keys {
  return Object.fromEntries(Object.entries(item).filter(([key]) => known.has(key)));
}

function isObject(value: unknown): value is Keys {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
