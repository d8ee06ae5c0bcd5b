import { fileEntrySchema } from '#shared/config/template.ts';
import type { EntryInput } from '../../../view/form/form-model.ts';

/** Root of the shared files in the master's file area. Sources of entries are inside it. */
export const SHARED_FILES = '/files';

/** Returns a source as entries write it, relative to the shared files: `/files/maps/a` → `maps/a`. */
export function toSource(remotePath: string): string {
  return remotePath.slice(SHARED_FILES.length).replace(/^\/+/, '');
}

/**
 * Returns the path of an entry's source in the file area. For an empty source, this is the root of the shared files.
 */
export function toRemotePath(source: string): string {
  const inside = source.replace(/^\/+|\/+$/g, '');
  return inside === '' ? SHARED_FILES : `${SHARED_FILES}/${inside}`;
}

/**
 * Returns an entry after a file or folder was chosen: with its source, `directory` according to its kind, and a
 * destination of the same name if there was none.
 */
export function withPicked(
  entry: EntryInput,
  picked: { readonly path: string; readonly folder: boolean },
): EntryInput {
  const path = toSource(picked.path);
  const written = entry['destination'];
  const destination =
    typeof written === 'string' && written !== '' ? written : (path.split('/').at(-1) ?? '');
  // A file entry without `directory` stays without it.
  const directory = picked.folder ? true : entry['directory'] === true ? false : (entry['directory'] ?? '');
  return { ...entry, path, destination, directory };
}

/** Returns what is wrong with the source or the destination of a file entry. Undefined if it can be used. */
export function partProblem(part: 'path' | 'destination', value: string): string | undefined {
  if (fileEntrySchema.shape[part].safeParse(value).success) return undefined;
  if (value === '') return 'Is missing';
  if (/(^|\/)\.\.(\/|$)/.test(value)) return 'Must not contain ".."';
  if (value.includes('\\')) return 'Write / instead of \\';
  return part === 'destination' && value.startsWith('/')
    ? 'Must be relative, without / at the beginning'
    : 'Is not allowed';
}
