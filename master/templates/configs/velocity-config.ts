import { posix } from 'node:path';
import type { Forwarding } from '../provision.ts';
import { settle, type Edit } from './splice.ts';
import { TomlEditor } from './toml-editor.ts';

export const VELOCITY_CONFIG = 'velocity.toml';
/** Where Velocity looks for its forwarding secret unless velocity.toml names another file. */
export const VELOCITY_SECRET = 'forwarding.secret';

const MODE = 'player-info-forwarding-mode';
const SECRET_FILE = 'forwarding-secret-file';
/** Where versions before 3.1.2 have the secret itself. */
const SECRET = 'forwarding-secret';
const PROXY_PROTOCOL = 'advanced.haproxy-protocol';
/** Its earlier name; counts where the other is missing. */
const OLD_PROXY_PROTOCOL = 'advanced.proxy-protocol';

const modes = ['none', 'legacy', 'bungeeguard', 'modern'] as const;
export type ForwardingMode = (typeof modes)[number];

export interface VelocitySettings {
  readonly port: number;
  /** Shown in the server list: Velocity itself has no limit. */
  readonly maxPlayers: number;
  /** Each connection begins with a PROXY protocol header: all others are closed. */
  readonly proxyProtocol: boolean;
  /** Null: the file's own counts. */
  readonly forwarding: Forwarding | null;
}

/**
 * Sets `bind` and `show-max-players` in the text of a `velocity.toml`, `port` in its `[query]` where it is set (UDP, so that
 * two proxies of a node do not want the same), `haproxy-protocol` in `[advanced]` (off only where it is set), and
 * `player-info-forwarding-mode` where that is missing or none. With mode `modern` the secret's file must be one in the
 * service's folder; `forwarding-secret` of older versions is set where it is. Everything else stays byte for byte, `online-mode`
 * among it.
 *
 * @param text latin1; empty or only comments: they are added
 * @returns the new text; the same text again when it is put in once more
 * @throws DefaultFileProblem naming the line, when it is no TOML
 */
export function withVelocityConfig(text: string, settings: VelocitySettings): string {
  return settle(VELOCITY_CONFIG, text, (now) => editsOf(now, settings));
}

/**
 * A `velocity.toml` for a service that has none. Velocity fills in all else; the version says that no setting is in the
 * form of an earlier one (Velocity migrates files without).
 */
export function newVelocityConfig(settings: VelocitySettings): string {
  const { port, maxPlayers } = settings;
  const text = [
    '# Made by Overworld, as the template has no velocity.toml.',
    'config-version = "2.7"',
    `bind = "0.0.0.0:${port}"`,
    `show-max-players = ${maxPlayers}`,
    `${SECRET_FILE} = "${VELOCITY_SECRET}"`,
    '',
  ].join('\n');
  return withVelocityConfig(text, settings);
}

/** What a `velocity.toml` says of who players are. */
export interface VelocityFacts {
  /** Velocity asks Mojang who players are: unless `online-mode` says otherwise. */
  readonly checked: boolean;
  /** Null: none, or one that Velocity does not know. */
  readonly mode: ForwardingMode | null;
  /** The file of the secret, relative to the service's folder; null when it would lie elsewhere. */
  readonly secretFile: string | null;
}

/** @throws DefaultFileProblem naming the line, when it is no TOML */
export function readVelocityConfig(text: string): VelocityFacts {
  return factsOf(new TomlEditor(VELOCITY_CONFIG, text));
}

function factsOf(editor: TomlEditor): VelocityFacts {
  const mode = editor.get(MODE);
  return {
    checked: editor.get('online-mode') !== false,
    // Velocity reads it in any case.
    mode: modes.find((one) => typeof mode === 'string' && mode.toLowerCase() === one) ?? null,
    secretFile: editor.has(SECRET_FILE) ? insideOf(editor.get(SECRET_FILE)) : VELOCITY_SECRET,
  };
}

/** A path that leads out of the folder, or is another file of ours, cannot be the secret's. */
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
