import type { Platform } from './messages.ts';

/**
 * Kind of a `server.jar`, as far as it matters for what Overworld adds to a service. `paper`: a Bukkit server that
 * supports Velocity's forwarding. `bukkit`: any other server that runs Bukkit plugins. `practice`: the bundled
 * practice server. `other`: vanilla, mod loaders, and unknown software.
 */
export type SoftwareFamily = 'velocity' | 'bungeecord' | 'paper' | 'bukkit' | 'practice' | 'other';

/**
 * Names of forks in the manifest or in the main class (`readJar`), such as `io.papermc.paperclip.Main` (Paper,
 * Purpur, Folia …) and `org.bukkit.craftbukkit.bootstrap.Main` or `CraftBukkit git-Spigot-…` (Spigot). The first
 * match wins.
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
 * @param software title and version of its manifest, or else its main class; null if it has neither
 */
export function softwareFamily(software: string | null): SoftwareFamily {
  return families.find(([, names]) => names.test(software ?? ''))?.[0] ?? 'other';
}

/** Facts about a service's software that are known before the service starts. */
export interface SoftwareFacts {
  readonly isProxy: boolean;
  /** Software as the manifest of its jar names it. Null if the manifest does not, or if there is no jar. */
  readonly software: string | null;
}

/** Path of Overworld's plugin in a service's folder. */
export const PLUGIN_FILE = 'plugins/overworld.jar';

/** Returns whether the service gets Overworld's plugin: every proxy, and game servers that run Bukkit plugins. */
export function takesPlugin({ isProxy, software }: SoftwareFacts): boolean {
  const family = softwareFamily(software);
  return isProxy || family === 'paper' || family === 'bukkit';
}

/** Families that can run the plugin of each platform. `other` may be anything. */
const RUNS_ON: Readonly<Record<Platform, readonly SoftwareFamily[]>> = {
  velocity: ['velocity', 'other'],
  bungeecord: ['bungeecord', 'other'],
  // The bundled practice proxy identifies itself as a BungeeCord.
  practice: ['bungeecord', 'other'],
  bukkit: ['paper', 'bukkit', 'practice', 'other'],
};

/**
 * Returns whether a service can run the platform that its plugin reports. A game-server plugin on a template with
 * `isProxy` is accepted: `isProxy` is on by default (docs/specification.md#isproxy), and that plugin has fewer
 * rights, not more.
 */
export function canRunOn(platform: Platform, { isProxy, family }: ServiceKind): boolean {
  return (isProxy || platform === 'bukkit') && RUNS_ON[platform].includes(family);
}

/** What the master knows about the kind of a service. */
export interface ServiceKind {
  readonly isProxy: boolean;
  /** Family of the jar that it was started from; `other` if unknown. */
  readonly family: SoftwareFamily;
}
