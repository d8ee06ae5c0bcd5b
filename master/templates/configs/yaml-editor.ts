import {
  isAlias,
  isMap,
  isScalar,
  parseDocument,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { DefaultFileProblem } from '../default-files/default-files.ts';
import { lineEndOf, markLengthOf, type Edit } from './splice.ts';

export type Mapping = YAMLMap<Node, Node | null>;
export type Setting = Pair<Node, Node | null>;

/** Nested settings by name. A value is written to the file as it is, so it includes quotes where it needs them. */
export interface SettingTree {
  readonly [name: string]: string | SettingTree;
}

/** Kinds of tokens before a key that belong to it. */
const KEY_MARKS: readonly string[] = ['explicit-key-ind', 'anchor', 'tag'];

/**
 * Collects edits of a YAML file at the offsets of its syntax tree. Anchors and aliases are not resolved, because
 * only positions matter. If a key occurs more than once, all occurrences are set: servers accept such files, and
 * SnakeYAML uses the last occurrence.
 */
export class YamlEditor {
  readonly edits: Edit[] = [];
  /** Root mapping; null if the file is empty or has only comments. */
  readonly root: Mapping | null;
  readonly #path: string;
  readonly #text: string;
  readonly #mark: number;

  /**
   * Parses a file.
   *
   * @param path used in messages
   * @param text latin1, including a byte order mark
   * @throws DefaultFileProblem with the line number, if the text is not YAML or not a mapping
   */
  constructor(path: string, text: string) {
    this.#path = path;
    this.#mark = markLengthOf(text);
    this.#text = text.slice(this.#mark);
    // Pretty errors are switched off because they copy the line of each error: a file with many errors on one line
    // would take minutes.
    const document = parseDocument(this.#text, {
      schema: 'failsafe',
      strict: false,
      uniqueKeys: false,
      prettyErrors: false,
      keepSourceTokens: true,
    });
    const [error] = document.errors;
    if (error !== undefined) {
      const line = this.#text.slice(0, error.pos[0]).split('\n').length;
      throw this.problem(`line ${line} is not valid YAML (${error.message.split('\n', 1)[0] ?? ''})`);
    }
    const root: unknown = document.contents;
    if (root === null || isEmpty(root)) this.root = null;
    else if (isMap<Node, Node | null>(root)) this.root = root;
    else throw this.problem('it has no settings: "name: value" is expected');
  }

  /** Creates the error that the file cannot be changed. @param why half a sentence about the file */
  problem(why: string): DefaultFileProblem {
    return new DefaultFileProblem('unusable', `${this.#path}: ${why}`);
  }

  /** Appends lines to a file that has no settings. */
  append(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const end = lineEndOf(this.#text);
    const gap = this.#text === '' || this.#text.endsWith('\n') ? '' : end;
    const at = this.#text.length;
    this.#push(at, at, gap + lines.map((line) => line + end).join(''));
  }

  /** Sets nested values. Values and maps that are missing are added. */
  setAll(tree: SettingTree): void {
    if (this.root === null) this.append(blockOf(tree));
    else this.#setTree(this.root, tree, true);
  }

  /** Sets only those values that the file already has. */
  setThose(tree: SettingTree): void {
    if (this.root !== null) this.#setTree(this.root, tree, false);
  }

  /**
   * Sets a key of a map, wherever it occurs. A missing key is added.
   *
   * @param wanted `insensitive`: ignores case, as BungeeCord does at the root
   */
  set(
    map: Mapping,
    wanted: { readonly key: string; readonly value: string; readonly insensitive?: boolean },
  ): void {
    const pairs = pairsOf(map, wanted.key, wanted.insensitive);
    if (pairs.length === 0) this.add(map, wanted.key, wanted.value);
    for (const pair of pairs) this.#setPair(map, pair, wanted.value);
  }

  /** Inserts a key before the first key of a map, because the indentation is known at that place. */
  add(map: Mapping, key: string, value: string): void {
    this.#addLines(map, [`${key}: ${quotedIn(map, value)}`]);
  }

  /** Adds a value to a key that has none. */
  fill(pair: Setting, value: string): void {
    const colon = this.#text.indexOf(':', pair.key.range?.[1]) + 1;
    this.#push(colon, colon, ` ${value}`);
  }

  /** Replaces the text of a node. @throws DefaultFileProblem if it has no place in the text */
  replace(node: Node, value: string): void {
    const { range } = node;
    if (!range) throw this.problem('a setting has no place in the text');
    this.#push(range[0], range[1], value);
  }

  #setTree(map: Mapping, tree: SettingTree, complete: boolean): void {
    if (map.items.length === 0) {
      if (complete) this.replace(map, `{${flowOf(tree)}}`);
      return;
    }
    for (const [key, wanted] of Object.entries(tree)) {
      const pairs = pairsOf(map, key);
      if (pairs.length === 0 && complete) {
        this.#addLines(map, map.flow === true ? [flowOf({ [key]: wanted })] : blockOf({ [key]: wanted }));
      }
      for (const pair of pairs) {
        if (typeof wanted === 'string') this.#setPair(map, pair, wanted);
        else this.#setBelow(pair, wanted, complete);
      }
    }
  }

  #setBelow(pair: Setting, tree: SettingTree, complete: boolean): void {
    const { value } = pair;
    if (isMap<Node, Node | null>(value)) this.#setTree(value, tree, complete);
    else if (value !== null && !isEmpty(value))
      throw this.problem(`"${nameOf(pair)}" has no settings of its own`);
    else if (complete) this.fill(pair, `{${flowOf(tree)}}`);
  }

  #setPair(map: Mapping, pair: Setting, wanted: string): void {
    const { value } = pair;
    if (value === null || isEmpty(value)) this.fill(pair, wanted);
    else if (isAlias(value)) this.replace(value, wanted);
    else if (!isScalar(value)) throw this.problem(`"${nameOf(pair)}" is not a single value`);
    else if (!says(value, wanted)) this.replace(value, quotedIn(map, wanted));
  }

  #addLines(map: Mapping, lines: readonly string[]): void {
    const at = startOf(map.items[0]);
    if (at === undefined) {
      this.replace(map, `{${lines.join(', ')}}`);
      return;
    }
    if (map.flow === true) {
      this.#push(at, at, `${lines.join(', ')}, `);
      return;
    }
    const column = at - (this.#text.lastIndexOf('\n', at - 1) + 1);
    const gap = lineEndOf(this.#text) + ' '.repeat(column);
    this.#push(at, at, lines.map((line) => line + gap).join(''));
  }

  #push(from: number, to: number, text: string): void {
    this.edits.push({ from: from + this.#mark, to: to + this.#mark, text });
  }
}

/**
 * Returns all settings of a map that have the given key.
 *
 * @param insensitive whether to ignore case, as BungeeCord does at the root; `key` must then be in lower case
 */
export function pairsOf(map: Mapping, key: string, insensitive = false): Setting[] {
  return map.items.filter((pair) => {
    const name = nameOf(pair);
    return name === key || (insensitive && name.toLowerCase() === key);
  });
}

/** Returns whether a YAML node has no value at all. An empty string (`''`) is a value. */
export function isEmpty(node: unknown): boolean {
  return isScalar(node) && node.type === 'PLAIN' && (node.value === null || node.value === '');
}

/**
 * Quotes a text so that no YAML reader takes it for a number or a boolean.
 *
 * Example: `quotedText("it's")` is `'it''s'`.
 */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Returns where a setting begins in the text: at the tag or the anchor of its key, or at the `?` before it. */
function startOf(pair: Setting | undefined): number | undefined {
  const start = pair?.srcToken?.start.find(({ type }) => KEY_MARKS.includes(type));
  return start?.offset ?? pair?.key.range?.[0];
}

function nameOf({ key }: Setting): string {
  return isScalar(key) ? String(key.value) : '';
}

/** Formats settings in block style, starting at indentation 0. */
function blockOf(tree: SettingTree): string[] {
  return Object.entries(tree).flatMap(([key, wanted]) =>
    typeof wanted === 'string'
      ? [`${key}: ${wanted}`]
      : [`${key}:`, ...blockOf(wanted).map((line) => `  ${line}`)],
  );
}

/** Formats settings in flow style, without the outer braces. */
function flowOf(tree: SettingTree): string {
  return Object.entries(tree)
    .map(([key, wanted]) => `${key}: ${typeof wanted === 'string' ? wanted : `{${flowOf(wanted)}}`}`)
    .join(', ');
}

/**
 * Returns whether a value already has the desired text and style. Servers do not accept a quoted number or boolean,
 * nor a plain number where they expect text. For a value with a colon, such as an address, the style does not
 * matter.
 */
function says(scalar: Scalar, wanted: string): boolean {
  if (wanted.startsWith("'")) return scalar.type !== 'PLAIN' && quotedText(String(scalar.value)) === wanted;
  return scalar.value === wanted && (scalar.type === 'PLAIN' || wanted.includes(':'));
}

/** Quotes a value if needed: some versions of SnakeYAML cannot read a plain `a:1` inside braces. */
function quotedIn(map: Mapping, value: string): string {
  const isPlain = !value.startsWith('[') && !value.startsWith("'");
  return map.flow === true && isPlain && value.includes(':') ? quotedText(value) : value;
}
