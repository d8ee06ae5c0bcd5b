import type { FieldDescription } from '#shared/config/field.ts';
import type { Notation } from '../../ui/form/notation.ts';
import { durationNotation } from '../format/duration.ts';

/** The value of the document that means "no limit" or "never" (docs/specification.md#template-configuration). */
export const UNLIMITED = '-1';

/** How a number of the document is edited in the form. */
export interface NumberFieldShape {
  /** Inside the field; a duration carries its own units. */
  readonly unit: string | undefined;
  readonly notation: Notation | undefined;
  readonly min: number | undefined;
  /** The default, unless it means "no limit". */
  readonly placeholder: string | undefined;
  /** What stands in the field once a limit is set for the first time. */
  readonly limitAtFirst: string;
}

const FIRST_LIMIT = '10';

/** The switch beside a field with a value for "no limit": `No limit`, `Never`; null for a field without one. */
export function unlimitedWord({ special }: Pick<FieldDescription, 'special'>): string | null {
  const word = special?.[UNLIMITED];
  return word === undefined ? null : word.charAt(0).toUpperCase() + word.slice(1);
}

/** Says how a number is edited: a duration with units, a limit that can be switched off, or plainly. */
export function numberFieldOf(field: FieldDescription): NumberFieldShape {
  const isDuration = field.unit === 'ms';
  const standard = String(field.default);
  const hasLimit = standard !== UNLIMITED;
  return {
    unit: isDuration ? undefined : field.unit,
    notation: isDuration ? durationNotation : undefined,
    min: unlimitedWord(field) === null ? field.min : Math.max(0, field.min ?? 0),
    placeholder: hasLimit ? standard : undefined,
    limitAtFirst: hasLimit ? standard : FIRST_LIMIT,
  };
}
