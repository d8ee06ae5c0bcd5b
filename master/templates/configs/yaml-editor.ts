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

/** Values as they are to be written, by name, with the maps that they stand in. */
export interface SettingTree {
  readonly [name: string]: string | SettingTree;
}

/**
 * Collects edits of one YAML file at the offsets of its syntax tree. Nothing is resolved or expanded: only where things
 * stand matters. Servers read a key twice, too (SnakeYAML takes the last): all are set.
 */
export class YamlEditor {
  readonly edits: Edit[] = [];
  /** What the file holds; null for an empty one, or one of comments alone. */
  readonly root: Mapping | null;
  readonly #path: string;
  readonly #text: string;
  readonly #mark: number;

  /**
   * @param path for people
   * @param text latin1, with its byte order mark if it has one
   * @throws DefaultFileProblem naming the line, when it is no YAML, or no map
   */
  constructor(path: string, text: string) {
    this.#path = path;
    this.#mark = markLengthOf(text);
    this.#text = text.slice(this.#mark);
    // Pretty errors cut the line of each out of the text: a file of mistakes on one line would take minutes.
    const options = { schema: 'failsafe', strict: false, uniqueKeys: false, prettyErrors: false } as const;
    const document = parseDocument(this.#text, options);
    const [error] = document.errors;
    if (error !== undefined) {
      const line = this.#text.slice(0, error.pos[0]).split('\n').length;
      throw this.problem(`line ${line} is no YAML (${error.message.split('\n', 1)[0] ?? ''})`);
    }
    const root: unknown = document.contents;
    if (root === null || isEmpty(root)) this.root = null;
    else if (isMap<Node, Node | null>(root)) this.root = root;
    else throw this.problem('it has no settings: "name: value" is expected');
  }

  problem(why: string): DefaultFileProblem {
    return new DefaultFileProblem('unusable', `${this.#path}: ${why}`);
  }

  /** Puts lines at the end of a file that has no settings. */
  append(lines: readonly string[]): void {
    if (lines.length === 0) return;
    const end = lineEndOf(this.#text);
    const gap = this.#text === '' || this.#text.endsWith('\n') ? '' : end;
    const at = this.#text.length;
    this.#push(at, at, gap + lines.map((line) => line + end).join(''));
  }

  /** Sets values that may lie deep, with the maps around those that are missing. */
  setAll(tree: SettingTree): void {
    if (this.root === null) this.append(blockOf(tree));
    else this.#setTree(this.root, tree, true);
  }

  /** Sets those values that the file has. */
  setThose(tree: SettingTree): void {
    if (this.root !== null) this.#setTree(this.root, tree, false);
  }

  set(
    map: Mapping,
    wanted: { readonly key: string; readonly value: string; readonly insensitive?: boolean },
  ): void {
    const pairs = pairsOf(map, wanted.key, wanted.insensitive);
    if (pairs.length === 0) this.add(map, wanted.key, wanted.value);
    for (const pair of pairs) this.#setPair(map, pair, wanted.value);
  }

  /** Puts a key in front of a map's first one, where its indentation is known for sure. */
  add(map: Mapping, key: string, value: string): void {
    this.#addLines(map, [`${key}: ${quotedIn(map, value)}`]);
  }

  /** Gives a value to a key that has none. */
  fill(pair: Setting, value: string): void {
    const colon = this.#text.indexOf(':', pair.key.range?.[1]) + 1;
    this.#push(colon, colon, ` ${value}`);
  }

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
    else if (!isScalar(value)) throw this.problem(`"${nameOf(pair)}" is no single value`);
    else if (!says(value, wanted)) this.replace(value, quotedIn(map, wanted));
  }

  #addLines(map: Mapping, lines: readonly string[]): void {
    const at = map.items[0]?.key.range?.[0];
    if (at === undefined || map.items.length === 0) {
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

/** All of that name. @param insensitive as BungeeCord reads the names of its root */
export function pairsOf(map: Mapping, key: string, insensitive = false): Setting[] {
  return map.items.filter((pair) => {
    const name = nameOf(pair);
    return name === key || (insensitive && name.toLowerCase() === key);
  });
}

/** Nothing is written there; a text of no letters (`''`) is something. */
export function isEmpty(node: unknown): boolean {
  return isScalar(node) && node.type === 'PLAIN' && (node.value === null || node.value === '');
}

/** A text that is nothing else to any reader, as a number or a yes would be. */
export function quotedText(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

function nameOf({ key }: Setting): string {
  return isScalar(key) ? String(key.value) : '';
}

/** Lines of settings with the maps around them; those of the first level are not indented. */
function blockOf(tree: SettingTree): string[] {
  return Object.entries(tree).flatMap(([key, wanted]) =>
    typeof wanted === 'string'
      ? [`${key}: ${wanted}`]
      : [`${key}:`, ...blockOf(wanted).map((line) => `  ${line}`)],
  );
}

/** The same as it stands inside braces. */
function flowOf(tree: SettingTree): string {
  return Object.entries(tree)
    .map(([key, wanted]) => `${key}: ${typeof wanted === 'string' ? wanted : `{${flowOf(wanted)}}`}`)
    .join(', ');
}

/**
 * Whether a value is written as wanted. Servers do not take a number or a yes in quotes, nor a number for a text; an
 * address is a text either way.
 */
function says(scalar: Scalar, wanted: string): boolean {
  if (wanted.startsWith("'")) return scalar.type !== 'PLAIN' && quotedText(String(scalar.value)) === wanted;
  return scalar.value === wanted && (scalar.type === 'PLAIN' || wanted.includes(':'));
}

/** Inside braces a plain `a:1` is not read by every version of SnakeYAML. */
function quotedIn(map: Mapping, value: string): string {
  const isPlain = !value.startsWith('[') && !value.startsWith("'");
  return map.flow === true && isPlain && value.includes(':') ? quotedText(value) : value;
}
