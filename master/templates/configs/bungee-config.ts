import { isMap, isScalar, isSeq, type Node } from 'yaml';
import { settle, type Edit } from './splice.ts';
import { isEmpty, pairsOf, YamlEditor, type Setting } from './yaml-editor.ts';

export const BUNGEE_CONFIG = 'config.yml';

export interface BungeeSettings {
  readonly port: number;
  /**
   * Number shown in the server list. The player limit itself applies to the whole network
   * (docs/specification.md#max_online_players).
   */
  readonly maxPlayers: number;
  /**
   * Whether each connection starts with a PROXY protocol header. If true, connections without the header get no
   * answer.
   */
  readonly proxyProtocol: boolean;
}

/**
 * Sets the values that Overworld determines in the text of a `config.yml` of BungeeCord or Waterfall:
 *
 * - `ip_forward`;
 * - the first listener's `host`, `max_players` and `proxy_protocol` (`false` is written only if the key exists);
 * - `connection_throttle`, behind a load balancer that sends a PROXY header: -1. BungeeCord limits the connections of
 *   each address before it reads the header. All players would count as the load balancer, and the fourth connection
 *   within 4 s would be closed (https://github.com/SpigotMC/BungeeCord/issues/2590). Whether there is a load balancer
 *   that sends no header is not known here, so the admin has to set the value then (docs/balancer.md);
 * - an existing `query_port`, because it is a UDP port and two proxies of a node must not share it.
 *
 * Everything else stays the same byte for byte. `online_mode` and other listeners are left to the admin.
 *
 * @param text latin1; if it is empty or has only comments, the result is a minimal file that BungeeCord completes
 *   when it starts
 * @returns the new text; applying the function to it changes nothing
 * @throws DefaultFileProblem with the line number, if the text is not YAML or its first listener cannot be
 *   determined
 */
export function withBungeeConfig(text: string, settings: BungeeSettings): string {
  return settle(BUNGEE_CONFIG, text, (now) => editsOf(now, settings));
}

/** Returns whether BungeeCord authenticates players with Mojang. It does so unless `online_mode` is off. */
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
      ...(settings.proxyProtocol ? ['connection_throttle: -1'] : []),
      'listeners:',
      `- ${host ?? ''}`,
      ...others.map((line) => `  ${line}`),
    ]);
    return editor.edits;
  }
  editor.set(root, { key: 'ip_forward', value: 'true', insensitive: true });
  if (settings.proxyProtocol)
    editor.set(root, { key: 'connection_throttle', value: '-1', insensitive: true });
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
  if (!isSeq(value)) throw editor.problem('"listeners" is not a list');
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

/** Returns the settings of a new listener, as lines of YAML. */
function linesOf({ port, maxPlayers, proxyProtocol }: BungeeSettings): string[] {
  const lines = [`host: 0.0.0.0:${port}`, `max_players: ${maxPlayers}`];
  return proxyProtocol ? [...lines, 'proxy_protocol: true'] : lines;
}

function listenerOf({ port, maxPlayers, proxyProtocol }: BungeeSettings): string {
  const more = proxyProtocol ? ', proxy_protocol: true' : '';
  return `{host: '0.0.0.0:${port}', max_players: ${maxPlayers}${more}}`;
}
