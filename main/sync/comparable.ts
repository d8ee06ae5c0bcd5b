import type { SideFile } from './verdict.ts';

/** All entries below the compared folder on one side, this computer or the master. */
export interface WalkedSide {
  /** Files by their path, separated by `/`. */
  readonly files: Map<string, SideFile>;
  /** Paths of links and special files, and of files whose name is invalid on the other side. */
  readonly others: readonly string[];
}

/**
 * Removes the files that cannot be compared from both sides. A file cannot be compared if `others` of the other side
 * contains the file's path or the path of one of its parent folders, for example because a link is there. If the file
 * were not removed, it would count as missing on the other side. A synchronisation would then delete the file, or
 * write through the link.
 *
 * @param foldsCase whether this computer's disks treat `Foo` and `foo` as one file; then paths that differ only in
 *   case are removed, too
 */
export function keepComparable(here: WalkedSide, there: WalkedSide, foldsCase: boolean): void {
  drop(here.files, there.others, foldsCase);
  drop(there.files, here.others, foldsCase);
  if (!foldsCase) return;
  const spellings = new Map<string, Set<string>>();
  for (const path of [...here.files.keys(), ...there.files.keys()]) {
    const folded = path.toLowerCase();
    spellings.set(folded, (spellings.get(folded) ?? new Set()).add(path));
  }
  for (const paths of spellings.values()) {
    if (paths.size === 1) continue;
    for (const path of paths) {
      here.files.delete(path);
      there.files.delete(path);
    }
  }
}

/** Removes the files at or below the given paths. */
function drop(files: Map<string, SideFile>, paths: readonly string[], foldsCase: boolean): void {
  if (paths.length === 0) return;
  const fold = (path: string): string => (foldsCase ? path.toLowerCase() : path);
  const closed = new Set(paths.map(fold));
  for (const path of files.keys()) {
    const folded = fold(path);
    for (let end = folded.indexOf('/'); end >= 0; end = folded.indexOf('/', end + 1)) {
      if (closed.has(folded.slice(0, end))) files.delete(path);
    }
    if (closed.has(folded)) files.delete(path);
  }
}
