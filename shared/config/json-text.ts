import {
  createScanner,
  findNodeAtLocation,
  parseTree,
  printParseErrorCode,
  visit,
  type Node,
  type ParseError,
  type Segment,
} from 'jsonc-parser';

/**
 * Maximum nesting of braces and brackets. Configuration documents need 4 levels. The limit protects the stack,
 * because the parsers recurse once per level.
 */
export const MAX_NESTING = 64;

/** A problem of the text itself, found before its fields are checked. */
export interface TextFault {
  readonly problem: string;
  readonly line: number | null;
}

/** A valid JSON text: its value, and its syntax tree, from which the lines of fields are derived. */
export interface JsonText {
  readonly value: unknown;
  readonly tree: Node;
}

/** Messages for the parser's error codes, written for people who edit the file by hand. */
const syntaxWords: Readonly<Record<string, string>> = {
  InvalidSymbol: 'unexpected text; strings and keys need double quotes',
  InvalidNumberFormat: 'this is not a valid JSON number',
  PropertyNameExpected: 'a key in double quotes is expected; there may be an extra comma before it',
  ValueExpected: 'a value is expected; there may be an extra comma before it',
  ColonExpected: 'a colon between key and value is missing',
  CommaExpected: 'a comma is missing between two entries',
  CloseBraceExpected: 'a closing } is missing',
  CloseBracketExpected: 'a closing ] is missing',
  EndOfFileExpected: 'there is text after the end of the object',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfComment: 'comments are not allowed',
  UnexpectedEndOfString: 'a string is not closed: its closing double quote is missing on the same line',
  UnexpectedEndOfNumber: 'a number is incomplete',
  InvalidUnicode: 'a \\u escape needs four hexadecimal digits',
  InvalidEscapeCharacter: 'this escape sequence is not valid; write \\\\ for a backslash',
  InvalidCharacter: 'a control character is inside a string; write it as an escape such as \\n',
};

/** Parses JSON, or describes in words why the text is not JSON. Never throws, however deeply the text is nested. */
export function parseJsonText(text: string): JsonText | TextFault {
  const tooDeepAt = offsetOfDepth(text, MAX_NESTING + 1);
  if (tooDeepAt !== undefined) {
    return {
      problem: `is nested more than ${MAX_NESTING} levels deep; a configuration needs 4`,
      line: lineAt(text, tooDeepAt),
    };
  }
  const errors: ParseError[] = [];
  const tree = parseTree(text, errors, { allowTrailingComma: false, disallowComments: true });
  const [error] = errors;
  if (error !== undefined || tree === undefined) return syntaxFault(text, error);
  return { value: JSON.parse(text), tree };
}

function syntaxFault(text: string, error: ParseError | undefined): TextFault {
  const offset = error?.offset ?? 0;
  const code = error === undefined ? 'ValueExpected' : printParseErrorCode(error.error);
  const column = offset - text.lastIndexOf('\n', offset - 1);
  const words =
    text[offset] === '\0' ? 'it contains a NUL character; the file is damaged' : syntaxWords[code];
  return {
    problem: `is not valid JSON: ${words ?? code} (column ${column})`,
    line: lineAt(text, offset),
  };
}

/**
 * Returns the offset at which the nesting reaches `depth`, or undefined if it never does. Reads tokens in a loop,
 * not by recursion, so a deep text cannot exhaust the stack.
 */
function offsetOfDepth(text: string, depth: number): number | undefined {
  const scanner = createScanner(text, true);
  let open = 0;
  while (scanner.getPosition() < text.length) {
    scanner.scan();
    const first = text[scanner.getTokenOffset()];
    if (first === '{' || first === '[') open += 1;
    else if (first === '}' || first === ']') open -= 1;
    if (open === depth) return scanner.getTokenOffset();
  }
  return undefined;
}

/** Returns the 1-based line of an offset. */
function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

/**
 * Returns the first duplicate key of an object, or undefined if there is none. `JSON.parse` accepts duplicate keys.
 */
export function findDuplicateKey(text: string): { path: readonly Segment[]; line: number } | undefined {
  const open: Set<string>[] = [];
  let found: { path: readonly Segment[]; line: number } | undefined;
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
      if (keys?.has(key) === true) found ??= { path: [...pathSupplier(), key], line: line + 1 };
      keys?.add(key);
    },
  });
  return found;
}

/** Returns the line of the value at a path, or of its nearest existing parent; null if no part of the path exists. */
export function lineOfPath(text: string, tree: Node, path: readonly PropertyKey[]): number | null {
  const segments = path.filter((part) => typeof part !== 'symbol');
  for (let length = segments.length; length > 0; length -= 1) {
    const node = findNodeAtLocation(tree, segments.slice(0, length));
    if (node !== undefined) return lineAt(text, node.offset);
  }
  return null;
}
