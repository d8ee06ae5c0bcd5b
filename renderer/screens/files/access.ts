import { permitsFiles, type Role } from '#shared/model/role.ts';
import type { RemoteEntry } from '#shared/ipc/contract.ts';
import { isFixed, isWritable } from './paths.ts';

interface Facts {
  readonly connected: boolean;
  /** Role of our key, null while it is not known. */
  readonly role: Role | null;
}

/** Why nothing may be written now, whatever the folder; undefined when it may. */
export function writeRefusal({ connected, role }: Facts): string | undefined {
  if (!connected) return 'Not possible without a connection to the master';
  if (role !== null && !permitsFiles(role, true))
    return `Your key has the role ${role}, which only reads files`;
  return undefined;
}

/** Why nothing can be put into this folder; undefined when it can. */
export function putRefusal(folder: string, facts: Facts): string | undefined {
  if (!isWritable(folder))
    return 'Files belong into a template or into the shared files; open one of them first';
  return writeRefusal(facts);
}

/** Why these entries cannot be renamed or deleted; undefined when they can. */
export function changeRefusal(
  entries: readonly Pick<RemoteEntry, 'path'>[],
  facts: Facts,
): string | undefined {
  if (entries.length === 0) return 'Choose something first';
  if (entries.some(({ path }) => isFixed(path)))
    return 'Folders of templates are made and deleted under Templates';
  return writeRefusal(facts);
}
