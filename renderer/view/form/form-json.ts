import { problemSentence, readDocument, type FieldProblem } from '#shared/config/document.ts';
import type { FieldDescription } from '#shared/config/field.ts';
import { lineOfPath, parseJsonText } from '#shared/config/json-text.ts';
import { SECRET_MASK } from '#shared/config/secret.ts';
import type { ConfigWarning } from '#shared/config/warnings.ts';
import type { z } from 'zod';
import type { CodeDiagnostic } from '../../ui/code/contract.ts';
import { isSame } from './form-changes.ts';
import { pathOf, putAt, toDocument, toInputs, valueAt, type FormInputs } from './form-model.ts';

/** Result of reading a JSON text. */
export interface JsonReading {
  readonly problems: readonly FieldProblem[];
  /**
   * The equivalent inputs. Null if a form cannot show the text: invalid JSON, an unknown key, a text instead of a
   * number.
   */
  readonly inputs: FormInputs | null;
}

/** Returns a document as JSON as it would be saved, with its secrets masked. */
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
 * Reads JSON while a person types it.
 *
 * @param present current inputs; a mask in the text stands for the current secret
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

/** Returns the inputs of a document if they represent all of it. */
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

/** Returns the part of a document that has fields. Leaves out unknown keys and values in place of sections. */
function known(fields: readonly FieldDescription[], document: object): unknown {
  const kept: Record<string, unknown> = {};
  for (const { path } of fields) {
    const value = valueAt(document, path);
    if (value !== undefined) putAt(kept, path, value);
    else if (path.length > 1) putEmptySections(kept, document, path);
  }
  return kept;
}

/** A section may exist without any key. */
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

/** Converts warnings to the editor's diagnostics at the lines of their fields. Returns none for invalid JSON. */
export function toWarnings(text: string, warnings: readonly ConfigWarning[]): readonly CodeDiagnostic[] {
  const json = parseJsonText(text);
  if (!('tree' in json)) return [];
  return warnings.map(({ field, message }) => ({
    line: lineOfPath(text, json.tree, field.split('.')) ?? 1,
    severity: 'warning',
    message,
  }));
}

/** Returns one sentence that says why a form cannot show the JSON. */
export function unreadableSentence([first]: readonly FieldProblem[]): string {
  if (first === undefined) return 'The JSON has content that the form cannot show.';
  // The editor offers the keys there are; a list of all of them here would hide the one that is meant.
  const allowed = first.problem.includes('did you mean') ? null : first.allowed;
  return `The JSON has a mistake${first.line === null ? '' : ` in line ${first.line}`}: ${problemSentence({ ...first, allowed, line: null })}`;
}
