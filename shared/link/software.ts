import type { Platform } from './messages.ts';

/**
 * What a `server.jar` is, as far as what Overworld adds to a service depends on it. `paper`: a Bukkit server that takes part in
 * Velocity's forwarding; `bukkit`: all others that run Bukkit plugins; `practice`: our practice server; `other`: vanilla,
 * mod loaders, and what does not tell.
 */
export type SoftwareFamily = 'velocity' | 'bungeecord' | 'paper' | 'bukkit' | 'practice' | 'other';

/**
 * Forks name themselves in their manifest, or by their main class (`readJar`): `io.papermc.paperclip.Main` (Paper, Purpur,
 * Folia …), `org.bukkit.craftbukkit.bootstrap.Main` or `CraftBukkit git-Spigot-…` (Spigot). The first that fits counts.
 */
const families: readonly (readonly [family: SoftwareFamily, names: RegExp])[] = [
  ['velocity', /velocity/i],
  ['bungeecord', /bungee|waterfall|travertine|flamecord|overworld practice proxy/i],
  ['practice', /overworld practice server/i],
  ['paper', /paper|purpur|folia|pufferfish|leavesclip/i],
  ['bukkit', /bukkit|spigot|mohist|arclight|magma/i],
];

/**
 * The family of a `server.jar`, by what its manifest tells: title and version, else its main class.
 *
 * @param software null: it tells nothing
 */
export function softwareFamily(software: string | null): SoftwareFamily {
  return families.find(([, names]) => names.test(software ?? ''))?.[0] ?? 'other';
}

/** What is known of a service's software before it is started. */
export interface SoftwareFacts {
  readonly isProxy: boolean;
  /** As its jar's manifest tells; null: nothing, or there is no jar. */
  readonly software: string | null;
}

/** Where Overworld's plugin is in a service. */
export const PLUGIN_FILE = 'plugins/overworld.jar';

/** The master gives a service Overworld's plugin: every proxy, and game servers that run Bukkit plugins. */
export function takesPlugin({ isProxy, software }: SoftwareFacts): boolean {
  const family = softwareFamily(software);
  return isProxy || family === 'paper' || family === 'bukkit';
}

/** What can run a plugin of each platform; `other` may be anything. */
const RUNS_ON: Readonly<Record<Platform, readonly SoftwareFamily[]>> = {
  velocity: ['velocity', 'other'],
  bungeecord: ['bungeecord', 'other'],
  // The bundled practice proxy passes for a BungeeCord.
  practice: ['bungeecord', 'other'],
  bukkit: ['paper', 'bukkit', 'practice', 'other'],
};

/**
 * Whether a service can be what the plugin in it says that it runs on. A plugin for game servers in what is called a proxy is
 * believed: `isProxy` is on unless somebody switches it off (docs/specification.md#isproxy), and with it a plugin may do less, not more.
 */
export function canRunOn(platform: Platform, { isProxy, family }: ServiceKind): boolean {
  return (isProxy || platform === 'bukkit') && RUNS_ON[platform].includes(family);
}

/** What a service is, as the master knows. */
export interface ServiceKind {
  readonly isProxy: boolean;
  /** Of the jar that it was started from; `other` where that is not known. */
  readonly family: SoftwareFamily;
}
