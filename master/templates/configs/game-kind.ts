import { softwareFamily } from '#shared/link/software.ts';
import { OLD_PAPER_CONFIG, PAPER_CONFIG, SPIGOT_CONFIG } from './game-configs.ts';
import type { ConfigFile } from './config-file.ts';

/** Game servers that support forwarding: `paper` supports Velocity's and BungeeCord's, `spigot` only BungeeCord's. */
export type GameKind = 'paper' | 'spigot';

/**
 * Determines the kind of a game server from its jar (`softwareFamily`), or from the existing config files if the
 * jar does not identify it.
 *
 * Example: an unknown jar beside a `spigot.yml` is `spigot`.
 *
 * @returns null if it supports no forwarding that Overworld knows; then none of its files may be changed
 */
export function gameKindOf(software: string | null, files: readonly ConfigFile[]): GameKind | null {
  switch (softwareFamily(software)) {
    case 'paper':
      return 'paper';
    case 'bukkit':
    case 'practice':
      return 'spigot';
    case 'other':
      return kindByFiles(new Set(files.map(({ path }) => path)));
    default:
      return null;
  }
}

function kindByFiles(paths: ReadonlySet<string>): GameKind | null {
  if (paths.has(PAPER_CONFIG) || paths.has(OLD_PAPER_CONFIG)) return 'paper';
  return paths.has(SPIGOT_CONFIG) ? 'spigot' : null;
}
