import type { FieldProblem } from '#shared/config/document.ts';
import type { Effect, FieldDescription } from '#shared/config/field.ts';
import { SECRET_MASK } from '#shared/config/secret.ts';
import type { FieldChange } from './form-changes.ts';

/** Text of the badge beside a label. */
export const effectBadge: Readonly<Record<Effect, string>> = {
  now: 'now',
  'next service start': 'next start',
  'master start': 'master start',
};

/** Tooltip of the badge. */
export const effectSentence: Readonly<Record<Effect, string>> = {
  now: 'A change takes effect as soon as it is saved.',
  'next service start': 'A change takes effect when a service starts; running ones keep the old value.',
  'master start': 'A change takes effect when the master starts again.',
};

const UNITS: readonly (readonly [ms: number, one: string, many: string])[] = [
  [86_400_000, 'day', 'days'],
  [3_600_000, 'hour', 'hours'],
  [60_000, 'minute', 'minutes'],
  [1000, 'second', 'seconds'],
  [1, 'millisecond', 'milliseconds'],
];

/** Returns a duration in words, in its two largest units: 90000 → "1 minute 30 seconds". */
export function durationInWords(ms: number): string {
  const parts: string[] = [];
  let left = Math.abs(Math.trunc(ms));
  for (const [size, one, many] of UNITS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count} ${count === 1 ? one : many}`);
  }
  return parts.length === 0 ? 'at once' : parts.slice(0, 2).join(' ');
}

/** Returns MB as GB if that is easier to read: 1024 → "1 GB", 1536 → "1.5 GB". Null below half a GB. */
export function gigabytesInWords(mb: number): string | null {
  if (mb < 512) return null;
  const gb = mb / 1024;
  const exact = Number.isInteger(gb * 100);
  return `${exact ? '' : '≈ '}${Number(gb.toFixed(2))} GB`;
}

/**
 * Returns what a number in a field means: the meaning of a special value, a time in words, a size in GB. Undefined
 * if it needs no explanation.
 */
export function meaningOf(field: FieldDescription, text: string): string | undefined {
  const typed = text.trim() === '' ? String(field.default) : text.trim();
  const special = field.special?.[typed];
  if (special !== undefined) return special;
  if (!/^\d+$/.test(typed)) return undefined;
  if (field.unit === 'ms') return durationInWords(Number(typed));
  if (field.unit === 'MB') return gigabytesInWords(Number(typed)) ?? undefined;
  return undefined;
}

/** Returns a value as the review and the conflict view show it. */
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
  if (special !== undefined) return `${value} (${special})`;
  const unit = field.unit === undefined ? '' : ` ${unitOf(field.unit, value)}`;
  const meaning = meaningOf(field, String(value));
  return `${value}${unit}${meaning === undefined ? '' : ` (${meaning})`}`;
}

/** Returns `players`, but 1 `player`. */
function unitOf(unit: NonNullable<FieldDescription['unit']>, value: number): string {
  return value === 1 && (unit === 'players' || unit === 'services') ? unit.slice(0, -1) : unit;
}

function itemInWords(item: unknown): string {
  if (typeof item !== 'object' || item === null) return String(item);
  if ('path' in item && 'destination' in item) {
    const folder = 'directory' in item && item.directory === true ? ' (directory)' : '';
    return `${String(item.path)} → ${String(item.destination)}${folder}`;
  }
  return JSON.stringify(item);
}

/**
 * Returns a problem's text under its field, which shows label and value already: "Must be a whole number. Allowed:
 * …".
 */
export function problemUnderField(problem: FieldProblem): string {
  const where = /\[(\d+)\](?:\.(\w+))?$/.exec(problem.field);
  const entry =
    where === null ? '' : `Entry ${Number(where[1]) + 1}${where[2] === undefined ? '' : `, ${where[2]}`}: `;
  const words =
    entry === '' ? problem.problem.charAt(0).toUpperCase() + problem.problem.slice(1) : problem.problem;
  const crossField = problem.problem.startsWith('must not be larger');
  const allowed = problem.allowed === null || crossField ? '' : ` Allowed: ${problem.allowed}.`;
  return `${entry}${words}.${allowed}`;
}

const effectPhrase: Readonly<Record<Effect, (count: number) => string>> = {
  now: (count) => `${count} ${count === 1 ? 'takes' : 'take'} effect now`,
  'next service start': (count) => `${count} at the next start of a service`,
  'master start': (count) => `${count} at the next start of the master`,
};

/** Summarizes changes by when they take effect. */
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
