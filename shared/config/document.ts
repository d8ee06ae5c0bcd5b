import { closest } from 'fastest-levenshtein';
import { parseTree, printParseErrorCode, visit, type Node, type ParseError } from 'jsonc-parser';
import { z } from 'zod';
import { describeFields, type FieldDescription } from './field.ts';

/** Largest configuration document that is read at all, in bytes. A full one has about 5 KB. */
export const MAX_DOCUMENT_BYTES = 1_048_576;

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

/** Result of reading a document: the typed value with all defaults filled in, or everything wrong with it. */
export type DocumentReading<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'faulty'; readonly problems: readonly FieldProblem[] };

/** One problem as one sentence that names field, value, allowed and default. */
export function problemSentence(problem: FieldProblem): string {
  const where = problem.line === null ? '' : ` (line ${problem.line})`;
  const subject = problem.field === '' ? 'The document' : problem.field;
  const value = problem.value === null ? '' : `: found ${problem.value}`;
  const allowed = problem.allowed === null ? '' : `; allowed: ${problem.allowed}`;
  const standard = problem.default === null ? '' : `; default: ${problem.default}`;
  return `${subject}${where} ${problem.problem}${value}${allowed}${standard}.`;
}

/**
 * Reads a configuration document from text, as it stands in a file or an editor.
 * Refuses what JSON.parse lets pass (a key given twice) and says where it stands.
 */
export function readDocument<S extends z.ZodType>(schema: S, text: string): DocumentReading<z.infer<S>> {
  const faulty = (problem: string, line: number | null = null): DocumentReading<z.infer<S>> => ({
    kind: 'faulty',
    problems: [{ field: '', problem, value: null, allowed: null, default: null, line }],
  });
  if (text.length > MAX_DOCUMENT_BYTES) return faulty(tooLargeProblem(text.length));
  if (text.startsWith('\uFEFF')) return faulty('begins with a byte order mark; save it as UTF-8 without one');
  if (text.includes('\uFFFD')) return faulty('holds bytes that are not UTF-8; save it as UTF-8');
  if (text.trim() === '') return faulty('is empty; it must be a JSON object, at least {}');
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: false, disallowComments: true });
  const [error] = errors;
  if (error !== undefined || tree === undefined) {
    const offset = error?.offset ?? 0;
    const what = error === undefined ? 'no value' : words(printParseErrorCode(error.error));
    return faulty(`is not valid JSON: ${what}`, lineAt(text, offset));
  }
  const twice = findDuplicateKey(text);
  if (twice !== undefined) {
    const problem = 'is given twice; keep one of them';
    return {
      kind: 'faulty',
      problems: [
        {
          field: twice.path,
          problem,
          value: null,
          allowed: 'each key once',
          default: null,
          line: twice.line,
        },
      ],
    };
  }
  const reading = checkDocument(schema, JSON.parse(text));
  if (reading.kind === 'ok') return reading;
  return {
    kind: 'faulty',
    problems: reading.problems.map((problem) => ({
      ...problem,
      line: lineOfField(text, tree, problem.field),
    })),
  };
}

/** What to say of a document of more than {@link MAX_DOCUMENT_BYTES}; also for callers that look at a file's size before reading it. */
export function tooLargeProblem(bytes: number): string {
  return `has ${bytes} bytes; at most ${MAX_DOCUMENT_BYTES} are read`;
}

/** Checks a value that is already JSON (as from the admin API) against a document schema. */
export function checkDocument<S extends z.ZodType>(schema: S, value: unknown): DocumentReading<z.infer<S>> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { kind: 'ok', value: result.data };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    const problem = `must be a JSON object, not ${kindOf(value)}`;
    return {
      kind: 'faulty',
      problems: [{ field: '', problem, value: shorten(value), allowed: null, default: null, line: null }],
    };
  }
  const fields = describeFields(schema);
  return {
    kind: 'faulty',
    problems: result.error.issues.flatMap((issue) => toProblems(issue, fields, value)),
  };
}

