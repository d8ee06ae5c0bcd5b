/** A file of the data folder that a newer version has changed, added or removed. */
export interface ChangedFile {
  /** Path below the data folder, such as `state/services.json`. */
  readonly path: string;
  /** Whether the older version can read it. */
  readonly isReadable: boolean;
}

/** What to do with a changed file. `restore` removes a file that did not exist before. */
export type Restoration = 'leave' | 'restore' | 'remove';

/**
 * Files that record decisions. Restoring an older copy of them is dangerous: a master stops services that it does not
 * know, and could grant slots twice. Without these files, it observes services and slots again.
 */
const OBSERVED_ANEW = new Set(['state/services.json', 'state/allowances.json']);

/**
 * Decides about the changed files when the master returns to the previous version. Files that only people change are
 * restored if the newer version never served, because then no person can have changed them. All other files stay if the
 * older version can read them: they record what has really happened, such as the order of a node.
 *
 * @param hasServed whether the newer version has answered on its local socket
 */
export function planRestore(
  files: readonly ChangedFile[],
  { hasServed }: { readonly hasServed: boolean },
): { readonly path: string; readonly action: Restoration }[] {
  return files.map(({ path, isReadable }) => {
    if (isReadable && (hasServed || !isOfPeople(path))) return { path, action: 'leave' };
    return { path, action: OBSERVED_ANEW.has(path) ? 'remove' : 'restore' };
  });
}

function isOfPeople(path: string): boolean {
  return path.startsWith('config/') || path === 'state/holds.json';
}
