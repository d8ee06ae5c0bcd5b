import { createScanner } from 'jsonc-parser';
import type { FieldProblem } from '#shared/config/document.ts';
import type { FieldDescription } from '#shared/config/field.ts';
import { MAX_NESTING } from '#shared/config/json-text.ts';
import { documentProblem, pathText } from '#shared/config/problem.ts';
import { hideTokens, SECRET_MASK } from '#shared/config/secret.ts';

/** A value that was hidden in a faulty text, because clients must not see it. */
export interface HiddenValue {
  /** Key of the value. Empty if the value stands before the first key. */
  readonly key: string;
  readonly value: string;
}

// Numbers of jsonc-parser's `SyntaxKind` and `ScanError`. Both are const enums, which cannot be imported when each
// module is compiled separately.
const COLON = 6;
const STRING = 10;
const FIRST_TRIVIA = 12;
const LAST_TRIVIA = 15;
const UNKNOWN = 16;
const UNCLOSED_STRING = 2;

interface Token {
  readonly kind: number;
  readonly raw: string;
  /** Content of a string: without quotes, and with escapes replaced. */
  readonly value: string;
  readonly isClosed: boolean;
}

/**
 * Hides all values of a text that are or may contain a secret. These are the strings and unquoted words at secret
 * keys and at unknown keys, and everything that looks like a token. An unknown key may be a typing mistake: the value
 * of `api_tokn` may be the token. The text need not be valid JSON. Its division into lines stays unchanged.
 *
 * @param stored the secret in use, which becomes `••••`; other values become `••••1`, `••••2` and so on
 */
export function hideValues(
  fields: readonly FieldDescription[],
  text: string,
  stored: string,
): { readonly text: string; readonly hidden: readonly HiddenValue[] } {
  const shownKeys = new Set(namesOf(fields));
  const hidden: HiddenValue[] = [];
  const tokens = tokensOf(text);
  let key = '';
  const written = tokens.map((token, i) => {
    if (token.kind !== STRING && token.kind !== UNKNOWN) return hideTokens(token.raw);
    if (isKey(tokens, i)) {
      key = token.value;
      return hideTokens(token.raw);
    }
    if (shownKeys.has(key) && hideTokens(token.raw) === token.raw) return token.raw;
    if (token.value === stored) return quoted(token, SECRET_MASK);
    hidden.push({ key, value: token.value });
    return quoted(token, `${SECRET_MASK}${hidden.length}`);
  });
  return { text: written.join(''), hidden };
}

/**
 * Replaces masks in a document with the hidden values for which they stand. A value is restored only at its own key
 * or at the key of a secret. Otherwise a token could be moved to a key that everybody may read.
 *
 * @returns the document with its values, and a problem for each mask without a value; if there are problems, the
 *   document is unusable
 */
export function showValues(
  fields: readonly FieldDescription[],
  document: unknown,
  hidden: readonly HiddenValue[],
): { readonly value: unknown; readonly problems: readonly FieldProblem[] } {
  const secrets = new Set(fields.filter(({ secret }) => secret === true).map(({ path }) => pathText(path)));
  const problems: FieldProblem[] = [];
  const show = (value: unknown, path: readonly PropertyKey[]): unknown => {
    // The caller validates the result, which rejects documents that are nested more deeply.
    if (path.length > MAX_NESTING) return value;
    if (Array.isArray(value)) return value.map((item, i) => show(item, [...path, i]));
    if (typeof value === 'object' && value !== null) {
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, show(item, [...path, name])]),
      );
    }
    const number = typeof value === 'string' ? NUMBERED.exec(value)?.[1] : undefined;
    if (number === undefined) return value;
    const found = hidden[Number(number) - 1];
    const key = path.findLast((part) => typeof part === 'string');
    if (found !== undefined && (secrets.has(pathText(path)) || found.key === key)) return found.value;
    problems.push(maskProblem(String(value), path));
    return value;
  };
  return { value: show(document, []), problems };
}

/** Returns the problem of a mask that stands for no stored value. */
export function maskProblem(mask: string, path: readonly PropertyKey[]): FieldProblem {
  const problem = documentProblem(
    `contains ${mask}, which only stands for a hidden value; write the value itself`,
  );
  return { ...problem, field: pathText(path) };
}

const NUMBERED = new RegExp(`^${SECRET_MASK}(\\d{1,6})$`);

/** Returns the key of each field that is not secret, including fields in the entries of lists. */
function namesOf(fields: readonly FieldDescription[]): string[] {
  return fields
    .filter(({ secret }) => secret !== true)
    .flatMap(({ path, entry = [] }) => [...path.slice(-1), ...namesOf(entry)]);
}

function tokensOf(text: string): Token[] {
  const scanner = createScanner(text, false);
  const tokens: Token[] = [];
  while (scanner.getPosition() < text.length) {
    const kind: number = scanner.scan();
    const raw = text.slice(scanner.getTokenOffset(), scanner.getPosition());
    const fault: number = scanner.getTokenError();
    tokens.push({ kind, raw, value: scanner.getTokenValue(), isClosed: fault !== UNCLOSED_STRING });
  }
  return tokens;
}

/** Returns whether a token is a key, with or without quotes: a colon follows it. */
function isKey(tokens: readonly Token[], at: number): boolean {
  let next = at + 1;
  while (isTrivia(tokens[next])) next += 1;
  return tokens[next]?.kind === COLON;
}

/** Returns whether a token is a comment, a line break or white space. */
function isTrivia(token: Token | undefined): boolean {
  return token !== undefined && token.kind >= FIRST_TRIVIA && token.kind <= LAST_TRIVIA;
}

/** Returns a mask in the quotes of the value that it replaces. A missing closing quote stays missing. */
function quoted({ kind, isClosed }: Token, mask: string): string {
  if (kind === UNKNOWN) return mask;
  return isClosed ? `"${mask}"` : `"${mask}`;
}
