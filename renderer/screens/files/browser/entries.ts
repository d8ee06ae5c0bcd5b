import type { RemoteEntry } from '#shared/ipc/contract.ts';
import { matcherOf } from '../masks.ts';
import type { Sort } from '../../../ui/table/table.ts';
import { toBytes, toCountOf } from '../../../view/format/numbers.ts';

/** The empty selection. */
export const NONE: ReadonlySet<string> = new Set();

export const sortColumns = ['name', 'bytes', 'modifiedAt', 'mode'] as const;
export type SortColumn = (typeof sortColumns)[number];

const byName = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

/** Which entries of a folder are shown. */
interface EntryFilter {
  /** Whether entries with a leading dot are shown. */
  readonly hidden: boolean;
  /** A part of the name in any case, or a mask (`*.yml`). */
  readonly filter: string;
}

/** Returns the entries that are shown, in the order in which they were given. */
export function filterEntries(
  entries: readonly RemoteEntry[],
  { hidden, filter }: EntryFilter,
): RemoteEntry[] {
  const matches = matcherOf(filter);
  return entries.filter((entry) => (hidden || !isHidden(entry)) && matches(entry.name));
}

/** Returns the entries to show: folders first, then by the sorted column, then by name ("file2" before "file10"). */
export function shownEntries(
  entries: readonly RemoteEntry[],
  { sort, ...which }: EntryFilter & { readonly sort: Sort | null },
): readonly RemoteEntry[] {
  const turn = sort?.descending === true ? -1 : 1;
  const column = sortColumns.find((id) => id === sort?.column) ?? 'name';
  return filterEntries(entries, which).sort(
    (a, b) => folderFirst(a, b) || turn * compare(a, b, column) || byName.compare(a.name, b.name),
  );
}

/** Returns whether an entry is hidden: its name begins with a dot. */
export function isHidden(entry: Pick<RemoteEntry, 'name'>): boolean {
  return entry.name.startsWith('.');
}

/**
 * Returns whether a name is not valid UTF-8. The displayed name then differs from the real one, so the entry cannot
 * be requested by its name.
 */
export function hasBrokenName({ path }: Pick<RemoteEntry, 'path'>): boolean {
  return path.includes('\uFFFD');
}

function folderFirst(a: RemoteEntry, b: RemoteEntry): number {
  return Number(b.kind === 'folder') - Number(a.kind === 'folder');
}

function compare(a: RemoteEntry, b: RemoteEntry, column: SortColumn): number {
  if (column === 'name') return byName.compare(a.name, b.name);
  // The size of the folder entry itself does not include its content.
  if (column === 'bytes' && a.kind === 'folder') return 0;
  return a[column] - b[column];
}

/**
 * Returns the index of the next entry that starts with the typed letters. The search begins at `after` and wraps
 * around.
 *
 * @returns -1 if no entry matches
 */
export function typeAhead(entries: readonly RemoteEntry[], letters: string, after: number): number {
  const wanted = letters.toLowerCase();
  for (let step = 0; step < entries.length; step += 1) {
    const index = (after + step + entries.length) % entries.length;
    if (entries[index]?.name.toLowerCase().startsWith(wanted) === true) return index;
  }
  return -1;
}

const TYPES = ['x', 'w', 'r'] as const;

/** Formats Unix permission bits as `rwxr-xr-x`. */
export function permissionsText(mode: number): string {
  let text = '';
  for (let bit = 8; bit >= 0; bit -= 1) text += (mode >> bit) & 1 ? (TYPES[bit % 3] ?? '') : '-';
  return text;
}

/** Describes permission bits for screen readers and tooltips: "0755: owner reads, writes, executes; …". */
export function permissionsWords(mode: number): string {
  const who = ['owner', 'group', 'others'].map((name, i) => {
    const bits = (mode >> (6 - 3 * i)) & 7;
    const s = name === 'others' ? '' : 's';
    const may = [
      bits & 4 ? `read${s}` : '',
      bits & 2 ? `write${s}` : '',
      bits & 1 ? `execute${s}` : '',
    ].filter(Boolean);
    return `${name} ${may.length === 0 ? 'nothing' : may.join(', ')}`;
  });
  return `${(mode & 0o7777).toString(8).padStart(4, '0')}: ${who.join('; ')}`;
}

/** Returns the numbers of files and folders in words, for dialogs and the status line: "3 files and 1 folder". */
export function countWords(entries: readonly Pick<RemoteEntry, 'kind'>[]): string {
  const folders = entries.filter((entry) => entry.kind === 'folder').length;
  const files = entries.length - folders;
  const parts = [
    files > 0 || folders === 0 ? toCountOf(files, 'file') : '',
    folders > 0 ? toCountOf(folders, 'folder') : '',
  ];
  return parts.filter((part) => part !== '').join(' and ');
}

/**
 * Like {@link countWords}, with the total size of the files. The size excludes the content of folders, which is
 * unknown.
 */
export function sizeWords(entries: readonly Pick<RemoteEntry, 'kind' | 'bytes'>[]): string {
  const files = entries.filter(({ kind }) => kind === 'file');
  if (files.length === 0) return countWords(entries);
  return `${countWords(entries)}, ${toBytes(files.reduce((sum, { bytes }) => sum + bytes, 0))}`;
}
