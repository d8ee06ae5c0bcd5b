import type { Effect, FieldDescription } from '#shared/config/field.ts';
import { pathOf, putAt, valueAt } from './form-model.ts';

/** A field whose value differs between two documents. */
export interface FieldChange {
  readonly path: string;
  readonly field: FieldDescription;
  readonly from: unknown;
  readonly to: unknown;
}

/** Returns the fields whose value differs between two documents, in the order of the schema. */
export function changesBetween(
  fields: readonly FieldDescription[],
  before: unknown,
  after: unknown,
): readonly FieldChange[] {
  return fields.flatMap((field) => {
    const from = valueOf(field, before);
    const to = valueOf(field, after);
    return isSame(from, to) ? [] : [{ path: pathOf(field), field, from, to }];
  });
}

/** Counts the changes by the time at which they take effect. */
export function countByEffect(changes: readonly FieldChange[]): ReadonlyMap<Effect, number> {
  const counts = new Map<Effect, number>();
  for (const { field } of changes) counts.set(field.effect, (counts.get(field.effect) ?? 0) + 1);
  return counts;
}

/**
 * Three versions of a document. `base`: the version from which the edit started. `theirs`: the version that another
 * person has saved since then. `mine`: the edited version.
 */
export interface Versions {
  readonly base: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
}

/** One of the three versions of a field. */
export type VersionSide = keyof Versions;

/** A field that is not the same in all three versions. */
export interface ThreeWayRow {
  readonly path: string;
  readonly field: FieldDescription;
  readonly base: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
  /**
   * Versions that differ from the base. `both`: `mine` and `theirs` have different values, so a person has to choose.
   * `alike`: both have the same new value.
   */
  readonly changedBy: 'mine' | 'theirs' | 'both' | 'alike';
}

/** A person's choices by field path. */
export type MergeChoices = Readonly<Record<string, VersionSide | undefined>>;

/**
 * Returns the fields whose value in `theirs` or `mine` differs from the value in `base`, in the order of the schema.
 * Each row contains all three values.
 */
export function threeWay(fields: readonly FieldDescription[], versions: Versions): readonly ThreeWayRow[] {
  return fields.flatMap((field) => {
    const [base, theirs, mine] = [versions.base, versions.theirs, versions.mine].map((one) =>
      valueOf(field, one),
    );
    const changedHere = !isSame(base, mine);
    const changedThere = !isSame(base, theirs);
    if (!changedHere && !changedThere) return [];
    const changedBy = !changedThere
      ? 'mine'
      : !changedHere
        ? 'theirs'
        : isSame(mine, theirs)
          ? 'alike'
          : 'both';
    return [{ path: pathOf(field), field, base, theirs, mine, changedBy }];
  });
}

/** Returns the version whose value a field gets. Undefined if a person still has to choose. */
export function sideOf({ path, changedBy }: ThreeWayRow, choices: MergeChoices): VersionSide | undefined {
  const chosen = choices[path];
  if (chosen !== undefined) return chosen;
  if (changedBy === 'both') return undefined;
  return changedBy === 'mine' ? 'mine' : 'theirs';
}

/**
 * Returns the document in which each field has the value of the version that {@link sideOf} returns. If it returns no
 * version, the field has the edited value.
 */
export function mergeVersions(
  fields: readonly FieldDescription[],
  versions: Versions,
  choices: MergeChoices,
): Record<string, unknown> {
  const sides = new Map(
    threeWay(fields, versions).map((row) => [row.path, sideOf(row, choices) ?? 'mine'] as const),
  );
  const merged: Record<string, unknown> = {};
  for (const field of fields) {
    const side = sides.get(pathOf(field)) ?? 'theirs';
    putAt(merged, field.path, valueOf(field, versions[side]));
  }
  return merged;
}

/** Returns the value of a field, or its default if the key is missing. */
function valueOf(field: FieldDescription, document: unknown): unknown {
  return valueAt(document, field.path) ?? field.default;
}

/** Returns whether two values are equal. The order of keys in objects does not matter. */
export function isSame(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}

/** Returns a copy of a value in which the keys of all objects are sorted, for comparisons. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => [key, sorted(item)]),
  );
}
