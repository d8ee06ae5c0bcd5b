import {
  isAlias,
  isMap,
  isScalar,
  isSeq,
  parseDocument,
  type Node,
  type Pair,
  type Scalar,
  type YAMLMap,
} from 'yaml';
import { DefaultFileProblem } from '../default-files.ts';
import { lineEndOf, markLengthOf, settle, type Edit } from './splice.ts';

export const BUNGEE_CONFIG = 'config.yml';

export interface BungeeSettings {
  readonly port: number;
  /** Shown in the server list; the limit of players is the network's (spec 2.2, `max_online_players`). */
  readonly maxPlayers: number;
}

/**
 * Sets what a BungeeCord or Waterfall service needs in the text of its `config.yml`: `ip_forward`, and in the first
 * listener `host`, `max_players` and, where it is set, `query_port` (UDP, so that two proxies of a node do not want the
 * same). Everything else stays byte for byte; `online_mode` and other listeners are the admin's.
 *
 * @param text latin1; empty or only comments: a minimal file that BungeeCord completes at its start
 * @returns the new text; the same text again when it is put in once more
 * @throws DefaultFileProblem naming the line, when it is no YAML or its first listener cannot be told
 */
export function withBungeeConfig(text: string, settings: BungeeSettings): string {
  return settle(BUNGEE_CONFIG, text, (now) => editsOf(now, settings));
}

function editsOf(text: string, settings: BungeeSettings): readonly Edit[] {
  const mark = markLengthOf(text);
  // Nothing is resolved or expanded: only where things stand matters. SnakeYAML takes a key twice, too.
  const document = parseDocument(text.slice(mark), { schema: 'failsafe', strict: false, uniqueKeys: false });
  const [error] = document.errors;
  if (error !== undefined) {
    const line = error.linePos?.[0].line ?? 1;
    throw problem(`line ${line} is no YAML (${error.message.split(/ at line |\n/, 1)[0] ?? ''})`);
  }
  const root: unknown = document.contents;
  const editor = new MapEditor(text.slice(mark), mark);
  if (root === null || isEmpty(root)) return [minimal(text, settings)];
  if (!isMap<Node, Node | null>(root)) throw problem('it has no settings: "name: value" is expected');
  editor.set(root, { key: 'ip_forward', value: 'true', insensitive: true });
  const listeners = pairsOf(root, 'listeners', true);
  if (listeners.length === 0) editor.add(root, 'listeners', `[${listenerOf(settings)}]`);
  for (const pair of listeners) editListeners(pair, editor, settings);
  return editor.edits;
}

function editListeners(pair: Pair<Node, Node | null>, editor: MapEditor, settings: BungeeSettings): void {
  const { value } = pair;
  if (value === null || isEmpty(value)) {
    editor.fill(pair, `[${listenerOf(settings)}]`);
    return;
  }
  if (!isSeq(value)) throw problem('"listeners" is no list');
  const [first] = value.items;
  if (first === undefined) {
    editor.replace(value, `[${listenerOf(settings)}]`);
    return;
  }
  if (!isMap<Node, Node | null>(first)) throw problem('its first listener has no settings of its own');
  if (first.items.length === 0) {
    editor.replace(first, listenerOf(settings));
    return;
  }
  editor.set(first, { key: 'host', value: `0.0.0.0:${settings.port}` });
  editor.set(first, { key: 'max_players', value: String(settings.maxPlayers) });
  if (pairsOf(first, 'query_port').length > 0)
    editor.set(first, { key: 'query_port', value: String(settings.port) });
}

function minimal(text: string, { port, maxPlayers }: BungeeSettings): Edit {
  const end = lineEndOf(text);
  const lines = [
    'ip_forward: true',
    'listeners:',
    `- host: 0.0.0.0:${port}`,
    `  max_players: ${maxPlayers}`,
    '',
  ];
  const gap = text === '' || text.endsWith('\n') ? '' : end;
  return { from: text.length, to: text.length, text: gap + lines.join(end) };
}

function listenerOf({ port, maxPlayers }: BungeeSettings): string {
  return `{host: '0.0.0.0:${port}', max_players: ${maxPlayers}}`;
}

/** All of them: of a key that is there twice, SnakeYAML takes the last. BungeeCord reads the root's in any case. */
function pairsOf(map: YAMLMap<Node, Node | null>, key: string, insensitive = false) {
  return map.items.filter(({ key: found }) => {
    const name = isScalar(found) ? String(found.value) : '';
    return name === key || (insensitive && name.toLowerCase() === key);
  });
}

function isEmpty(node: unknown): boolean {
  return isScalar(node) && (node.value === null || node.value === '') && (node.source ?? '') === '';
}

/** Collects edits of maps in one text. */
class MapEditor {
  readonly edits: Edit[] = [];
  readonly #text: string;
  readonly #offset: number;

  /** @param offset what stands before the text in the file */
  constructor(text: string, offset: number) {
    this.#text = text;
    this.#offset = offset;
  }

  set(
    map: YAMLMap<Node, Node | null>,
    wanted: { readonly key: string; readonly value: string; readonly insensitive?: boolean },
  ): void {
    const pairs = pairsOf(map, wanted.key, wanted.insensitive);
    if (pairs.length === 0) this.add(map, wanted.key, wanted.value);
    for (const pair of pairs) {
      const { value } = pair;
      if (value === null || isEmpty(value)) this.fill(pair, wanted.value);
      else if (isAlias(value)) this.replace(value, wanted.value);
      else if (!isScalar(value)) throw problem(`"${wanted.key}" is no single value`);
      else if (!says(value, wanted.value)) this.replace(value, quotedIn(map, wanted.value));
    }
  }

  /** Puts a key in front of a map's first one, where its indentation is known for sure. */
  add(map: YAMLMap<Node, Node | null>, key: string, value: string): void {
    const at = map.items[0]?.key.range?.[0];
    if (at === undefined || map.items.length === 0) {
      this.replace(map, `{${key}: ${quotedIn(map, value)}}`);
      return;
    }
    const column = at - (this.#text.lastIndexOf('\n', at - 1) + 1);
    const gap = map.flow === true ? ', ' : lineEndOf(this.#text) + ' '.repeat(column);
    this.#push(at, at, `${key}: ${quotedIn(map, value)}${gap}`);
  }

  /** Gives a value to a key that has none. */
  fill(pair: Pair<Node, Node | null>, value: string): void {
    const colon = this.#text.indexOf(':', pair.key.range?.[1]) + 1;
    this.#push(colon, colon, ` ${value}`);
  }

  replace(node: Node, value: string): void {
    const { range } = node;
    if (!range) throw problem('a setting has no place in the text');
    this.#push(range[0], range[1], value);
  }

  #push(from: number, to: number, text: string): void {
    this.edits.push({ from: from + this.#offset, to: to + this.#offset, text });
  }
}

/** BungeeCord does not start with a number or a yes in quotes; an address is a text either way. */
function says(scalar: Scalar, value: string): boolean {
  return scalar.value === value && (scalar.type === 'PLAIN' || value.includes(':'));
}

/** Inside braces a plain `a:1` is not read by every version of SnakeYAML. */
function quotedIn(map: YAMLMap<Node, Node | null>, value: string): string {
  return map.flow === true && value.includes(':') && !value.startsWith('[') ? `'${value}'` : value;
}

function problem(why: string): DefaultFileProblem {
  return new DefaultFileProblem('unusable', `${BUNGEE_CONFIG}: ${why}`);
}
