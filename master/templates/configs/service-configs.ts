import type { Forwarding } from '../provision.ts';
import { readServerProperty, SERVER_PROPERTIES, withServerProperties } from './server-properties.ts';
import { BUNGEE_CONFIG, withBungeeConfig } from './bungee-config.ts';
import {
  OLD_PAPER_CONFIG,
  PAPER_CONFIG,
  SPIGOT_CONFIG,
  withOldPaperConfig,
  withPaperConfig,
  withSpigotConfig,
} from './game-configs.ts';
import type { ServiceConfigFile } from './config-file.ts';
import { gameKindOf, type GameKind } from './game-kind.ts';
import { hasOldPaperConfig } from './paper-version.ts';
import { proxyKindOf } from './proxy-kind.ts';
import {
  newVelocityConfig,
  readVelocityConfig,
  VELOCITY_CONFIG,
  VELOCITY_SECRET,
  withVelocityConfig,
} from './velocity-config.ts';

/** Settings of a service that override those in its template's files. */
export interface ConfigSettings {
  readonly port: number;
  readonly maxPlayers: number;
  readonly isProxy: boolean;
  /** Whether players arrive through proxies of this network, which have authenticated them. */
  readonly behindProxy: boolean;
  /** Whether the network may have proxies of unknown software. The admin sets `online-mode` then. Absent: false. */
  readonly mayHaveProxy?: boolean | undefined;
  /** Whether each connection to this proxy starts with a PROXY protocol header. */
  readonly proxyProtocol: boolean;
  /** Forwarding to set up; null if it is not set up and the admin's settings apply. */
  readonly forwarding: Forwarding | null;
  /** Software named in the manifest of the service's `server.jar` (`readJar`); null if unknown. */
  readonly software: string | null;
  /** Minecraft version that a Paper jar declares; null if it declares none. */
  readonly minecraft: string | null;
  /**
   * Text of `server.properties` of the template or its default service files, before the volume replaced it; empty if
   * they have none. Absent if no volume can replace it.
   */
  readonly ownProperties?: string;
}

const PROXY_PATHS = [SERVER_PROPERTIES, BUNGEE_CONFIG, VELOCITY_CONFIG, VELOCITY_SECRET];
const FORWARDING_PATHS = [SPIGOT_CONFIG, PAPER_CONFIG, OLD_PAPER_CONFIG];

/** Returns the paths of all files that {@link serviceConfigs} needs as input, if they exist. */
export function configPaths({
  isProxy,
  forwarding,
}: Pick<ConfigSettings, 'isProxy' | 'forwarding'>): readonly string[] {
  if (isProxy) return PROXY_PATHS;
  return forwarding === null ? [SERVER_PROPERTIES] : [SERVER_PROPERTIES, ...FORWARDING_PATHS];
}

/**
 * Returns the config files to write into a service's folder. With them, the service listens on its port, applies
 * its template's settings, and accepts player identities only from its proxies. Other content of the files stays
 * the same; docs/templates.md lists the changed settings of each file. The result may contain secrets. See
 * docs/specification.md#maxplayers and #isproxy, and docs/adr/0020.
 *
 * @param files the files of {@link configPaths} that exist
 * @throws DefaultFileProblem if a file cannot be changed safely
 */
export function serviceConfigs(
  files: readonly ServiceConfigFile[],
  settings: ConfigSettings,
): readonly ServiceConfigFile[] {
  const { isProxy, software } = settings;
  const textOf = (path: string) => files.find((file) => file.path === path)?.text ?? null;
  const found = textOf(SERVER_PROPERTIES) ?? '';
  const properties: ServiceConfigFile = {
    path: SERVER_PROPERTIES,
    text: withServerProperties(found, { ...settings, onlineMode: onlineModeOf(found, settings) }),
  };
  if (!isProxy) return [properties, ...gameFiles(textOf, settings, gameKindOf(software, files))];
  switch (proxyKindOf(software, files)) {
    case 'bungeecord':
      return [
        properties,
        { path: BUNGEE_CONFIG, text: withBungeeConfig(textOf(BUNGEE_CONFIG) ?? '', settings) },
      ];
    case 'velocity':
      return [properties, ...velocityFiles(textOf, settings)];
    case null:
      return [properties];
  }
}

/**
 * Returns the value to set for `online-mode`; null if the file's own value applies. A file that comes from the volume
 * may still have the value that was set while there was a proxy. Without a proxy, anyone could then join under any
 * name, so the value of the template applies. If there may be a proxy of unknown software, the file's own value may be
 * what its players need.
 */
function onlineModeOf(
  found: string,
  {
    isProxy,
    behindProxy,
    mayHaveProxy = false,
    ownProperties = found,
  }: Pick<ConfigSettings, 'isProxy' | 'behindProxy' | 'mayHaveProxy' | 'ownProperties'>,
): string | null {
  if (isProxy) return null;
  if (behindProxy) return 'false';
  if (mayHaveProxy || ownProperties === found) return null;
  return readServerProperty(ownProperties, 'online-mode') ?? 'true';
}

type TextOf = (path: string) => string | null;

function velocityFiles(textOf: TextOf, settings: ConfigSettings): readonly ServiceConfigFile[] {
  const found = textOf(VELOCITY_CONFIG);
  const text = found === null ? newVelocityConfig(settings) : withVelocityConfig(found, settings);
  const config = { path: VELOCITY_CONFIG, text };
  const { mode, secretFile } = readVelocityConfig(text);
  if (settings.forwarding !== null && mode === 'modern') {
    return [config, { path: secretFile ?? VELOCITY_SECRET, text: settings.forwarding.secret }];
  }
  // Velocity creates its secret only together with a new velocity.toml, and older versions do not start without a
  // secret. An empty secret is safe, because Velocity refuses it as soon as forwarding is used.
  const isMissing = found === null && textOf(VELOCITY_SECRET) === null;
  return isMissing ? [config, { path: VELOCITY_SECRET, text: '' }] : [config];
}

/**
 * Returns the config files of a game server for forwarding. Returns none for software that is not known to support
 * forwarding, such as a vanilla server.
 */
function gameFiles(
  textOf: TextOf,
  settings: ConfigSettings,
  kind: GameKind | null,
): readonly ServiceConfigFile[] {
  const { forwarding } = settings;
  if (forwarding === null || kind === null) return [];
  const spigot = { path: SPIGOT_CONFIG, text: withSpigotConfig(textOf(SPIGOT_CONFIG), forwarding) };
  if (kind === 'paper') return written([spigot, ...paperFiles(textOf, forwarding, settings)]);
  // Spigot does not support modern forwarding, so no setting could let players in.
  return forwarding.kind === 'legacy' ? written([spigot]) : [];
}

function paperFiles(
  textOf: TextOf,
  forwarding: Forwarding,
  jar: Pick<ConfigSettings, 'software' | 'minecraft'>,
) {
  const [before, now] = [textOf(OLD_PAPER_CONFIG), textOf(PAPER_CONFIG)];
  const old = { path: OLD_PAPER_CONFIG, text: withOldPaperConfig(before, forwarding) };
  const current = { path: PAPER_CONFIG, text: withPaperConfig(now, forwarding) };
  if (hasOldPaperConfig(jar)) return now === null ? [old] : [old, current];
  // If the old file exists, Paper replaces the content of the new file with the content of the old file.
  return before === null ? [current] : [old, current];
}

function written(
  files: readonly { readonly path: string; readonly text: string | null }[],
): readonly ServiceConfigFile[] {
  return files.flatMap(({ path, text }) => (text === null ? [] : [{ path, text }]));
}
