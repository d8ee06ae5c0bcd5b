import { z } from 'zod';

/** One problem of a document: the field, the value found and the allowed values, in words. */
export interface FieldProblem {
  /** Dotted path, such as `firewall_rules[0].port`. Empty for the document as a whole. */
  readonly field: string;
  /** Description of the problem: a predicate, with the field as the subject of the sentence. */
  readonly problem: string;
  /** The value found, as JSON text of at most 80 characters. Dots for a secret; null if there is no value. */
  readonly value: string | null;
  /** The allowed values in words. Null for the document as a whole. */
  readonly allowed: string | null;
  /** The default as JSON text. Null if there is none. */
  readonly default: string | null;
  /** 1-based line in the text. Null if unknown. */
  readonly line: number | null;
}

export const fieldProblemSchema = z.strictObject({
  field: z.string(),
  problem: z.string(),
  value: z.string().nullable(),
  allowed: z.string().nullable(),
  default: z.string().nullable(),
  line: z.number().nullable(),
}) satisfies z.ZodType<FieldProblem>;

/** Returns a problem as one sentence with field, value, allowed values and default. */
export function problemSentence(problem: FieldProblem): string {
  const where = problem.line === null ? '' : ` (line ${problem.line})`;
  const subject = problem.field === '' ? 'The document' : problem.field;
  const value = problem.value === null ? '' : `: found ${problem.value}`;
  const allowed = problem.allowed === null ? '' : `; allowed: ${problem.allowed}`;
  const standard = problem.default === null ? '' : `; default: ${problem.default}`;
  const sentence = `${subject}${where} ${problem.problem}${value}${allowed}${standard}`;
  return sentence.endsWith('?') ? sentence : `${sentence}.`;
}

/** Returns a problem that concerns the document as a whole. */
export function documentProblem(problem: string, line: number | null = null): FieldProblem {
  return { field: '', problem, value: null, allowed: null, default: null, line };
}

/**
 * Returns a value as JSON text of at most 80 characters. Numbers that JSON cannot represent appear by name, such as
 * `Infinity`.
 *
 * @param hide removes secrets from the JSON text before it is cut
 */
export function shorten(value: unknown, hide: (text: string) => string = (text) => text): string {
  const json = typeof value === 'number' && !Number.isFinite(value) ? String(value) : JSON.stringify(value);
  const text = hide(json);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/**
 * Returns a path in the notation that people use: `firewall_rules[0].port`. Keys with unusual characters are quoted
 * in brackets.
 */
export function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => {
      if (typeof part === 'number') return `[${part}]`;
      const key = String(part);
      if (!PLAIN_KEY.test(key) || key.length > 80) return `[${shorten(key)}]`;
      return i === 0 ? key : `.${key}`;
    })
    .join('');
}
