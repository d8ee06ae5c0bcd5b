import { closest, distance } from 'fastest-levenshtein';
import type { z } from 'zod';
import type { FieldDescription } from './field.ts';
import { pathText, shorten, type FieldProblem } from './problem.ts';
import { hideTokens } from './secret.ts';

/** A problem, with the path of the value that has the problem. The line of the problem is derived from the path. */
export interface LocatedProblem {
  readonly path: readonly PropertyKey[];
  /** Code of the zod issue, such as `too_small`; `unusable_text` for a string with an invalid character. */
  readonly code: string;
  readonly problem: FieldProblem;
}

/** Data that all problems of one document share. */
export interface IssueContext {
  readonly fields: readonly FieldDescription[];
  readonly document: unknown;
}

const DOTS = '"••••"';

/**
 * Maximum length of a key that gets a "did you mean" hint. No known key is nearly as long, and comparing long keys
 * is slow.
 */
const LONGEST_HINTED_KEY = 64;

/** Turns one issue of the schema into problems. An issue about unknown keys becomes one problem per key. */
export function toProblems(issue: z.core.$ZodIssue, context: IssueContext): LocatedProblem[] {
  if (issue.code === 'unrecognized_keys') {
    const known = siblings(context.fields, issue.path);
    return issue.keys.map((key) => unknownKey([...issue.path, key], known, context));
  }
  const field = descriptionOf(context.fields, issue.path);
  const found = valueAt(context.document, issue.path);
  return [
    problemAt(issue.path, {
      code: issue.code,
      words: describeIssue(issue, found),
      found,
      field,
      fields: context.fields,
    }),
  ];
}

interface Finding {
  readonly code: string;
  readonly words: string;
  readonly found: unknown;
  readonly field: FieldDescription | undefined;
  readonly fields: readonly FieldDescription[];
}

/** Returns a {@link LocatedProblem} for the value at a path. Hides the value if it is a secret or may contain one. */
function problemAt(
  path: readonly PropertyKey[],
  { code, words, found, field, fields }: Finding,
): LocatedProblem {
  return {
    path,
    code,
    problem: {
      field: shownPath(fields, path),
      problem: words,
      value: found === undefined ? null : shownValue(fields, path, found),
      allowed: field?.allowed ?? sectionKeys(fields, path),
      default: field?.default === undefined ? null : shorten(field.default),
      line: null,
    },
  };
}

/**
 * Returns the text that a problem shows for a value. If the schema of the document has a secret field, anything that
 * looks like a token is hidden in every field, because a person may enter the secret in the wrong field.
 */
function shownValue(
  fields: readonly FieldDescription[],
  path: readonly PropertyKey[],
  found: unknown,
): string {
  if (holdsSecret(fields, path)) return DOTS;
  return hasSecret(fields) ? shorten(found, hideTokens) : shorten(found);
}

/**
 * Returns the text that a problem shows for a path. Tokens are hidden, because a person may enter a token as the key
 * of a field.
 */
function shownPath(fields: readonly FieldDescription[], path: readonly PropertyKey[]): string {
  return hasSecret(fields) ? hideTokens(pathText(path)) : pathText(path);
}

function hasSecret(fields: readonly FieldDescription[]): boolean {
  return fields.some(({ secret }) => secret === true);
}

/** Returns a {@link LocatedProblem} for a string that contains a NUL character or a lone surrogate. */
export function unusableText(
  path: readonly PropertyKey[],
  words: string,
  { fields, document }: IssueContext,
): LocatedProblem {
  return problemAt(path, {
    code: 'unusable_text',
    words,
    found: valueAt(document, path),
    field: descriptionOf(fields, path),
    fields,
  });
}

function unknownKey(
  path: readonly PropertyKey[],
  known: readonly string[],
  { fields }: IssueContext,
): LocatedProblem {
  const key = String(path.at(-1));
  return {
    path,
    code: 'unrecognized_keys',
    problem: {
      field: shownPath(fields, path),
      problem: `is not a known key${nearestHint(key, known)}`,
      value: null,
      allowed: known.join(', '),
      default: null,
      line: null,
    },
  };
}

