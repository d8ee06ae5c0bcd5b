import { z } from 'zod';

/** One thing wrong with a document, in the words of its reader: which field, what it holds, what it may hold. */
export interface FieldProblem {
  /** Dotted path as `firewall_rules[0].port`; empty for the document as a whole. */
  readonly field: string;
  /** What is wrong, as the end of the sentence "`field` …". */
  readonly problem: string;
  /** The value found, as JSON text cut to 80 characters; dots for a secret; null when there is none. */
  readonly value: string | null;
  /** What is allowed, in words; null for the document as a whole. */
  readonly allowed: string | null;
  /** The default as JSON text; null where there is none. */
  readonly default: string | null;
  /** 1-based line in the text, where it is known. */
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

/** One problem as one sentence that names field, value, allowed and default. */
export function problemSentence(problem: FieldProblem): string {
  const where = problem.line === null ? '' : ` (line ${problem.line})`;
  const subject = problem.field === '' ? 'The document' : problem.field;
  const value = problem.value === null ? '' : `: found ${problem.value}`;
  const allowed = problem.allowed === null ? '' : `; allowed: ${problem.allowed}`;
  const standard = problem.default === null ? '' : `; default: ${problem.default}`;
  const sentence = `${subject}${where} ${problem.problem}${value}${allowed}${standard}`;
  return sentence.endsWith('?') ? sentence : `${sentence}.`;
}

/** A problem of the document as a whole. */
export function documentProblem(problem: string, line: number | null = null): FieldProblem {
  return { field: '', problem, value: null, allowed: null, default: null, line };
}

/** A value as JSON text for people, at most 80 characters; numbers that JSON cannot write are named as they are. */
export function shorten(value: unknown, hide: (text: string) => string = (text) => text): string {
  const json = typeof value === 'number' && !Number.isFinite(value) ? String(value) : JSON.stringify(value);
  const text = hide(json);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}

const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;

/** A path as people write it: `firewall_rules[0].port`; keys that would not read well stand quoted in brackets. */
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
