import { posix } from 'node:path';
import type { Forwarding } from '../provision.ts';
import { settle, type Edit } from './splice.ts';
import { TomlEditor } from './toml-editor.ts';

export const VELOCITY_CONFIG = 'velocity.toml';
/** File in which Velocity looks for its forwarding secret, unless velocity.toml names another one. */
export const VELOCITY_SECRET = 'forwarding.secret';

const MODE = 'player-info-forwarding-mode';
const SECRET_FILE = 'forwarding-secret-file';
/** Setting that contains the secret itself in versions before 3.1.2. */
const SECRET = 'forwarding-secret';
const PROXY_PROTOCOL = 'advanced.haproxy-protocol';
/** Earlier name of {@link PROXY_PROTOCOL}. Velocity uses it if the new setting is missing. */
const OLD_PROXY_PROTOCOL = 'advanced.proxy-protocol';

const modes = ['none', 'legacy', 'bungeeguard', 'modern'] as const;
export type ForwardingMode = (typeof modes)[number];

export interface VelocitySettings {
  readonly port: number;
  /** Number shown in the server list. Velocity itself has no player limit. */
  readonly maxPlayers: number;
  /**
   * Whether each connection starts with a PROXY protocol header. If true, connections without the header are
   * closed.
   */
  readonly proxyProtocol: boolean;
  /** Forwarding to set; null if the settings in the file apply. */
  readonly forwarding: Forwarding | null;
}

/**
 * Sets the values that Overworld determines in the text of a `velocity.toml`:
 *
 * - `bind`, `show-max-players`, and `haproxy-protocol` in `[advanced]` (`false` is written only if the key exists);
 * - `player-info-forwarding-mode` if it is missing or `none`;
 * - an existing `port` in `[query]`, because it is a UDP port and two proxies of a node must not share it;
 * - with mode `modern`, an existing `forwarding-secret` of older versions, and the path of the secret file if it is
 *   outside of the service's folder.
 *
 * Everything else stays the same byte for byte, including `online-mode`.
 *
 * @param text latin1; may be empty or have only comments
 * @returns the new text; applying the function to it changes nothing
 * @throws DefaultFileProblem with the line number, if the text is not TOML
 */
export function withVelocityConfig(text: string, settings: VelocitySettings): string {
  return settle(VELOCITY_CONFIG, text, (now) => editsOf(now, settings));
}

/**
 * Returns a `velocity.toml` for a service that has none. Velocity adds all other settings. The file contains
 * `config-version`, because Velocity would migrate a file without it.
 */
export function newVelocityConfig(settings: VelocitySettings): string {
  const { port, maxPlayers } = settings;
  const text = [
    '# Created by Overworld, because the template has no velocity.toml.',
    'config-version = "2.7"',
    `bind = "0.0.0.0:${port}"`,
    `show-max-players = ${maxPlayers}`,
    `${SECRET_FILE} = "${VELOCITY_SECRET}"`,
    '',
  ].join('\n');
  return withVelocityConfig(text, settings);
}

/** Settings of a `velocity.toml` that concern player authentication and forwarding. */
export interface VelocityFacts {
  /** Whether Velocity authenticates players with Mojang. True unless `online-mode` is false. */
  readonly checked: boolean;
  /** Forwarding mode; null if the file contains none, or one that Velocity does not know. */
  readonly mode: ForwardingMode | null;
  /**
   * Path of the secret file relative to the service's folder; null if the path is not usable, for example because it
   * leads out of the folder.
   */
  readonly secretFile: string | null;
}

/**
 * Reads the settings of a `velocity.toml`.
 *
 * @throws DefaultFileProblem with the line number, if the text is not TOML
 */
export function readVelocityConfig(text: string): VelocityFacts {
  return factsOf(new TomlEditor(VELOCITY_CONFIG, text));
}

function factsOf(editor: TomlEditor): VelocityFacts {
  const mode = editor.get(MODE);
  return {
    checked: editor.get('online-mode') !== false,
    // Velocity ignores the case of this value.
    mode: modes.find((one) => typeof mode === 'string' && mode.toLowerCase() === one) ?? null,
    secretFile: editor.has(SECRET_FILE) ? insideOf(editor.get(SECRET_FILE)) : VELOCITY_SECRET,
  };
}

/**
 * Returns the normalized path of a file in the service's folder. Null if the path leads out of the folder or is
 * another file that Overworld writes.
 */
function insideOf(path: unknown): string | null {
  if (typeof path !== 'string' || path === '' || !/^[ -~]+$/.test(path) || path.includes('\\')) return null;
  const plain = posix.normalize(path);
  const leadsOut = plain.startsWith('/') || plain === '.' || plain === '..' || plain.startsWith('../');
  return leadsOut || plain.endsWith('/') || TAKEN.includes(plain) ? null : plain;
}

const TAKEN = [VELOCITY_CONFIG, 'server.jar', 'server.properties'];

function editsOf(text: string, settings: VelocitySettings): readonly Edit[] {
  const { port, maxPlayers, proxyProtocol, forwarding } = settings;
  const editor = new TomlEditor(VELOCITY_CONFIG, text);
  editor.set('bind', `0.0.0.0:${port}`);
  editor.set('show-max-players', maxPlayers);
  if (editor.has('query.port')) editor.set('query.port', port);
  if (forwarding !== null) setForwarding(editor, forwarding);
  if (proxyProtocol || editor.has(PROXY_PROTOCOL)) editor.set(PROXY_PROTOCOL, proxyProtocol);
  if (editor.has(OLD_PROXY_PROTOCOL)) editor.set(OLD_PROXY_PROTOCOL, proxyProtocol);
  return editor.edits;
}

function setForwarding(editor: TomlEditor, { kind, secret }: Forwarding): void {
  const { mode, secretFile } = factsOf(editor);
  const isOurs = !editor.has(MODE) || mode === 'none';
  if (isOurs) editor.set(MODE, kind);
  if ((isOurs ? kind : mode) !== 'modern') return;
  if (secretFile === null) editor.set(SECRET_FILE, VELOCITY_SECRET);
  if (editor.has(SECRET)) editor.set(SECRET, secret);
}
