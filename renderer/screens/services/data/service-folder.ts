import type { ServiceFile, ServiceFiles } from '#shared/model/service-files.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { call } from '../../../bridge/bridge.ts';

/** Maximum number of entries that are shown of one folder. */
const MOST_SHOWN = 5000;

/**
 * Returns the entries of a folder of a service. Reads pages until it has at least 5,000 entries, or all.
 *
 * @param folder path in the service's folder; empty for the service's folder itself
 * @throws OverworldError as `services.listFiles` does
 */
export async function listFolder(id: ServiceId, folder: string): Promise<readonly ServiceFile[]> {
  const all: ServiceFile[] = [];
  for (let after: string | null = null; all.length < MOST_SHOWN;) {
    const { entries, more }: ServiceFiles = await call('services.listFiles', { id, folder, after });
    all.push(...entries);
    after = entries.at(-1)?.name ?? null;
    if (!more || after === null) break;
  }
  return all;
}

/** Sorts folders before files, both by name. */
export function sortForShow(entries: readonly ServiceFile[]): readonly ServiceFile[] {
  const rank = ({ kind }: ServiceFile): number => (kind === 'folder' ? 0 : 1);
  return entries.toSorted((a, b) => rank(a) - rank(b) || a.name.localeCompare(b.name));
}

/**
 * Returns the folders on the path to the shown folder. The first one is the service's folder, with the service's id
 * as its name.
 */
export function toCrumbs(
  id: ServiceId,
  folder: string,
): readonly { readonly name: string; readonly folder: string }[] {
  const names = folder === '' ? [] : folder.split('/');
  return [
    { name: id, folder: '' },
    ...names.map((name, at) => ({ name, folder: names.slice(0, at + 1).join('/') })),
  ];
}

/**
 * Returns how a path is chosen. `itself`: the path is chosen. `with its folder`: a folder that contains the path is
 * chosen. `in part`: something inside the path is chosen. `not`: none of these.
 */
export function isChosen(
  path: string,
  chosen: ReadonlySet<string>,
): 'itself' | 'with its folder' | 'in part' | 'not' {
  if (chosen.has(path)) return 'itself';
  const all = [...chosen];
  if (all.some((one) => path.startsWith(`${one}/`))) return 'with its folder';
  return all.some((one) => one.startsWith(`${path}/`)) ? 'in part' : 'not';
}
