import { OBSERVED_ANEW } from '#master/store/observed-anew.ts';

/** A file of the data folder that a newer version has changed, added or removed. */
export interface ChangedFile {
  /** Path below the data folder, such as `state/services.json`. */
  readonly path: string;
  /** Whether the older version can read the file. */
  readonly isReadable: boolean;
}

/** Action for a changed file. `restore` restores the old copy, or removes the file if it did not exist before. */
export type Restoration = 'leave' | 'restore' | 'remove';

const observedAnew = new Set(OBSERVED_ANEW.map((name) => `state/${name}`));

/**
 * Decides what happens to changed files when the master returns to the previous version. Most files stay if the older
 * version can read them, because they record what has really happened, such as the order of a node. Files that only
 * people change are an exception: they are restored if the newer version never served, because then no person can
 * have changed them. Documents of volumes stay, too, even if the older version cannot read them: it then does not use
 * these volumes, while an older document could name the wrong node for the newest data.
 *
 * @param hasServed whether the newer version has answered on its local socket, or may have answered
 */
export function planRestore(
  files: readonly ChangedFile[],
  { hasServed }: { readonly hasServed: boolean },
): { readonly path: string; readonly action: Restoration }[] {
  return files.map(({ path, isReadable }) => {
    const isOfVolume = path.startsWith('volumes/');
    if (isOfVolume || (isReadable && (hasServed || !isOfPeople(path)))) return { path, action: 'leave' };
    return { path, action: observedAnew.has(path) ? 'remove' : 'restore' };
  });
}

function isOfPeople(path: string): boolean {
  return path.startsWith('config/') || path === 'state/holds.json';
}
