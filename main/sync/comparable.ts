import type { SideFile } from './verdict.ts';

/** One side, as it was walked. */
export interface WalkedSide {
  /** Files by their path, with `/`. */
  readonly files: Map<string, SideFile>;
  /** Paths of what is neither file nor folder (links), or has a name that the other side cannot have. */
  readonly others: readonly string[];
}

/**
 * Takes out of both sides what cannot be told: a file where the other side has a link is not missing there, nor is one
 * below a folder that is a link there. Taken for missing, it would be deleted, or written through the link.
 *
 * @param foldsCase true where `Foo` and `foo` are one file here: paths that differ in nothing else are taken out too
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

/** Deletes files at or below some paths. */
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
