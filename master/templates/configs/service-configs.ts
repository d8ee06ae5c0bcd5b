import { withServerProperties } from '../server-properties.ts';
import { BUNGEE_CONFIG, withBungeeConfig } from './bungee-config.ts';
import { proxyKindOf } from './proxy-kind.ts';
import {
  newVelocityConfig,
  VELOCITY_CONFIG,
  VELOCITY_SECRET,
  withVelocityConfig,
} from './velocity-config.ts';

/** A file of a service's folder, read and written as latin1: every byte stays as it is, whatever its encoding. */
export interface ConfigFile {
  /** Relative to the service's folder. */
  readonly path: string;
  readonly text: string;
}

/** What a service's own files say, whatever its template's hold. Secrets and PROXY protocol are to join it. */
export interface ConfigSettings {
  readonly port: number;
  readonly maxPlayers: number;
  readonly isProxy: boolean;
  /** Players come through proxies of this network, which have checked who they are. */
  readonly behindProxy: boolean;
  /** What the manifest of its `server.jar` tells (`readJar`). */
  readonly software: string | null;
}

const PROPERTIES = 'server.properties';

/** All files that {@link serviceConfigs} wants to see, where they exist. */
export const CONFIG_PATHS: readonly string[] = [PROPERTIES, BUNGEE_CONFIG, VELOCITY_CONFIG, VELOCITY_SECRET];

/**
 * What must be written into a service's folder, so that it listens where it should and as its template says. Each file
 * keeps what the admin put there; docs/templates.md lists what is set in which. Spec 2.1 `maxPlayers`, `isProxy`;
 * design 2 (`templates`).
 *
 * @param files those of {@link CONFIG_PATHS} that exist
 * @throws DefaultFileProblem when a file cannot be changed safely
 */
export function serviceConfigs(
  files: readonly ConfigFile[],
  settings: ConfigSettings,
): readonly ConfigFile[] {
  const { isProxy, behindProxy, software } = settings;
  const text = (path: string) => files.find((file) => file.path === path)?.text;
  const properties: ConfigFile = {
    path: PROPERTIES,
    text: withServerProperties(text(PROPERTIES) ?? '', { ...settings, offline: behindProxy && !isProxy }),
  };
  const kind = isProxy ? proxyKindOf(software, files) : null;
  if (kind === 'bungeecord') {
    return [properties, { path: BUNGEE_CONFIG, text: withBungeeConfig(text(BUNGEE_CONFIG) ?? '', settings) }];
  }
  if (kind === 'velocity') return [properties, ...velocityFiles(text, settings)];
  return [properties];
}

function velocityFiles(
  textOf: (path: string) => string | undefined,
  settings: ConfigSettings,
): readonly ConfigFile[] {
  const text = textOf(VELOCITY_CONFIG);
  if (text !== undefined) return [{ path: VELOCITY_CONFIG, text: withVelocityConfig(text, settings) }];
  const files = [{ path: VELOCITY_CONFIG, text: newVelocityConfig(settings) }];
  // Velocity makes its secret only together with velocity.toml, and older versions do not start without. An empty one is
  // refused as soon as somebody forwards with it.
  if (textOf(VELOCITY_SECRET) === undefined) files.push({ path: VELOCITY_SECRET, text: '' });
  return files;
}
