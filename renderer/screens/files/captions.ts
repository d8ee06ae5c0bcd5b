import type { Entry } from '../../stores/files/folder.svelte.ts';
import { templates } from '../../stores/templates.svelte.ts';
import { parentOf, SHARED_FILES, TEMPLATES } from './paths.ts';
import type { Side } from './sides.ts';

/**
 * Returns the caption of an entry: the path of a place, the display name of a template, or the purpose of one of the
 * master's two roots. Undefined for other entries.
 */
export function captionOf(side: Side, entry: Entry): string | undefined {
  if (side === 'local') return entry.modifiedAt === 0 ? entry.path : undefined;
  if (entry.path === TEMPLATES) return 'one folder for each template';
  if (entry.path === SHARED_FILES) return 'shared files, for several templates at once';
  if (parentOf(entry.path) !== TEMPLATES) return undefined;
  return templates.get(entry.name)?.config.name;
}
