import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { settle, type Edit } from './splice.ts';
import { isEmpty, pairsOf, YamlEditor, type Setting } from './yaml-editor.ts';

export const BUNGEE_CONFIG = 'config.yml';

export interface BungeeSettings {
  readonly port: number;
  /** Shown in the server list; the limit of players is the network's (docs/specification.md#max_online_players, `max_online_players`). */
  readonly maxPlayers: number;
  /** Each connection begins with a PROXY protocol header: all others are not answered. */
  readonly proxyProtocol: boolean;
}

/**
 * Sets what a BungeeCord or Waterfall service needs in the text of its `config.yml`: `ip_forward`, and in the first
 * listener `host`, `max_players`, `proxy_protocol` (off only where it is set) and, where it is set, `query_port` (UDP, so that
 * two proxies of a node do not want the same). Everything else stays byte for byte; `online_mode` and other listeners are
 * the admin's.
 *
 * @param text latin1; empty or only comments: a minimal file that BungeeCord completes at its start
 * @returns the new text; the same text again when it is put in once more
 * @throws DefaultFileProblem naming the line, when it is no YAML or its first listener cannot be told
 */
export function withBungeeConfig(text: string, settings: BungeeSettings): string {
  return settle(BUNGEE_CONFIG, text, (now) => editsOf(now, settings));
}

/** Whether BungeeCord asks Mojang who players are: unless `online_mode` says otherwise. */
export function bungeeChecksPlayers(text: string): boolean {
  const { root } = new YamlEditor(BUNGEE_CONFIG, text);
  const last = root === null ? undefined : pairsOf(root, 'online_mode', true).at(-1);
  return !(isScalar(last?.value) && /^(?:false|no|off)$/i.test(String(last.value.value)));
}

function editsOf(text: string, settings: BungeeSettings): readonly Edit[] {
  const editor = new YamlEditor(BUNGEE_CONFIG, text);
  const { root } = editor;
  if (root === null) {
    const [host, ...others] = linesOf(settings);
    editor.append([
      'ip_forward: true',
      'listeners:',
      `- ${host ?? ''}`,
      ...others.map((line) => `  ${line}`),
    ]);
    return editor.edits;
  }
  editor.set(root, { key: 'ip_forward', value: 'true', insensitive: true });
  const listeners = pairsOf(root, 'listeners', true);
  if (listeners.length === 0) editor.add(root, 'listeners', `[${listenerOf(settings)}]`);
  for (const pair of listeners) editListeners(pair, editor, settings);
  return editor.edits;
}

function editListeners(pair: Setting, editor: YamlEditor, settings: BungeeSettings): void {
  const { value } = pair;
  if (value === null || isEmpty(value)) {
    editor.fill(pair, `[${listenerOf(settings)}]`);
    return;
  }
  if (!isSeq(value)) throw editor.problem('"listeners" is no list');
  const [first] = value.items;
  if (first === undefined) {
    editor.replace(value, `[${listenerOf(settings)}]`);
    return;
  }
  if (!isMap<Node, Node | null>(first)) throw editor.problem('its first listener has no settings of its own');
  if (first.items.length === 0) {
    editor.replace(first, listenerOf(settings));
    return;
  }
  const { port, maxPlayers, proxyProtocol } = settings;
  const has = (key: string): boolean => pairsOf(first, key).length > 0;
  editor.set(first, { key: 'host', value: `0.0.0.0:${port}` });
  editor.set(first, { key: 'max_players', value: String(maxPlayers) });
  if (proxyProtocol || has('proxy_protocol'))
    editor.set(first, { key: 'proxy_protocol', value: String(proxyProtocol) });
  if (has('query_port')) editor.set(first, { key: 'query_port', value: String(port) });
}

/** Settings of a listener that is made. */
function linesOf({ port, maxPlayers, proxyProtocol }: BungeeSettings): string[] {
  const lines = [`host: 0.0.0.0:${port}`, `max_players: ${maxPlayers}`];
  return proxyProtocol ? [...lines, 'proxy_protocol: true'] : lines;
}

function listenerOf({ port, maxPlayers, proxyProtocol }: BungeeSettings): string {
  const more = proxyProtocol ? ', proxy_protocol: true' : '';
  return `{host: '0.0.0.0:${port}', max_players: ${maxPlayers}${more}}`;
}
