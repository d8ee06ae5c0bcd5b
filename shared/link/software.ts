/** What a `server.jar` is, as far as what Overworld adds to a service depends on it. */
export type SoftwareFamily = 'velocity' | 'bungeecord' | 'bukkit' | 'other';

/** Forks name themselves in their manifest, or by their main class (`readJar`). */
const families: readonly (readonly [family: SoftwareFamily, names: RegExp])[] = [
  ['velocity', /velocity/i],
  ['bungeecord', /bungee|waterfall|travertine|flamecord|overworld practice proxy/i],
  ['bukkit', /bukkit|spigot|paper|purpur|folia|pufferfish|mohist|arclight|magma/i],
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

/** The master gives a service Overworld's plugin: every proxy, and game servers that run Bukkit plugins. */
export function takesPlugin({ isProxy, software }: SoftwareFacts): boolean {
  return isProxy || softwareFamily(software) === 'bukkit';
}
