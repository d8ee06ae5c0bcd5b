import { fileEntrySchema } from '#shared/config/template.ts';
import type { EntryInput } from '../../../view/form/form-model.ts';

/** Root of the shared files in the master's file area. Sources of entries are inside it. */
export const SHARED_FILES = '/files';

/** Returns a source in the notation of entries, relative to the shared files: `/files/maps/a` → `maps/a`. */
export function toSource(remotePath: string): string {
  return remotePath.slice(SHARED_FILES.length).replace(/^\/+/, '');
}

/**
 * Returns the path of an entry's source in the file area. An empty source stands for the root of the shared files.
 */
export function toRemotePath(source: string): string {
  const inside = source.replace(/^\/+|\/+$/g, '');
  return inside === '' ? SHARED_FILES : `${SHARED_FILES}/${inside}`;
}

/**
 * Returns an entry with the file or folder that a person chose: sets its source, and `directory` according to the
 * kind. An empty destination becomes the name of the source.
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

/** Returns a message if the source or the destination of a file entry cannot be used. Undefined if it can. */
export function partProblem(part: 'path' | 'destination', value: string): string | undefined {
  if (fileEntrySchema.shape[part].safeParse(value).success) return undefined;
  if (value === '') return 'Is missing';
  if (/(^|\/)\.\.(\/|$)/.test(value)) return 'Must not contain ".."';
  if (value.includes('\\')) return 'Write / instead of \\';
  return part === 'destination' && value.startsWith('/')
    ? 'Must be relative, without / at the beginning'
    : 'Is not allowed';
}
