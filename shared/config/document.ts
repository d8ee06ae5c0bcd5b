import type { z } from 'zod';
import { describeFields } from './field.ts';
import {
  holdsSecret,
  kindOf,
  toProblems,
  unusableText,
  type IssueContext,
  type LocatedProblem,
} from './issues.ts';
import { findDuplicateKey, lineOfPath, MAX_NESTING, parseJsonText } from './json-text.ts';
import { documentProblem, pathText, shorten, type FieldProblem } from './problem.ts';

export { fieldProblemSchema, problemSentence, type FieldProblem } from './problem.ts';

/** Maximum size of a configuration document that is read (bytes). A document with every field set has about 5 KB. */
export const MAX_DOCUMENT_BYTES = 1_048_576;

/** Maximum number of problems that {@link readDocument} returns for one document. */
export const MAX_PROBLEMS = 50;

/** Result of reading a document: the typed value with all defaults filled in, or the list of its problems. */
export type DocumentReading<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'faulty'; readonly problems: readonly FieldProblem[] };

/**
 * Reads a configuration document from the text of a file or an editor.
 *
 * Rejects duplicate keys, which `JSON.parse` accepts, and reports the line of each problem. Never throws.
 */
export function readDocument<S extends z.ZodType>(schema: S, text: string): DocumentReading<z.infer<S>> {
  const unreadable = textProblem(text);
  if (unreadable !== null) return faulty([documentProblem(unreadable)]);
  const json = parseJsonText(text);
  if (!('tree' in json)) return faulty([documentProblem(json.problem, json.line)]);
  const twice = findDuplicateKey(text);
  if (twice !== undefined) {
    const problem = documentProblem('is defined twice; keep one of them', twice.line);
    return faulty([{ ...problem, field: pathText(twice.path), allowed: 'each key once' }]);
  }
  const reading = check(schema, json.value);
  if (reading.kind === 'ok') return reading;
  return faulty(
    reading.located.map(({ path, problem }) => ({ ...problem, line: lineOfPath(text, json.tree, path) })),
  );
}

/** Checks a parsed JSON value, such as a parameter of the admin API, against a document schema. Never throws. */
export function checkDocument<S extends z.ZodType>(schema: S, value: unknown): DocumentReading<z.infer<S>> {
  const reading = check(schema, value);
  return reading.kind === 'ok' ? reading : faulty(reading.located.map(({ problem }) => problem));
}

/**
 * Returns the problem text for a document that is larger than {@link MAX_DOCUMENT_BYTES}. Also used for a file that
 * was not read because of its size.
 */
export function tooLargeProblem(bytes: number): string {
  return `has ${bytes} bytes; the maximum is ${MAX_DOCUMENT_BYTES}`;
}

/** Returns a problem that can be found without parsing the text, or null if there is none. */
function textProblem(text: string): string | null {
  if (text.length > MAX_DOCUMENT_BYTES) return tooLargeProblem(text.length);
  if (text.startsWith('\uFEFF')) return 'begins with a byte order mark; save it as UTF-8 without one';
  if (text.includes('\uFFFD')) return 'contains bytes that are not UTF-8; save it as UTF-8';
  if (text.trim() === '') return 'is empty; it must be a JSON object, at least {}';
  return null;
}

function faulty(problems: readonly FieldProblem[]): { kind: 'faulty'; problems: readonly FieldProblem[] } {
  if (problems.length <= MAX_PROBLEMS) return { kind: 'faulty', problems };
  const more = documentProblem(`has ${problems.length - MAX_PROBLEMS} more problems, which are not listed`);
  return { kind: 'faulty', problems: [...problems.slice(0, MAX_PROBLEMS), more] };
}

type Checked<T> = { kind: 'ok'; value: T } | { kind: 'faulty'; located: readonly LocatedProblem[] };

function check<S extends z.ZodType>(schema: S, value: unknown): Checked<z.infer<S>> {
  const context: IssueContext = { fields: describeFields(schema), document: value };
  const look = inspect(value);
  if (look.tooDeep) {
    return { kind: 'faulty', located: [whole(`is nested more than ${MAX_NESTING} levels deep`, null)] };
  }
  const result = schema.safeParse(value);
  const texts = look.unusable.map(({ path, why }) => unusableText(path, why, context));
  if (result.success) {
    return texts.length === 0 ? { kind: 'ok', value: result.data } : { kind: 'faulty', located: texts };
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const shown = value === undefined || holdsSecret(context.fields, []) ? null : shorten(value);
    return { kind: 'faulty', located: [whole(`must be a JSON object, not ${kindOf(value)}`, shown)] };
  }
  const issues = result.error.issues.flatMap((issue) => toProblems(issue, context));
  return { kind: 'faulty', located: [...onePerField(issues), ...texts] };
}

function whole(problem: string, value: string | null): LocatedProblem {
  return { path: [], code: 'document', problem: { ...documentProblem(problem), value } };
}

/**
 * Reduces a list of problems to one problem per field.
 *
 * If a field has problems of different kinds, the first problem is kept, because it is the simplest ("is empty"
 * before "is not allowed"). If its problems are of the same kind, the last problem is kept, because the schema
 * reports the general limit (a safe integer) before the field's own limit.
 */
function onePerField(problems: readonly LocatedProblem[]): LocatedProblem[] {
  const kept = new Map<string, LocatedProblem>();
  for (const located of problems) {
    const before = kept.get(located.problem.field);
    if (before === undefined || before.code === located.code) kept.set(located.problem.field, located);
  }
  return [...kept.values()];
}

/**
 * Matches a lone surrogate: half of a surrogate pair without the other half. With the `u` flag, complete pairs do not
 * match.
 */
const LONE_SURROGATE = /\p{Surrogate}/u;

interface Inspection {
  readonly tooDeep: boolean;
  /** Paths of strings that contain a NUL character or a lone surrogate. */
  readonly unusable: readonly { readonly path: readonly PropertyKey[]; readonly why: string }[];
}

/**
 * Checks the depth and the strings of a document. Uses a loop, not recursion, so a deep document cannot exhaust the
 * stack.
 */
function inspect(document: unknown): Inspection {
  const unusable: { path: readonly PropertyKey[]; why: string }[] = [];
  const left: { value: unknown; path: readonly PropertyKey[] }[] = [{ value: document, path: [] }];
  for (let next = left.pop(); next !== undefined; next = left.pop()) {
    const { value, path } = next;
    if (path.length > MAX_NESTING) return { tooDeep: true, unusable };
    if (typeof value === 'string') {
      const why = unusableCharacters(value);
      if (why !== null && unusable.length <= MAX_PROBLEMS) unusable.push({ path, why });
    } else if (Array.isArray(value)) {
      value.forEach((item, i) => left.push({ value: item, path: [...path, i] }));
    } else if (typeof value === 'object' && value !== null) {
      for (const [key, item] of Object.entries(value)) left.push({ value: item, path: [...path, key] });
    }
  }
  return { tooDeep: false, unusable };
}

function unusableCharacters(text: string): string | null {
  if (text.includes('\0')) return 'contains a NUL character';
  return LONE_SURROGATE.test(text) ? 'contains half of a character (a lone surrogate)' : null;
}
