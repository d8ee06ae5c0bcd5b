import type { Notation } from '../../ui/form/notation.ts';

const WORDS: readonly (readonly [ms: number, one: string, many: string])[] = [
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
  for (const [size, one, many] of WORDS) {
    const count = Math.floor(left / size);
    left -= count * size;
    if (count > 0) parts.push(`${count} ${count === 1 ? one : many}`);
  }
  return parts.length === 0 ? '0 seconds' : parts.slice(0, 2).join(' ');
}

const MS = { d: 86_400_000, h: 3_600_000, min: 60_000, s: 1000, ms: 1 } as const;
type Unit = keyof typeof MS;
const units = Object.keys(MS) as readonly Unit[];

/** Unit of each word and abbreviation that a person may type for it. */
const UNIT_OF: Readonly<Record<string, Unit>> = {
  ms: 'ms',
  millisecond: 'ms',
  s: 's',
  sec: 's',
  second: 's',
  m: 'min',
  min: 'min',
  minute: 'min',
  h: 'h',
  hour: 'h',
  d: 'd',
  day: 'd',
};

const PART = /(\d+(?:[.,]\d+)?)\s*([a-z]*)\s*/y;

/** Returns the exact duration as a field shows it: 90000 → `1 min 30 s`; 0 → `0 s`. */
export function writeDuration(ms: number): string {
  const parts: string[] = [];
  let left = ms;
  for (const unit of units) {
    const count = Math.floor(left / MS[unit]);
    left -= count * MS[unit];
    if (count > 0) parts.push(`${count} ${unit}`);
  }
  return parts.length === 0 ? '0 s' : parts.join(' ');
}

/**
 * Parses a typed duration, such as `2 min`, `1h 30m` or `1.5 hours`, and returns it in ms. A single number without a
 * unit is in seconds. Returns null for any other text.
 */
export function readDuration(text: string): number | null {
  const typed = text.trim().toLowerCase();
  if (/^\d+(?:[.,]\d+)?$/.test(typed)) return toWhole(Number(typed.replace(',', '.')) * MS.s);
  let sum = 0;
  PART.lastIndex = 0;
  while (PART.lastIndex < typed.length) {
    const [, number = '', word = ''] = PART.exec(typed) ?? [];
    const unit = UNIT_OF[word] ?? UNIT_OF[word.replace(/s$/, '')];
    if (number === '' || unit === undefined) return null;
    sum += Number(number.replace(',', '.')) * MS[unit];
  }
  return typed === '' ? null : toWhole(sum);
}

function toWhole(ms: number): number | null {
  const whole = Math.round(ms);
  return Math.abs(whole - ms) < 1e-6 && Number.isSafeInteger(whole) ? whole : null;
}

const isWhole = (value: string): boolean => /^\d+$/.test(value);

/**
 * Returns the notation of a number field that shows a time as a duration. A text that is not a duration stays as
 * typed.
 *
 * @param unitMs unit of the value in the document (ms)
 */
function notationIn(unitMs: number): Notation {
  const toMs = (value: string): number => Number(value) * unitMs;
  return {
    show: (value) => (isWhole(value) ? writeDuration(toMs(value)) : value),
    read: (text) => {
      if (text.trim() === '') return '';
      const ms = readDuration(text);
      // A text that is not a duration becomes the value in the document, so that validation reports it.
      return ms === null || ms % unitMs !== 0 ? text : String(ms / unitMs);
    },
    // One press of an arrow key changes the smallest unit of the text by one: `2 min` becomes `3 min`.
    stepOf: (value) => {
      const ms = isWhole(value) ? toMs(value) : 0;
      return (ms === 0 ? MS.s : MS[units.find((unit) => ms % MS[unit] === 0) ?? 'ms']) / unitMs;
    },
    spoken: (value) => (isWhole(value) ? durationInWords(toMs(value)) : undefined),
  };
}

/** Units in which documents contain times. */
export type TimeUnit = 'ms' | 's';

/** Notations of number fields whose values are times, by the unit of the value in the document. */
export const durationNotations: Readonly<Record<TimeUnit, Notation>> = {
  ms: notationIn(MS.ms),
  s: notationIn(MS.s),
};

/** Returns whether a unit of a field is one of time (`ms` or `s`). */
export function isTimeUnit(unit: string | undefined): unit is TimeUnit {
  return unit === 'ms' || unit === 's';
}

/** Converts a number with a unit of time to ms. Returns null for any unit except `ms` and `s`. */
export function toMilliseconds(value: number, unit: string | undefined): number | null {
  return isTimeUnit(unit) ? value * MS[unit] : null;
}
