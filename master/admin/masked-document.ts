import type { FieldDescription } from '#shared/config/field.ts';
import { parseJsonText } from '#shared/config/json-text.ts';
import { hideTokens, SECRET_MASK } from '#shared/config/secret.ts';

/**
 * Returns a faulty document without its secrets, so that the document may be sent to clients. Values of known fields
 * are unchanged. Secrets and all values under unknown keys are masked, because the value of a mistyped key, such as
 * `api_tokn`, may be the token.
 *
 * @param text the document on disk
 * @returns null if the document is not a JSON object
 */
export function maskedDocument(fields: readonly FieldDescription[], text: string): unknown {
  const json = parseJsonText(text);
  return 'tree' in json && isObject(json.value) ? maskObject(fields, json.value) : null;
}

function maskObject(fields: readonly FieldDescription[], object: Record<string, unknown>): unknown {
  return Object.fromEntries(
    Object.entries(object).map(([key, value]) => {
      const below = fields.filter(({ path }) => path[0] === key);
      return [hideTokens(key), maskValue(below, value)];
    }),
  );
}

/**
 * Masks one value of a document.
 *
 * @param below the known fields at the value's key: the field itself, the fields of a section, or none if the key is
 *   unknown
 */
function maskValue(below: readonly FieldDescription[], value: unknown): unknown {
  const field = below.find(({ path }) => path.length === 1);
  if (field !== undefined) return maskLeaf(field, value);
  if (below.length === 0 || !isObject(value)) return SECRET_MASK;
  return maskObject(
    below.map((one) => ({ ...one, path: one.path.slice(1) })),
    value,
  );
}

function maskLeaf(field: FieldDescription, value: unknown): unknown {
  if (field.secret === true) return SECRET_MASK;
  if (!Array.isArray(value)) return maskScalar(value);
  const { entry } = field;
  if (entry === undefined) return value.map(maskScalar);
  return value.map((item) => (isObject(item) ? maskObject(entry, item) : SECRET_MASK));
}

function maskScalar(value: unknown): unknown {
  if (typeof value === 'string') return hideTokens(value);
  return typeof value === 'object' && value !== null ? SECRET_MASK : value;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
