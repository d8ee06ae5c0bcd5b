import type { FieldProblem } from '#shared/config/document.ts';
import type { Effect, FieldDescription } from '#shared/config/field.ts';
import { SECRET_MASK } from '#shared/config/secret.ts';
import { durationInWords, isTimeUnit, toMilliseconds, writeDuration } from '../format/duration.ts';
import type { FieldChange } from './form-changes.ts';

/** Text of the badge beside a field's label. It says when a changed value takes effect. */
export const effectBadge: Readonly<Record<Effect, string>> = {
  now: 'Applies immediately',
  'next service start': 'Applies at next service start',
  'master start': 'Applies when the master restarts',
};

/** Tooltip of the badge in {@link effectBadge}. */
export const effectSentence: Readonly<Record<Effect, string>> = {
  now: 'A change applies as soon as it is saved.',
  'next service start': 'A change applies when a service starts. Running services keep the old value.',
  'master start': 'A change applies when the master restarts.',
};

/** Returns an amount of MB in GB, in words: 1024 → "1 GB", 1536 → "1.5 GB". Null below half a GB. */
export function gigabytesInWords(mb: number): string | null {
  if (mb < 512) return null;
  const gb = mb / 1024;
  const exact = Number.isInteger(gb * 100);
  return `${exact ? '' : '≈ '}${Number(gb.toFixed(2))} GB`;
}

/**
 * Explains a number in a field: the meaning of a special value, a time in words, or a size in GB. Undefined if the
 * number needs no explanation.
 */
export function meaningOf(field: FieldDescription, text: string): string | undefined {
  const typed = text.trim() === '' ? String(field.default) : text.trim();
  const special = field.special?.[typed];
  if (special !== undefined) return special;
  if (!/^\d+$/.test(typed)) return undefined;
  const ms = toMilliseconds(Number(typed), field.unit);
  if (ms !== null) return durationInWords(ms);
  if (field.unit === 'MB') return gigabytesInWords(Number(typed)) ?? undefined;
  return undefined;
}

/** Returns a value as the review and the conflict view show it. A secret is shown as a mask, or as `not set`. */
export function valueInWords(field: FieldDescription, value: unknown): string {
  if (field.secret === true) return value === field.default ? 'not set' : SECRET_MASK;
  if (value === undefined) return 'not set';
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (typeof value === 'number') return numberInWords(field, value);
  if (Array.isArray(value)) return value.length === 0 ? 'none' : value.map(itemInWords).join('\n');
  if (value === '') return 'empty';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function numberInWords(field: FieldDescription, value: number): string {
  const special = field.special?.[String(value)];
  if (special !== undefined) return special;
  const ms = toMilliseconds(value, field.unit);
  if (ms !== null) return writeDuration(ms);
  const unit = field.unit === undefined ? '' : ` ${unitOf(field.unit, value)}`;
  const meaning = meaningOf(field, String(value));
  return `${value}${unit}${meaning === undefined ? '' : ` (${meaning})`}`;
}

/** Returns the word for a unit: `player` for the value 1, otherwise `players`. */
function unitOf(unit: NonNullable<FieldDescription['unit']>, value: number): string {
  return value === 1 && (unit === 'players' || unit === 'services' || unit === 'nodes')
    ? unit.slice(0, -1)
    : unit;
}

function itemInWords(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  if ('path' in item && 'destination' in item) {
    const folder = 'directory' in item && item.directory === true ? ' (directory)' : '';
    return `${String(item.path)} → ${String(item.destination)}${folder}`;
  }
  if ('name' in item && 'value' in item) return `${String(item.name)}=${String(item.value)}`;
  return JSON.stringify(item);
}

/**
 * Returns a problem's text for display under its field: "Must be a whole number. Allowed: …". Omits the name and the
 * value of the field, which are visible above.
 */
export function problemUnderField(problem: FieldProblem, field?: FieldDescription): string {
  if (field !== undefined && isTimeUnit(field.unit)) return durationProblem(problem, field);
  const where = /\[(\d+)\](?:\.(\w+))?$/.exec(problem.field);
  const entry =
    where === null ? '' : `Entry ${Number(where[1]) + 1}${where[2] === undefined ? '' : `, ${where[2]}`}: `;
  const words =
    entry === '' ? problem.problem.charAt(0).toUpperCase() + problem.problem.slice(1) : problem.problem;
  const crossField = problem.problem.startsWith('must not be larger');
  const range = field === undefined ? problem.allowed : allowedInField(problem.allowed, field);
  const allowed = range === null || crossField ? '' : ` Allowed: ${range}.`;
  return `${entry}${words}.${allowed}`;
}

/**
 * Returns the allowed values of a field as the form shows them. If the value -1 means "no limit", the form has a
 * switch for it, so the allowed numbers begin at 0.
 */
function allowedInField(
  allowed: string | null,
  { special, max, unit, type }: FieldDescription,
): string | null {
  if (special?.['-1'] === undefined || max === undefined) return allowed;
  const kind = type === 'integer' ? 'a whole number' : 'a number';
  return `${kind} from 0 to ${max}${unit === undefined ? '' : ` ${unit}`}`;
}

function durationProblem({ problem }: FieldProblem, { max, unit }: FieldDescription): string {
  const maxMs = max === undefined ? null : toMilliseconds(max, unit);
  const most = maxMs === null ? '' : `at most ${durationInWords(maxMs)}, `;
  const what = problem.startsWith('is too large')
    ? 'Is too long'
    : problem.startsWith('is too small')
      ? 'Is too short'
      : 'Is not a duration';
  return `${what}. Allowed: ${most}such as 90 s, 2 min or 1 h 30 min.`;
}

const effectPhrase: Readonly<Record<Effect, (count: number) => string>> = {
  now: (count) => `${count} immediately`,
  'next service start': (count) => `${count} at the next service start`,
  'master start': (count) => `${count} when the master restarts`,
};

/** Summarizes changes, grouped by the time at which they take effect. */
export function summaryOf(changes: readonly FieldChange[], counts: ReadonlyMap<Effect, number>): string {
  if (changes.length === 0) return 'No changes';
  const parts = [...counts]
    .sort(([a], [b]) => order(a) - order(b))
    .map(([effect, count]) => effectPhrase[effect](count));
  return `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}: ${parts.join(', ')}`;
}

function order(effect: Effect): number {
  return ['now', 'next service start', 'master start'].indexOf(effect);
}