function toProblems(
  issue: z.core.$ZodIssue,
  fields: readonly FieldDescription[],
  document: object,
): FieldProblem[] {
  const path = toText(issue.path);
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) =>
      unknownKey(toText([...issue.path, key]), key, siblings(fields, issue.path)),
    );
  }
  const description = descriptionOf(fields, issue.path);
  const found = valueAt(document, issue.path);
  return [
    {
      field: path,
      problem: describeIssue(issue, found, description),
      value: found === undefined ? null : description?.secret === true ? '"••••"' : shorten(found),
      allowed: description?.allowed ?? null,
      default: description?.default === undefined ? null : shorten(description.default),
      line: null,
    },
  ];
}

function unknownKey(path: string, key: string, known: readonly string[]): FieldProblem {
  const nearest = known.length === 0 ? undefined : closest(key, known);
  const hint = nearest === undefined ? '' : `; did you mean "${nearest}"?`;
  return {
    field: path,
    problem: `is not a known key${hint}`,
    value: null,
    allowed: known.join(', '),
    default: null,
    line: null,
  };
}

function describeIssue(issue: z.core.$ZodIssue, found: unknown, field: FieldDescription | undefined): string {
  if (found === undefined && issue.code === 'invalid_type') return 'is missing';
  switch (issue.code) {
    case 'invalid_type':
      return issue.expected === 'int' ? 'must be a whole number' : `must be ${article(issue.expected)}`;
    case 'too_small':
      return `is too small${limit(issue.minimum, 'least', field)}`;
    case 'too_big':
      return `is too large${limit(issue.maximum, 'most', field)}`;
    case 'custom':
      return issue.message === 'Invalid input' ? 'is not allowed' : issue.message;
    default:
      return 'is not allowed';
  }
}

function limit(bound: number | bigint, word: 'least' | 'most', field: FieldDescription | undefined): string {
  return field?.type === 'integer' ? ` (at ${word} ${bound})` : '';
}

function article(type: string): string {
  const names: Readonly<Record<string, string>> = {
    string: 'a text',
    number: 'a whole number',
    boolean: 'true or false',
    array: 'a list',
    object: 'an object',
  };
  return names[type] ?? type;
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : article(typeof value);
}

function shorten(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= 80 ? text : `${text.slice(0, 79)}…`;
}

function toText(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : `${i === 0 ? '' : '.'}${String(part)}`))
    .join('');
}

function valueAt(document: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, part) =>
      typeof value === 'object' && value !== null ? (value as Record<PropertyKey, unknown>)[part] : undefined,
    document,
  );
}

/** Keys known at a path: the first parts of all field paths below it. */
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
  const rest = path.slice(own.path.length);
  const inEntry = rest.slice(1);
  if (own.entry === undefined || inEntry.length === 0) return own;
  return descriptionOf(own.entry, inEntry) ?? own;
}

/** `PropertyNameExpected` → "property name expected". */
function words(code: string): string {
  return code.replace(/([a-z])([A-Z])/g, '$1 $2').toLowerCase();
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function findDuplicateKey(text: string): { path: string; line: number } | undefined {
  const open: Set<string>[] = [];
  let found: { path: string; line: number } | undefined;
  visit(text, {
    onObjectBegin: () => {
      open.push(new Set());
    },
    onObjectEnd: () => {
      open.pop();
    },
    // eslint-disable-next-line @typescript-eslint/max-params -- the visitor's signature
    onObjectProperty: (key, _offset, _length, line, _column, pathSupplier) => {
      const keys = open.at(-1);
      if (keys?.has(key) === true) found ??= { path: toText([...pathSupplier(), key]), line: line + 1 };
      keys?.add(key);
    },
  });
  return found;
}

function lineOfField(text: string, tree: Node, path: string): number | null {
  if (path === '') return null;
  const parts = path.split(/[.[\]]+/).filter((part) => part !== '');
  let node = tree;
  let offset: number | null = null;
  for (const part of parts) {
    const child: Node | undefined =
      node.type === 'array'
        ? node.children?.[Number(part)]
        : node.children?.find((property) => property.children?.[0]?.value === part)?.children?.[1];
    if (child === undefined) break;
    offset = child.offset;
    node = child;
  }
  return offset === null ? null : lineAt(text, offset);
}
