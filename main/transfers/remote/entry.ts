import type { RemoteEntry } from '#shared/ipc/contract.ts';

/** The bits of a Unix mode that say who may do what; the rest is the kind (inode(7)). */
export const PERMISSION_BITS = 0o7777;

// One collator for all: `localeCompare` with options makes a new one each time, seconds for 100,000 names.
const byName = new Intl.Collator('en', { numeric: true });

/** The order of a folder's entries: folders first, then by name, numbers as numbers. */
export function byKindAndName(
  a: Pick<RemoteEntry, 'kind' | 'name'>,
  b: Pick<RemoteEntry, 'kind' | 'name'>,
): number {
  const folders = Number(b.kind === 'folder') - Number(a.kind === 'folder');
  return folders === 0 ? byName.compare(a.name, b.name) : folders;
}
