import { readOnlyReason } from '#shared/model/file-views.ts';
import { CONTENTS_REFUSAL, mayWriteFiles, type Role } from '#shared/model/access/role.ts';
import { includesPath, limitRefusal, type TemplateLimit } from '#shared/model/access/template-limit.ts';
import { volumes } from '../../stores/volumes.svelte.ts';
import { PLACES } from '../../stores/files/local-folder.svelte.ts';
import { hasBrokenName } from './browser/entries.ts';
import { isFixed, isVolumeRoot, isWritable, viewAt, volumeOf } from './paths.ts';
import type { Side } from './sides.ts';

interface Facts {
  readonly connected: boolean;
  /** Role of the app's key. Null while it is unknown. */
  readonly role: Role | null;
  /** Whether the app's key may read the contents of files. */
  readonly readsFiles: boolean;
  /** The templates to which the app's key is limited. Null if the key has no limit. */
  readonly limit: TemplateLimit;
}

const OFFLINE = 'Not possible without a connection to the master';

/**
 * Returns why no files on the master can be changed now. Undefined if files can be changed. Does not check the
 * folder.
 */
export function writeRefusal({ connected, role }: Pick<Facts, 'connected' | 'role'>): string | undefined {
  if (!connected) return OFFLINE;
  if (role !== null && !mayWriteFiles(role))
    return `Your key has the role ${role}, which cannot change files`;
  return undefined;
}

/** Returns why the names of files on the master cannot be read now. Undefined if they can. */
export function listRefusal({ connected }: Pick<Facts, 'connected'>): string | undefined {
  return connected ? undefined : OFFLINE;
}

/** Returns why files on the master cannot be read now. Undefined if they can. */
export function readRefusal(facts: Pick<Facts, 'connected' | 'readsFiles'>): string | undefined {
  return listRefusal(facts) ?? (facts.readsFiles ? undefined : CONTENTS_REFUSAL);
}

/** Returns why files cannot be added to this folder of the master. Undefined if they can. */
export function putRefusal(folder: string, facts: Facts): string | undefined {
  const readOnly = readOnlyRefusal(folder);
  if (readOnly !== undefined) return readOnly;
  if (!isWritable(folder))
    return 'Files can only be put into a template or the shared files. Open one of them first';
  return outsideRefusal([folder], facts) ?? writeRefusal(facts);
}

/** Returns why a path of the master is read-only for every role. Undefined if the path is writable. */
export function readOnlyRefusal(path: string): string | undefined {
  const view = viewAt(path);
  if (view === null) return undefined;
  const volume = volumeOf(path);
  if (volume === null) return readOnlyReason(view);
  const { service = null } = volumes.get(volume)?.attached ?? {};
  return service === null
    ? undefined
    : `The service ${service} uses this volume. To change its files, pause its automation and stop it. Its data is saved first`;
}

/** Returns why entries of the master cannot be copied within the master. Undefined if they can. */
export function copyRefusal(entries: readonly { readonly path: string }[]): string | undefined {
  return entries.some(({ path }) => viewAt(path) !== null)
    ? 'Files of services and volumes cannot be copied here. Download them, or use the menu of the service'
    : nameRefusal(entries);
}

/** Returns why files cannot be copied to this folder within the master. Undefined if they can. */
export function copyTargetRefusal(folder: string): string | undefined {
  return viewAt(folder) === null ? undefined : 'Files cannot be copied to a volume here. Upload them instead';
}

/**
 * Returns why the app's key may not change these paths of the master. Undefined if the key's limit includes all of
 * them.
 */
function outsideRefusal(paths: readonly string[], { limit }: Pick<Facts, 'limit'>): string | undefined {
  return limit === null || paths.every((path) => includesPath(limit, path)) ? undefined : limitRefusal(limit);
}

/** Returns why these entries of the master cannot be renamed or deleted. Undefined if they can. */
export function changeRefusal(
  entries: readonly { readonly path: string; readonly name?: string }[],
  facts: Facts,
): string | undefined {
  if (entries.length === 0) return 'Select something first';
  const [readOnly] = entries.flatMap(({ path }) => readOnlyRefusal(path) ?? []);
  if (readOnly !== undefined) return readOnly;
  if (entries.some(({ path }) => isVolumeRoot(path)))
    return 'Volumes are deleted in the tab Data of their template';
  if (entries.some(({ path }) => isFixed(path)))
    return 'Template folders are created and deleted in Templates';
  const paths = entries.map(({ path }) => path);
  return nameRefusal(entries) ?? outsideRefusal(paths, facts) ?? writeRefusal(facts);
}

/**
 * Returns why entries cannot be requested by their names: a name that is not valid UTF-8 is displayed differently.
 * Undefined if all names are valid UTF-8.
 */
export function nameRefusal(entries: readonly { readonly path: string }[]): string | undefined {
  return entries.some(hasBrokenName)
    ? 'Its name is not UTF-8. Rename it on its own machine first'
    : undefined;
}

/**
 * Returns why no files may be put into a folder; undefined if they may. The folder is on this computer or on the
 * master.
 */
export function putRefusalOn(side: Side, folder: string, facts: Facts): string | undefined {
  if (side === 'remote') return putRefusal(folder, facts);
  return folder === PLACES ? 'Open one of your folders first' : undefined;
}

/**
 * Like {@link changeRefusal}, for entries of either side. On this computer, only two kinds of entries are refused:
 * the places themselves (the person's folders), and entries whose names are not UTF-8.
 *
 * @param folder the folder that contains the entries
 */
export function changeRefusalOn(
  side: Side,
  entries: readonly { readonly path: string; readonly name: string }[],
  { folder, facts }: { readonly folder: string; readonly facts: Facts },
): string | undefined {
  if (side === 'remote') return changeRefusal(entries, facts);
  if (entries.length === 0) return 'Select something first';
  return folder === PLACES ? 'This is one of your folders. Open it first' : nameRefusal(entries);
}
