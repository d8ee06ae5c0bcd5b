import type { Entry } from '../../stores/files/folder.svelte.ts';
import { templates } from '../../stores/templates.svelte.ts';
import { parentOf, SERVICES, SHARED_FILES, TEMPLATES, VOLUMES } from './paths.ts';
import type { Side } from './sides.ts';

const purposes: ReadonlyMap<string, string> = new Map([
  [TEMPLATES, 'one folder for each template'],
  [SHARED_FILES, 'shared files, for several templates at once'],
  [SERVICES, 'files of running services, read-only'],
  [VOLUMES, 'saved data of services'],
]);

/**
 * Returns the caption of an entry: the path of a place, the display name of a template, or the purpose of one of the
 * master's roots. Undefined for other entries.
 */
export function captionOf(side: Side, entry: Entry): string | undefined {
  if (side === 'local') return entry.modifiedAt === 0 ? entry.path : undefined;
  const purpose = purposes.get(entry.path);
  if (purpose !== undefined) return purpose;
  if (parentOf(entry.path) !== TEMPLATES) return undefined;
  return templates.get(entry.name)?.config.name;
}
