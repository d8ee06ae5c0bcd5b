import { permitsFiles, type Role } from '#shared/model/role.ts';
import { PLACES } from '../../stores/files/local-folder.svelte.ts';
import { hasBrokenName } from './browser/entries.ts';
import { isFixed, isWritable } from './paths.ts';
import type { Side } from './sides.ts';

interface Facts {
  readonly connected: boolean;
  /** Role of the app's key. Null while it is unknown. */
  readonly role: Role | null;
}

const OFFLINE = 'Not possible without a connection to the master';

/** Returns why nothing can be written now, whatever the folder. Undefined if it can. */
export function writeRefusal({ connected, role }: Facts): string | undefined {
  if (!connected) return OFFLINE;
  if (role !== null && !permitsFiles(role, true))
    return `Your key has the role ${role}, which can only read files`;
  return undefined;
}

/** Returns why nothing can be read from the master now. Undefined if it can. */
export function readRefusal({ connected }: Facts): string | undefined {
  return connected ? undefined : OFFLINE;
}

/** Returns why nothing can be added to this folder of the master. Undefined if it can. */
export function putRefusal(folder: string, facts: Facts): string | undefined {
  if (!isWritable(folder))
    return 'Files can only be put into a template or the shared files. Open one of them first';
  return writeRefusal(facts);
}

/** Returns why these entries of the master cannot be renamed or deleted. Undefined if they can. */
export function changeRefusal(
  entries: readonly { readonly path: string; readonly name?: string }[],
  facts: Facts,
): string | undefined {
  if (entries.length === 0) return 'Select something first';
  if (entries.some(({ path }) => isFixed(path)))
    return 'Template folders are created and deleted in Templates';
  return nameRefusal(entries) ?? writeRefusal(facts);
}

/**
 * Returns why entries cannot be transferred by name: their names are not valid text, so the displayed name is not
 * the real one.
 */
export function nameRefusal(entries: readonly { readonly path: string }[]): string | undefined {
  return entries.some(hasBrokenName)
    ? 'Its name is not UTF-8. Rename it on its own machine first'
    : undefined;
}

/** Like {@link putRefusal}, for a folder of either side. */
export function putRefusalOn(side: Side, folder: string, facts: Facts): string | undefined {
  if (side === 'remote') return putRefusal(folder, facts);
  return folder === PLACES ? 'Open one of your folders first' : undefined;
}

export function changeRefusalOn(
  side: Side,
  entries: readonly { readonly path: string; readonly name: string }[],
  { folder, facts }: { readonly folder: string; readonly facts: Facts },
): string | undefined {
  if (side === 'remote') return changeRefusal(entries, facts);
  if (entries.length === 0) return 'Select something first';
  return folder === PLACES ? 'This is one of your folders. Open it first' : nameRefusal(entries);
}
