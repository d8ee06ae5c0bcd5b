import { join } from 'node:path';
import { OverworldError, toOverworldError } from '#shared/errors/overworld-error.ts';
import { hashLocalFile } from '../local/hash-file.ts';
import { isSame } from './copy-chosen.ts';
import { remoteIn, type Sent, type TreeCopy } from './copy-tree.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { existsHere } from './file-copy.ts';
import { entriesToRemove } from './entries-to-remove.ts';
import type { ChosenFile } from './chosen-file.ts';
import { walkLocal, walkRemote, type Tree, type TreeFile } from './tree.ts';

/**
 * Maximum total size of files for which the contents are also compared (bytes). Up to this size, both sides usually
 * still have the contents in memory.
 */
const HASHED_BYTES = 256 * 1_048_576;
const HASHES_AT_A_TIME = 4;

/** Number of parallel delete requests. */
const DELETES_AT_A_TIME = 16;

/** Functions that a move needs besides the connection for files. */
export interface Sources {
  /** Moves an entry of this computer to the system's trash. */
  readonly trash: (path: string) => Promise<void>;
  /**
   * Returns the SHA-256 of each file below a folder of the master, by relative path. Returns null if the master
   * cannot supply the list. The hash of a single file is null if the list contains no hash for it.
   */
  readonly hashesOf: (folder: string) => Promise<ReadonlyMap<string, string | null> | null>;
}

type Ends = Pick<TreeCopy, 'direction' | 'files' | 'localPath' | 'remotePath' | 'signal'>;

/**
 * Compares the current state of the moved files with the current state of their source. Always compares the sizes.
 * Also compares the contents if all of this is true: this move created a whole folder, the files have at most 256 MiB
 * in all, and the master can supply hashes. Fails if a file of the source has changed since it was copied.
 *
 * @returns the files that may be removed from the source
 * @throws OverworldError TRANSFER_FAILED if a file differs, is missing, or has changed
 */
export async function compareMoved(
  ends: Ends,
  { tree, files }: Sent,
  {
    hashesOf,
    made,
  }: Pick<Sources, 'hashesOf'> & { /** Whether this move created the folder. */ readonly made: boolean },
): Promise<ChosenFile[]> {
  const [source, target] = await Promise.all([walkSource(ends), walkTarget(ends)]);
  const [now, there] = [byPath(source), byPath(target)];
  const compared = files.map((file): ChosenFile => {
    const path = file.path.join('/');
    const [here, arrived] = [now.get(path), there.get(path)];
    if (here === undefined || !isSame(here, file))
      throw differs(ends, path, 'was changed while it was moved');
    if (arrived?.bytes !== file.bytes) throw differs(ends, path, 'was not copied completely');
    return { path, source: measuresOf(here), target: measuresOf(arrived) };
  });
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  if (tree.root === 'folder' && made && bytes <= HASHED_BYTES)
    await compareContents(ends, compared, hashesOf);
  return compared;
}

/**
 * Removes moved files from their source. On this computer, moves them to the trash, as whole folders where all
 * content was moved. On the master, deletes them. Files that have changed since the comparison stay. A later call
 * continues after an interruption.
 *
 * @param compared result of {@link compareMoved}
 * @param onRemoved receives the number of removed files
 * @throws OverworldError SOURCE_REMAINS: all files have arrived, but not all could be removed; or the signal's
 *   abort reason
 */
