import type { MasterConfig } from '#shared/config/master.ts';
import type { OverworldError } from '#shared/errors/overworld-error.ts';
import { savesToRemove } from '#master/core/volumes/retention.ts';
import type { PersistentFile } from '#master/templates/revisions/manifest.ts';
import type { RevisionRecord, RevisionSummary } from '#master/templates/revisions/revision-record.ts';

type Settings = MasterConfig['volumes'];

/**
 * Returns the saves to remove: those that the retention does not keep, except saves in use. Saves that were stored
 * aside (see `placeOfSave` in master/core/volumes) are not counted by the retention. Otherwise, a node could send so
 * many of them that the retention keeps no other saves. A save that was stored aside is kept while it is in use, or
 * while there are no other saves.
 *
 * @param known.isAside reports whether a save was stored aside
 * @param known.atOf returns the moment of a save's content (ms since epoch); undefined if it is not known
 */
export function expired(
  saves: readonly RevisionSummary[],
  retention: Settings['retention'],
  {
    isUsed,
    isAside,
    atOf,
  }: {
    readonly isUsed: (save: string) => boolean;
    readonly isAside: (save: string) => boolean;
    readonly atOf: (save: string) => number | undefined;
  },
): string[] {
  const others = saves.filter(({ revision }) => !isAside(revision));
  const aside = saves.flatMap(({ revision }) => (others.length > 0 && isAside(revision) ? [revision] : []));
  const candidates = others.map(({ revision, storedAt }) => {
    return { id: revision, at: atOf(revision) ?? storedAt, storedAt };
  });
  return [...savesToRemove(candidates, retention), ...aside].filter((save) => !isUsed(save));
}

/**
 * Maximum length of a path in a save (bytes). Linux has a limit of 4,096 bytes for the whole path of a file. The rest
 * is for the folders around it: the folders of the save, of a working copy, and of a service on any node.
 */
export const MAX_PATH_BYTES = 3_072;

/** Number of characters that an error message shows of a path that is too long. */
const SHOWN_CHARACTERS = 100;

/**
 * Checks that no path of a file is too long, so that the files can be stored, and can be read wherever they are
 * needed.
 *
 * @param toError returns the error for a problem, which is the second half of a sentence
 * @throws what `toError` returns
 */
export function requireShortPaths(
  files: readonly { readonly path: string }[],
  toError: (why: string) => OverworldError,
): void {
  const long = files.find(({ path }) => Buffer.byteLength(path) > MAX_PATH_BYTES);
  if (long === undefined) return;
  const shown = long.path.slice(0, SHOWN_CHARACTERS);
  throw toError(`the path that begins with ${shown} has more than ${MAX_PATH_BYTES} bytes; shorten it`);
}

/**
 * Returns the entries of a manifest, sorted by path. In their stamps, only size and modification time are set. The
 * other fields have no meaning outside the node, and are 0.
 */
export function toEntries(files: readonly PersistentFile[]): RevisionRecord['entries'] {
  return files.map(toEntry).sort((a, b) => (a.path < b.path ? -1 : 1));
}

function toEntry({
  path,
  size,
  mode,
  hash,
  modifiedAtMs,
}: PersistentFile): RevisionRecord['entries'][number] {
  return { path, size, mode, hash, stamp: `${size}:${Math.round(modifiedAtMs * 1e6)}:0:0` };
}

/**
 * Space that the entry of one file takes in a record and in its folder (bytes, rounded up). The length of the file's
 * path is not included; it is added twice.
 */
const ENTRY_BYTES = 200;
/** Minimum space that a folder takes (bytes): one block of the usual size. */
const FOLDER_BYTES = 4_096;

/**
 * Returns the space that a copy of a save takes if its files are hard links (bytes). This is the space for its record
 * and its folders.
 *
 * Example: one file `world/level.dat` → 2 × 15 + 200 for the file, and 4,096 each for `world` and the save's own
 * folder.
 */
export function linkedCopyBytes(entries: RevisionRecord['entries']): number {
  const folders = new Set(['']);
  let bytes = 0;
  for (const { path } of entries) {
    bytes += ENTRY_BYTES + 2 * Buffer.byteLength(path);
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const folder = path.slice(0, at);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return bytes + folders.size * FOLDER_BYTES;
}
