import { softwareFamily } from '#shared/link/software.ts';
import { OLD_PAPER_CONFIG, PAPER_CONFIG, SPIGOT_CONFIG } from './game-configs.ts';
import type { ServiceConfigFile } from './config-file.ts';

/**
 * Game servers that support forwarding. `paper` supports the methods of Velocity and BungeeCord, `spigot` supports
 * only BungeeCord's method.
 */
export type GameKind = 'paper' | 'spigot';

/**
 * Determines the kind of a game server from its jar (`softwareFamily`). If the jar's software is unknown, uses the
 * existing config files.
 *
 * Example: an unknown jar beside a `spigot.yml` is `spigot`.
 *
 * @returns null if the server supports no forwarding that Overworld knows; its forwarding settings must then not be
 *   changed
 */
export function gameKindOf(software: string | null, files: readonly ServiceConfigFile[]): GameKind | null {
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
