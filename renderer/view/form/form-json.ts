import { problemSentence, readDocument, type FieldProblem } from '#shared/config/document.ts';
import type { FieldDescription } from '#shared/config/field.ts';
import { lineOfPath, parseJsonText } from '#shared/config/json-text.ts';
import { SECRET_MASK } from '#shared/config/secret.ts';
import type { ConfigWarning } from '#shared/config/warnings.ts';
import type { z } from 'zod';
import type { CodeDiagnostic } from '../../ui/code/contract.ts';
import { isSame } from './form-changes.ts';
import { pathOf, putAt, toDocument, toInputs, valueAt, type FormInputs } from './form-model.ts';

/** What a JSON text amounts to. */
export interface JsonReading {
  readonly problems: readonly FieldProblem[];
  /** The inputs that say the same; null while a form cannot: no JSON, a key that is not ours, a text instead of a number. */
  readonly inputs: FormInputs | null;
}

/** A document as JSON, as it would stand on disk; secrets masked where one is set. */
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
 * Reads JSON as somebody types it.
 *
 * @param present the inputs as they are: a mask in the text means the secret that stands there
 */
export function readJsonText(
  { schema, fields }: { readonly schema: z.ZodType; readonly fields: readonly FieldDescription[] },
  text: string,
  present: FormInputs,
): JsonReading {
  const reading = readDocument(schema, text);
  const problems = reading.kind === 'ok' ? [] : reading.problems;
  const json = parseJsonText(text);
  const isPlain = 'tree' in json && !problems.some(({ problem }) => problem.startsWith('is given twice'));
  return { problems, inputs: isPlain ? toSameInputs(fields, json.value, present) : null };
}

/** The inputs of a document, if they say all that it says. */
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

/** What of a document has a field; other keys, and what stands where a section belongs, are left out. */
function known(fields: readonly FieldDescription[], document: object): unknown {
  const kept: Record<string, unknown> = {};
  for (const { path } of fields) {
    const value = valueAt(document, path);
    if (value !== undefined) putAt(kept, path, value);
    else if (path.length > 1) putEmptySections(kept, document, path);
  }
  return kept;
}

/** A section may stand there without any key in it. */
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

/** Problems as an editor marks them at their lines. */
export function toDiagnostics(problems: readonly FieldProblem[]): readonly CodeDiagnostic[] {
  return problems.map((problem) => ({
    line: problem.line ?? 1,
    severity: 'error',
    message: problemSentence({ ...problem, line: null }),
  }));
}

/** Warnings as an editor marks them at the lines of their fields; none in a text that is no JSON. */
export function toWarnings(text: string, warnings: readonly ConfigWarning[]): readonly CodeDiagnostic[] {
  const json = parseJsonText(text);
  if (!('tree' in json)) return [];
  return warnings.map(({ field, message }) => ({
    line: lineOfPath(text, json.tree, field.split('.')) ?? 1,
    severity: 'warning',
    message,
  }));
}

/** Why a form cannot show what the JSON says, in one sentence. */
export function unreadableSentence([first]: readonly FieldProblem[]): string {
  if (first === undefined) return 'The JSON says something that the form cannot show.';
  // The editor offers the keys there are; a list of all of them here would hide the one that is meant.
  const allowed = first.problem.includes('did you mean') ? null : first.allowed;
  return `The JSON has a mistake${first.line === null ? '' : ` in line ${first.line}`}: ${problemSentence({ ...first, allowed, line: null })}`;
}