/** Returns a hint that names the nearest known key, or an empty string if no known key is similar. */
function nearestHint(key: string, known: readonly string[]): string {
  if (known.length === 0 || key.length > LONGEST_HINTED_KEY) return '';
  const sameButCase = known.find((name) => name.toLowerCase() === key.toLowerCase());
  const nearest = sameButCase ?? closest(key, known);
  const far = distance(key.toLowerCase(), nearest.toLowerCase()) > Math.max(key.length, nearest.length) / 2;
  return far ? '' : `; did you mean "${nearest}"?`;
}

function describeIssue(issue: z.core.$ZodIssue, found: unknown): string {
  if (found === undefined && issue.code === 'invalid_type') return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'must be a whole number' : `must be ${nameOfType(issue.expected)}`;
    case 'too_small':
      return tooSmall(issue.origin, issue.minimum, found);
    case 'too_big':
      return tooBig(issue.origin, issue.maximum, found);
    case 'custom':
      return issue.message === 'Invalid input' ? 'is not allowed' : issue.message;
    default:
      return 'is not allowed';
  }
}

function tooSmall(origin: string, least: number | bigint, found: unknown): string {
  if (origin === 'string')
    return found === '' || least === 1 ? 'is empty' : `is too short (at least ${least} characters)`;
  if (origin === 'array') return `has too few entries (at least ${least})`;
  return `is too small (at least ${least})`;
}

function tooBig(origin: string, most: number | bigint, found: unknown): string {
  if (origin === 'string' && typeof found === 'string') {
    return `is too long (${found.length} characters, at most ${most})`;
  }
  if (origin === 'array' && Array.isArray(found)) {
    return `has too many entries (${found.length}, at most ${most})`;
  }
  return `is too large (at most ${most})`;
}

function nameOfType(type: string): string {
  const names: Readonly<Record<string, string>> = {
    string: 'a string',
    number: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
  };
  return names[type] ?? type;
}

/**
 * Returns the type of a JSON value in words.
 *
 * Example: `kindOf([1])` → `'a list'`.
 */
export function kindOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'number' ? 'a number' : nameOfType(typeof value);
}

function valueAt(document: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, part)
        ? (value as Record<PropertyKey, unknown>)[part]
        : undefined,
    document,
  );
}

/** Returns whether the value at the path is a secret, or a section or list that contains a secret. */
export function holdsSecret(fields: readonly FieldDescription[], path: readonly PropertyKey[]): boolean {
  return fields.some((field) => {
    const isInside = field.path.every((part, i) => path[i] === part);
    const isAround = path.every((part, i) => field.path[i] === part);
    if (!isInside && !isAround) return false;
    // The path of an entry's field consists of the path of the list, the index of the entry, and the path in the
    // entry.
    if (field.secret === true) return true;
    return isInside && holdsSecret(field.entry ?? [], path.slice(field.path.length + 1));
  });
}

/** Returns the allowed content of a section ("an object with the keys …"), or null if the path is not a section. */
function sectionKeys(fields: readonly FieldDescription[], path: readonly PropertyKey[]): string | null {
  const keys = siblings(fields, path);
  return keys.length === 0 ? null : `an object with the keys ${keys.join(', ')}`;
}

/** Returns the keys that the schema defines below a path. */
function siblings(fields: readonly FieldDescription[], path: readonly PropertyKey[]): string[] {
  const index = path.findIndex((part) => typeof part === 'number');
  if (index >= 0) {
    const list = descriptionOf(fields, path.slice(0, index));
    return siblings(list?.entry ?? [], path.slice(index + 1));
  }
  const below = fields.filter((f) => path.every((part, i) => f.path[i] === part));
  return [...new Set(below.flatMap((f) => f.path.slice(path.length, path.length + 1)))];
}

function descriptionOf(
  fields: readonly FieldDescription[],
  path: readonly PropertyKey[],
): FieldDescription | undefined {
  const own = fields.find((f) => f.path.every((part, i) => path[i] === part));
  if (own === undefined) return undefined;
  const inEntry = path.slice(own.path.length + 1);
  if (own.entry === undefined || inEntry.length === 0) return own;
  return descriptionOf(own.entry, inEntry) ?? own;
}
