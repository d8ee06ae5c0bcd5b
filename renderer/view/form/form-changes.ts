import type { Effect, FieldDescription } from '#shared/config/field.ts';
import { pathOf, putAt, valueAt } from './form-model.ts';

/** A field whose value differs from the one it began with. */
export interface FieldChange {
  readonly path: string;
  readonly field: FieldDescription;
  readonly from: unknown;
  readonly to: unknown;
}

/** Fields whose value differs, in the order of the schema. */
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

/** How many changes begin to count when. */
export function countByEffect(changes: readonly FieldChange[]): ReadonlyMap<Effect, number> {
  const counts = new Map<Effect, number>();
  for (const { field } of changes) counts.set(field.effect, (counts.get(field.effect) ?? 0) + 1);
  return counts;
}

/** Three versions of a document: what both began from, what somebody else saved since, and what stands here. */
export interface Versions {
  readonly base: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
}

/** Which of the three versions of a field is taken. */
export type Side = keyof Versions;

/** One field that is not the same in all three versions. */
export interface ThreeWayRow {
  readonly path: string;
  readonly field: FieldDescription;
  readonly base: unknown;
  readonly theirs: unknown;
  readonly mine: unknown;
  /** `both`: changed by both to different values, so that somebody has to choose. `alike`: by both to the same one. */
  readonly changedBy: 'mine' | 'theirs' | 'both' | 'alike';
}

/** What a person chose, by the fields' paths. */
export type Choices = Readonly<Record<string, Side | undefined>>;

/** Compares three versions field by field, in the order of the schema. */
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

/** The side that is taken of a row; undefined where somebody has to choose and has not: nothing is overwritten silently. */
export function sideOf({ path, changedBy }: ThreeWayRow, choices: Choices): Side | undefined {
  const chosen = choices[path];
  if (chosen !== undefined) return chosen;
  if (changedBy === 'both') return undefined;
  return changedBy === 'mine' ? 'mine' : 'theirs';
}

/** Their document with the chosen value of each field. A row without a choice stays as it is here. */
export function mergeVersions(
  fields: readonly FieldDescription[],
  versions: Versions,
  choices: Choices,
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

/** The value of a field; its default where the key is left out. */
function valueOf(field: FieldDescription, document: unknown): unknown {
  return valueAt(document, field.path) ?? field.default;
}

/** True when two values say the same; the order of keys makes no difference. */
export function isSame(a: unknown, b: unknown): boolean {
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
