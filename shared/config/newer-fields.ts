import type { FieldDescription } from './field.ts';

/** Returns whether a master knows a field, by the version of the master's admin API. */
export function isKnownAt({ since = 0 }: Pick<FieldDescription, 'since'>, apiVersion: number): boolean {
  return since <= apiVersion;
}

/** A document for an older master, with the fields whose values the older master cannot store. */
interface OlderDocument {
  readonly document: unknown;
  /** Labels of the removed fields whose value was not the default. */
  readonly lost: readonly string[];
}

/**
 * Returns a copy of a document without the fields that an older master does not know and would therefore reject. Also
 * returns the labels of those removed fields that did not have their default value.
 *
 * @param apiVersion version of the master's admin API
 */
export function withoutNewerFields(
  document: unknown,
  fields: readonly FieldDescription[],
  apiVersion: number,
): OlderDocument {
  const lost: string[] = [];
  let result = document;
  for (const field of fields) {
    if (!isKnownAt(field, apiVersion)) {
      result = changeAt(result, field.path, (value) => {
        if (value !== undefined && JSON.stringify(value) !== JSON.stringify(field.default)) {
          lost.push(field.label);
        }
        return undefined;
      });
    } else if (field.entry !== undefined) {
      const { entry } = field;
      result = changeAt(result, field.path, (list) => {
        if (!Array.isArray(list)) return list;
        return list.map((item: unknown) => {
          const older = withoutNewerFields(item, entry, apiVersion);
          lost.push(...older.lost);
          return older.document;
        });
      });
    }
  }
  return { document: result, lost };
}

/** Returns a copy of a document in which the value at a path is replaced. `undefined` removes the key. */
function changeAt(
  document: unknown,
  [key, ...rest]: readonly string[],
  change: (value: unknown) => unknown,
): unknown {
  if (key === undefined) return change(document);
  if (typeof document !== 'object' || document === null || !Object.hasOwn(document, key)) return document;
  const { [key]: value, ...others } = document as Readonly<Record<string, unknown>>;
  const changed = changeAt(value, rest, change);
  // If all fields of a section are new, an older master does not know the section either.
  return changed === undefined || isEmptied(value, changed) ? others : { ...document, [key]: changed };
}

/** Returns whether a change has removed all keys of an object that had keys before. */
function isEmptied(before: unknown, after: unknown): boolean {
  return isObject(before) && isObject(after) && size(before) > 0 && size(after) === 0;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function size(object: object): number {
  return Object.keys(object).length;
}
