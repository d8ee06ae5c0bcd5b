import type { RemoteEntry } from '#shared/ipc/contract.ts';

/** Permission bits of a Unix mode. The other bits are the file type (inode(7)). */
export const PERMISSION_BITS = 0o7777;

// One shared collator, because `localeCompare` with options creates one per call, which takes seconds for 100,000
// names.
const byName = new Intl.Collator('en', { numeric: true });

/** Compares two entries of a folder for sorting: folders first, then by name with numeric comparison. */
export function byKindAndName(
  a: Pick<RemoteEntry, 'kind' | 'name'>,
  b: Pick<RemoteEntry, 'kind' | 'name'>,
): number {
  const folders = Number(b.kind === 'folder') - Number(a.kind === 'folder');
  return folders === 0 ? byName.compare(a.name, b.name) : folders;
}
