import type { Platform } from './messages.ts';

/**
 * Kind of a `server.jar`. It determines what Overworld adds to a service. `paper`: a Bukkit server that supports
 * Velocity's forwarding. `bukkit`: every other server that runs Bukkit plugins. `practice`: the bundled practice
 * server. `other`: vanilla, mod loaders, and unknown software.
 */
export type SoftwareFamily = 'velocity' | 'bungeecord' | 'paper' | 'bukkit' | 'practice' | 'other';

/**
 * Each software family with a pattern; the first match decides. The pattern is matched against the title and version
 * in a jar's manifest or, if there are none, against the name of the main class. Examples:
 * `io.papermc.paperclip.Main` is Paper, Purpur or Folia; `org.bukkit.craftbukkit.bootstrap.Main` and
 * `CraftBukkit git-Spigot-…` are Spigot.
 */
const families: readonly (readonly [family: SoftwareFamily, names: RegExp])[] = [
  ['velocity', /velocity/i],
  ['bungeecord', /bungee|waterfall|travertine|flamecord|overworld practice proxy/i],
  ['practice', /overworld practice server/i],
  ['paper', /paper|purpur|folia|pufferfish|leavesclip/i],
  ['bukkit', /bukkit|spigot|mohist|arclight|magma/i],
];

/**
 * Returns the family of a `server.jar`.
 *
 * Example: `CraftBukkit git-Spigot-…` → `bukkit`.
 *
 * @param software title and version from the manifest, or else the main class; null if the jar has neither
 */
export function softwareFamily(software: string | null): SoftwareFamily {
  return families.find(([, names]) => names.test(software ?? ''))?.[0] ?? 'other';
}

/**
 * Names of game servers without Bukkit's API: vanilla and mod loaders, by the main class or the title of their jars.
 */
const OTHER_GAME_SERVERS = /net\.minecraft\.|fabric|quilt|forge|sponge/i;

/**
 * Returns whether the software of a `server.jar` is known to be a game server. False for unknown software, which may
 * be a proxy.
 *
 * Example: `net.minecraft.bundler.Main` → true, although its family is `other`.
 *
 * @param software title and version from the manifest, or else the main class; null if the jar has neither
 */
export function isGameServerSoftware(software: string | null): boolean {
  const family = softwareFamily(software);
  if (family !== 'other') return family !== 'velocity' && family !== 'bungeecord';
  return OTHER_GAME_SERVERS.test(software ?? '');
}

/** Facts about a service's software that are known before the service starts. */
export interface SoftwareFacts {
  readonly isProxy: boolean;
  /**
   * Title and version from the jar's manifest, or else the jar's main class. Null if there is no jar, or if the jar
   * has neither.
   */
  readonly software: string | null;
}

/** Path of Overworld's plugin in a service's folder. */
export const PLUGIN_FILE = 'plugins/overworld.jar';

/**
 * Returns whether the service gets Overworld's plugin. Every proxy gets the plugin, and so do game servers that run
 * Bukkit plugins.
 */
export function takesPlugin({ isProxy, software }: SoftwareFacts): boolean {
  const family = softwareFamily(software);
  return isProxy || family === 'paper' || family === 'bukkit';
}

/**
 * Software families that can run the plugin of each platform. `other` is in every list, because unknown software may
 * belong to any family.
 */
const RUNS_ON: Readonly<Record<Platform, readonly SoftwareFamily[]>> = {
  velocity: ['velocity', 'other'],
  bungeecord: ['bungeecord', 'other'],
  // The bundled practice proxy identifies itself as a BungeeCord.
  practice: ['bungeecord', 'other'],
  bukkit: ['paper', 'bukkit', 'practice', 'other'],
};

/**
 * Returns whether a service can run the platform that its plugin reports. A game-server plugin on a template with
 * `isProxy` is accepted, because `isProxy` is on by default (docs/specification.md#isproxy) and a game-server plugin
 * has fewer rights than the plugin of a proxy.
 */
export function canRunOn(platform: Platform, { isProxy, family }: ServiceKind): boolean {
  return (isProxy || platform === 'bukkit') && RUNS_ON[platform].includes(family);
}

/** Facts that determine which platforms a service can run. */
export interface ServiceKind {
  readonly isProxy: boolean;
  /** Family of the jar from which the service was started; `other` if unknown. */
  readonly family: SoftwareFamily;
}