export async function removeSource(
  ends: Ends,
  compared: readonly ChosenFile[],
  { trash, onRemoved }: Pick<Sources, 'trash'> & { readonly onRemoved: (files: number) => void },
): Promise<void> {
  const root = ends.direction === 'upload' ? ends.localPath : ends.remotePath;
  if (!(await sourceExists(ends))) return;
  const source = await walkSource(ends);
  const [now, there] = [byPath(source), byPath(await walkTarget(ends))];
  const isStill = ({ path, source: seen, target }: ChosenFile) =>
    isSame(now.get(path) ?? null, seen) && isSame(there.get(path) ?? null, target);
  // A file that is already missing was removed before an interruption.
  const left = compared.filter(({ path }) => now.has(path));
  const goes = left.filter(isStill);
  onRemoved(compared.length - left.length);
  const leaving = entriesToRemove(source, new Set(goes.map(({ path }) => path)));
  try {
    if (ends.direction === 'upload') await trashTops(ends, leaving.tops, { trash, leaving, onRemoved });
    else await deleteThere(ends, leaving, onRemoved);
  } catch (error) {
    ends.signal.throwIfAborted();
    throw new OverworldError('SOURCE_REMAINS', { path: root, why: toOverworldError(error).message }, error);
  }
  const changed = left.find((file) => !goes.includes(file));
  if (changed !== undefined) {
    const why = `${changed.path || 'it'} changed after the comparison and stays on both sides`;
    throw new OverworldError('SOURCE_REMAINS', { path: root, why });
  }
}

type Leaving = ReturnType<typeof entriesToRemove>;

async function trashTops(
  { localPath, signal }: Ends,
  tops: Leaving['tops'],
  {
    trash,
    leaving,
    onRemoved,
  }: Pick<Sources, 'trash'> & { leaving: Leaving; onRemoved: (n: number) => void },
): Promise<void> {
  for (const top of tops) {
    signal.throwIfAborted();
    await trash(join(localPath, ...top));
    onRemoved(leaving.files.filter((path) => top.every((name, depth) => path[depth] === name)).length);
  }
}

async function deleteThere(
  { files, remotePath, signal }: Ends,
  leaving: Leaving,
  onRemoved: (n: number) => void,
): Promise<void> {
  await forEachLimited(leaving.files, DELETES_AT_A_TIME, async (path) => {
    signal.throwIfAborted();
    await files.deleteFile(remoteIn(remotePath, path));
    onRemoved(1);
  });
  for (const path of leaving.folders) {
    signal.throwIfAborted();
    const folder = remoteIn(remotePath, path);
    await files.deleteEmptyFolder(folder).catch(async (error: unknown) => {
      // The folder is no longer empty, perhaps because of another upload, so it stays.
      if (files.closed || (await files.listAll(folder)).length === 0) throw error;
    });
  }
}

/** Compares the contents of a folder that this move created. Without hashes of the master it compares only sizes. */
async function compareContents(
  ends: Ends,
  compared: readonly ChosenFile[],
  hashesOf: Sources['hashesOf'],
): Promise<void> {
  const hashes = await hashesOf(ends.remotePath);
  if (hashes === null) return;
  await forEachLimited(compared, HASHES_AT_A_TIME, async ({ path }) => {
    ends.signal.throwIfAborted();
    const there = hashes.get(path) ?? null;
    const here = await hashLocalFile(join(ends.localPath, ...path.split('/')));
    if (there !== null && there !== here) throw differs(ends, path, 'has different content there');
  });
}

function differs({ remotePath }: Ends, path: string, why: string): OverworldError {
  const what = path === '' ? 'it' : path;
  const kept = 'so nothing was removed from the source';
  return new OverworldError('TRANSFER_FAILED', { path: remotePath, why: `${what} ${why}, ${kept}` });
}

async function sourceExists({ direction, files, localPath, remotePath }: Ends): Promise<boolean> {
  return direction === 'upload' ? existsHere(localPath) : (await files.find(remotePath)) !== null;
}

function walkSource({ direction, files, localPath, remotePath, signal }: Ends): Promise<Tree> {
  return direction === 'upload' ? walkLocal(localPath, signal) : walkRemote(files, remotePath, signal);
}

function walkTarget({ direction, files, localPath, remotePath, signal }: Ends): Promise<Tree> {
  return direction === 'upload' ? walkRemote(files, remotePath, signal) : walkLocal(localPath, signal);
}

function byPath({ files }: Tree): Map<string, TreeFile> {
  return new Map(files.map((file) => [file.path.join('/'), file]));
}

function measuresOf({ bytes, modifiedAt }: TreeFile): { bytes: number; modifiedAt: number } {
  return { bytes, modifiedAt };
}
