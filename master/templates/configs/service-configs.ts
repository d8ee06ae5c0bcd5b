import type { Forwarding } from '../provision.ts';
import { withServerProperties } from './server-properties.ts';
import { BUNGEE_CONFIG, withBungeeConfig } from './bungee-config.ts';
import {
  OLD_PAPER_CONFIG,
  PAPER_CONFIG,
  SPIGOT_CONFIG,
  withOldPaperConfig,
  withPaperConfig,
  withSpigotConfig,
} from './game-configs.ts';
import type { ConfigFile } from './config-file.ts';
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

/** What a service's own files say, whatever its template's hold. */
export interface ConfigSettings {
  readonly port: number;
  readonly maxPlayers: number;
  readonly isProxy: boolean;
  /** Players come through proxies of this network, which have checked who they are. */
  readonly behindProxy: boolean;
  /** A proxy: each connection begins with a PROXY protocol header. */
  readonly proxyProtocol: boolean;
  /** Null: nothing is set up, what the admin wrote counts. */
  readonly forwarding: Forwarding | null;
  /** What the manifest of its `server.jar` tells (`readJar`). */
  readonly software: string | null;
  /** Which Minecraft a jar of Paper says that it brings; null: it does not say. */
  readonly minecraft: string | null;
}

const PROPERTIES = 'server.properties';
const PROXY_PATHS = [PROPERTIES, BUNGEE_CONFIG, VELOCITY_CONFIG, VELOCITY_SECRET];
const FORWARDING_PATHS = [SPIGOT_CONFIG, PAPER_CONFIG, OLD_PAPER_CONFIG];

/** All files that {@link serviceConfigs} wants to see, where they exist. */
export function configPaths({
  isProxy,
  forwarding,
}: Pick<ConfigSettings, 'isProxy' | 'forwarding'>): readonly string[] {
  if (isProxy) return PROXY_PATHS;
  return forwarding === null ? [PROPERTIES] : [PROPERTIES, ...FORWARDING_PATHS];
}

/**
 * What must be written into a service's folder, so that it listens where it should and as its template says, and believes
 * its proxies and nobody else who a player is. Each file keeps what the admin put there; docs/templates.md lists what is set
 * in which. Secrets may be among it. docs/specification.md#maxplayers `maxPlayers`, `isProxy`; docs/adr/0020 (`templates`).
 *
 * @param files those of {@link configPaths} that exist
 * @throws DefaultFileProblem when a file cannot be changed safely
 */
export function serviceConfigs(
  files: readonly ConfigFile[],
  settings: ConfigSettings,
): readonly ConfigFile[] {
  const { isProxy, behindProxy, software } = settings;
  const textOf = (path: string) => files.find((file) => file.path === path)?.text ?? null;
  const properties: ConfigFile = {
    path: PROPERTIES,
    text: withServerProperties(textOf(PROPERTIES) ?? '', { ...settings, offline: behindProxy && !isProxy }),
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

type TextOf = (path: string) => string | null;

function velocityFiles(textOf: TextOf, settings: ConfigSettings): readonly ConfigFile[] {
  const found = textOf(VELOCITY_CONFIG);
  const text = found === null ? newVelocityConfig(settings) : withVelocityConfig(found, settings);
  const config = { path: VELOCITY_CONFIG, text };
  const { mode, secretFile } = readVelocityConfig(text);
  if (settings.forwarding !== null && mode === 'modern') {
    return [config, { path: secretFile ?? VELOCITY_SECRET, text: settings.forwarding.secret }];
  }
  // Velocity makes its secret only together with velocity.toml, and older versions do not start without. An empty one is
  // refused as soon as somebody forwards with it.
  const isMissing = found === null && textOf(VELOCITY_SECRET) === null;
  return isMissing ? [config, { path: VELOCITY_SECRET, text: '' }] : [config];
}

/** What does not tell that it takes part in forwarding is left alone, such as a vanilla server. */
function gameFiles(textOf: TextOf, settings: ConfigSettings, kind: GameKind | null): readonly ConfigFile[] {
  const { forwarding } = settings;
  if (forwarding === null || kind === null) return [];
  const spigot = { path: SPIGOT_CONFIG, text: withSpigotConfig(textOf(SPIGOT_CONFIG), forwarding) };
  if (kind === 'paper') return written([spigot, ...paperFiles(textOf, forwarding, settings)]);
  // Nothing would let players in who come with modern forwarding.
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
  // One that finds the old file puts its content in place of the other.
  return before === null ? [current] : [old, current];
}

function written(
  files: readonly { readonly path: string; readonly text: string | null }[],
): readonly ConfigFile[] {
  return files.flatMap(({ path, text }) => (text === null ? [] : [{ path, text }]));
}
