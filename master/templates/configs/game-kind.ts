import { softwareFamily } from '#shared/link/software.ts';
import { OLD_PAPER_CONFIG, PAPER_CONFIG, SPIGOT_CONFIG } from './game-configs.ts';
import type { ConfigFile } from './config-file.ts';

/** Game servers that take part in forwarding: `paper` in Velocity's, too, `spigot` in BungeeCord's alone. */
export type GameKind = 'paper' | 'spigot';

/**
 * What a game server is: by its jar (`softwareFamily`), and where that says nothing by the files that lie there. Null: it takes
 * part in no forwarding that Overworld knows, so that no file of it may be touched.
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
