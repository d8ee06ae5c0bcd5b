import type { Entry } from '../../stores/files/folder.svelte.ts';
import { templates } from '../../stores/templates.svelte.ts';
import { parentOf, SHARED_FILES, TEMPLATES } from './paths.ts';
import type { Side } from './sides.ts';

/** Returns a caption for some entries: the display name of a template, the purpose of the two roots. */
export function captionOf(side: Side, entry: Entry): string | undefined {
  if (side === 'local') return entry.modifiedAt === 0 ? entry.path : undefined;
  if (entry.path === TEMPLATES) return 'one folder for each template';
  if (entry.path === SHARED_FILES) return 'shared files, for several templates at once';
  if (parentOf(entry.path) !== TEMPLATES) return undefined;
  return templates.get(entry.name)?.config.name;
}
