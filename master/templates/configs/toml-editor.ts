import { parseTOML, ParseError, type AST } from 'toml-eslint-parser';
import { DefaultFileProblem } from '../default-files/default-files.ts';
import { lineEndOf, markLengthOf, type Edit } from './splice.ts';

type Value = string | number | boolean;
type Body = AST.TOMLTopLevelTable['body'];

/**
 * Collects edits of a TOML file at the offsets of its syntax tree. Settings are addressed by their full names, such
 * as `query.port`.
 */
export class TomlEditor {
  readonly edits: Edit[] = [];
  readonly #text: string;
  readonly #mark: number;
  readonly #body: Body;
  readonly #values: ReadonlyMap<string, AST.TOMLContentNode>;

  /**
   * Parses a file.
   *
   * @param path used in messages
   * @param text latin1, including a byte order mark
   * @throws DefaultFileProblem with the line number, if the text is not TOML
   */
  constructor(path: string, text: string) {
    this.#mark = markLengthOf(text);
    this.#text = text.slice(this.#mark);
    this.#body = parse(path, this.#text).body[0].body;
    this.#values = valuesOf(this.#body);
  }

  /** Returns whether the file has a setting of this full name, whatever its value is. */
  has(name: string): boolean {
    return this.#values.has(name);
  }

  /** Returns the value of a setting; undefined if it is missing or not a single value. */
  get(name: string): unknown {
    const found = this.#values.get(name);
    return found?.type === 'TOMLValue' ? found.value : undefined;
  }

  /** Sets a value. A missing setting is added to its table if its name has a dot, and otherwise to the root. */
  set(name: string, value: Value): void {
    const found = this.#values.get(name);
    if (found === undefined) {
      const [table, key] = name.split('.', 2);
      if (table !== undefined && key !== undefined) this.#addToTable(table, key, value);
      else this.#addToRoot(`${name} = ${JSON.stringify(value)}`);
    } else if (found.type !== 'TOMLValue' || found.value !== value) {
      this.#push(...found.range, JSON.stringify(value));
    }
  }

  /** Inserts a line before the first `[table]`, where the root ends. */
  #addToRoot(line: string): void {
    const last = this.#body.findLast(({ type }) => type === 'TOMLKeyValue');
    if (last === undefined) this.#push(0, 0, line + lineEndOf(this.#text));
    else this.#addLine(line, last.range[1]);
  }

  #addToTable(table: string, key: string, value: Value): void {
    const line = `${key} = ${JSON.stringify(value)}`;
    const header = this.#body.find((node) => node.type === 'TOMLTable' && nameOf(node.key) === table);
    const inline = this.#values.get(table);
    if (header !== undefined) this.#addLine(line, header.key.range[1]);
    else if (inline?.type === 'TOMLInlineTable') {
      const start = inline.range[0] + 1;
      this.#push(start, start, inline.body.length === 0 ? ` ${line} ` : ` ${line},`);
    } else if ([...this.#values.keys()].some((name) => name.startsWith(`${table}.`))) {
      this.#addToRoot(`${table}.${line}`);
    } else {
      const end = lineEndOf(this.#text);
      const gap = this.#text === '' || this.#text.endsWith('\n') ? '' : end;
      this.#push(this.#text.length, this.#text.length, `${gap}${end}[${table}]${end}${line}${end}`);
    }
  }

  /**
   * Inserts a line after another line.
   *
   * @param after an offset in the preceding line
   */
  #addLine(line: string, after: number): void {
    const end = lineEndOf(this.#text);
    const next = this.#text.indexOf('\n', after) + 1;
    // The last line has no line end, so one is inserted before the new line.
    if (next === 0) this.#push(this.#text.length, this.#text.length, end + line);
    else this.#push(next, next, line + end);
  }

  #push(from: number, to: number, text: string): void {
    this.edits.push({ from: from + this.#mark, to: to + this.#mark, text });
  }
}

/** Returns all values by full name, including values in tables and inline tables. */
function valuesOf(body: Body): ReadonlyMap<string, AST.TOMLContentNode> {
  const values = new Map<string, AST.TOMLContentNode>();
  for (const node of body) {
    if (node.type === 'TOMLKeyValue') collect(node, '', values);
    else if (node.kind === 'standard') {
      for (const pair of node.body) collect(pair, `${nameOf(node.key)}.`, values);
    }
  }
  return values;
}

function collect(
  { key, value }: AST.TOMLKeyValue,
  above: string,
  values: Map<string, AST.TOMLContentNode>,
): void {
  const name = above + nameOf(key);
  values.set(name, value);
  if (value.type === 'TOMLInlineTable') for (const pair of value.body) collect(pair, `${name}.`, values);
}

function nameOf({ keys }: AST.TOMLKey): string {
  return keys.map((key) => (key.type === 'TOMLBare' ? key.name : key.value)).join('.');
}

function parse(path: string, text: string): AST.TOMLProgram {
  try {
    return parseTOML(text);
  } catch (error) {
    // The parser recurses for nested values and for some characters, so a hostile file may overflow the stack.
    if (error instanceof RangeError)
      throw new DefaultFileProblem(
        'unusable',
        `${path} has a value that is too large or nested too deeply`,
        error,
      );
    if (!(error instanceof ParseError)) throw error;
    const why = `${path}: line ${error.lineNumber} is not valid TOML (${error.message})`;
    throw new DefaultFileProblem('unusable', why, error);
  }
}
