import { problemSentence, readDocument, type FieldProblem } from '#shared/config/document.ts';
import type { FieldDescription } from '#shared/config/field.ts';
import { lineOfPath, parseJsonText } from '#shared/config/json-text.ts';
import { SECRET_MASK } from '#shared/config/secret.ts';
import type { ConfigWarning } from '#shared/config/warnings.ts';
import type { z } from 'zod';
import type { CodeDiagnostic } from '../../ui/code/contract.ts';
import { isSame } from './form-changes.ts';
import { pathOf, putAt, toDocument, toInputs, valueAt, type FormInputs } from './form-model.ts';

/** Result of reading the JSON text of a document. */
export interface JsonReading {
  readonly problems: readonly FieldProblem[];
  /**
   * Inputs of a form that represent the whole text. Null if a form cannot show the text. Examples: it is not valid
   * JSON, it has an unknown key, or a text instead of a number.
   */
  readonly inputs: FormInputs | null;
}

/** Returns a document as JSON text, in the form in which it would be saved. Secrets are masked. */
export function toJsonText(fields: readonly FieldDescription[], document: unknown): string {
  return `${JSON.stringify(withoutSecrets(fields, document), null, 2)}\n`;
}

function withoutSecrets(fields: readonly FieldDescription[], document: unknown): unknown {
  const masked = structuredClone(document) as Record<string, unknown>;
  for (const { path, secret, default: unset } of fields) {
    if (secret !== true) continue;
    const value = valueAt(masked, path);
    if (value !== undefined && value !== unset) putAt(masked, path, SECRET_MASK);
  }
  return masked;
}

/**
 * Reads the JSON text of a document while a person types it.
 *
 * @param present current inputs of the form; a mask in the text stands for the secret in these inputs
 */
export function readJsonText(
  { schema, fields }: { readonly schema: z.ZodType; readonly fields: readonly FieldDescription[] },
  text: string,
  present: FormInputs,
): JsonReading {
  const reading = readDocument(schema, text);
  const problems = reading.kind === 'ok' ? [] : reading.problems;
  const json = parseJsonText(text);
  const isPlain = 'tree' in json && !problems.some(({ problem }) => problem.startsWith('is defined twice'));
  return { problems, inputs: isPlain ? toSameInputs(fields, json.value, present) : null };
}

/** Returns the inputs of a document. Null if they do not represent the whole document. */
function toSameInputs(
  fields: readonly FieldDescription[],
  document: unknown,
  present: FormInputs,
): FormInputs | null {
  if (typeof document !== 'object' || document === null || Array.isArray(document)) return null;
  const inputs = toInputs(fields, document);
  const again = toDocument(fields, inputs);
  const lost = fields.some(({ path }) => {
    const value = valueAt(document, path);
    return value !== undefined && !isSame(value, valueAt(again, path));
  });
  if (lost || !isSame(known(fields, document), document)) return null;
  return keepSecrets(fields, inputs, present);
}

/** Returns the known part of a document. Omits unknown keys, and values at keys that are sections in the schema. */
function known(fields: readonly FieldDescription[], document: object): unknown {
  const kept: Record<string, unknown> = {};
  for (const { path } of fields) {
    const value = valueAt(document, path);
    if (value !== undefined) putAt(kept, path, value);
    else if (path.length > 1) putEmptySections(kept, document, path);
  }
  return kept;
}

/** Adds an empty object to `kept` for the section of a path if the document contains the section as an object. */
function putEmptySections(kept: Record<string, unknown>, document: object, path: readonly string[]): void {
  const section = path.slice(0, -1);
  const there = valueAt(document, section);
  const isSection = typeof there === 'object' && there !== null && !Array.isArray(there);
  if (isSection && valueAt(kept, section) === undefined) putAt(kept, section, {});
}

function keepSecrets(
  fields: readonly FieldDescription[],
  inputs: FormInputs,
  present: FormInputs,
): FormInputs {
  const kept = { ...inputs };
  for (const field of fields) {
    const path = pathOf(field);
    const before = present[path];
    if (field.secret === true && kept[path] === SECRET_MASK && before !== undefined) kept[path] = before;
  }
  return kept;
}

/** Converts problems to the editor's diagnostics at their lines. */
export function toDiagnostics(problems: readonly FieldProblem[]): readonly CodeDiagnostic[] {
  return problems.map((problem) => ({
    line: problem.line ?? 1,
    severity: 'error',
    message: problemSentence({ ...problem, line: null }),
  }));
}

/** Converts warnings to the editor's diagnostics at the lines of their fields. Empty for invalid JSON. */
export function toWarnings(text: string, warnings: readonly ConfigWarning[]): readonly CodeDiagnostic[] {
  const json = parseJsonText(text);
  if (!('tree' in json)) return [];
  return warnings.map(({ field, message }) => ({
    line: lineOfPath(text, json.tree, field.split('.')) ?? 1,
    severity: 'warning',
    message,
  }));
}

/** Returns a sentence with the reason why a form cannot show the JSON. */
export function unreadableSentence([first]: readonly FieldProblem[]): string {
  if (first === undefined) return 'The JSON has content that the form cannot show.';
  // If the problem suggests a key, the list of all allowed keys is omitted, because it would distract from the
  // suggestion. The editor offers all keys anyway.
  const allowed = first.problem.includes('did you mean') ? null : first.allowed;
  return `The JSON has a mistake${first.line === null ? '' : ` in line ${first.line}`}: ${problemSentence({ ...first, allowed, line: null })}`;
}
