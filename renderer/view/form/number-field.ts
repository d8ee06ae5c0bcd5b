import type { FieldDescription } from '#shared/config/field.ts';
import type { Notation } from '../../ui/form/notation.ts';
import { durationNotations, isTimeUnit } from '../format/duration.ts';

/** Value in a template's document that means "no limit" or "never" (docs/specification.md#template-configuration). */
export const UNLIMITED = '-1';

/** Settings of the input for a number of the document. */
export interface NumberFieldShape {
  /** Unit that is shown inside the field. Undefined for a duration, whose text contains its units. */
  readonly unit: string | undefined;
  readonly notation: Notation | undefined;
  readonly min: number | undefined;
  /** The field's default. Undefined if the field has no limit by default. */
  readonly placeholder: string | undefined;
  /** Value that the field gets when a person sets a limit for the first time. */
  readonly limitAtFirst: string;
}

const FIRST_LIMIT = '10';

/** Returns whether a field is a number, with or without decimals. */
export function isNumeric({ type }: Pick<FieldDescription, 'type'>): boolean {
  return type === 'integer' || type === 'number';
}

/** Returns the label of a field's switch for -1: `No limit` or `Never`. Null if -1 has no meaning for the field. */
export function unlimitedWord({ special }: Pick<FieldDescription, 'special'>): string | null {
  const word = special?.[UNLIMITED];
  return word === undefined ? null : word.charAt(0).toUpperCase() + word.slice(1);
}

/**
 * Returns the settings of a number's input. The input shows a duration with units, a limit that can be switched off,
 * or a plain number.
 */
export function numberFieldOf(field: FieldDescription): NumberFieldShape {
  const notation = isTimeUnit(field.unit) ? durationNotations[field.unit] : undefined;
  const standard = String(field.default);
  const hasLimit = standard !== UNLIMITED;
  return {
    unit: notation === undefined ? field.unit : undefined,
    notation,
    min: unlimitedWord(field) === null ? field.min : Math.max(0, field.min ?? 0),
    placeholder: hasLimit ? standard : undefined,
    limitAtFirst: hasLimit ? standard : FIRST_LIMIT,
  };
}
