import { mkdir, readdir } from 'node:fs/promises';
import { basename, join, relative, sep } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { toLocalError } from '../transfers/remote/file-errors.ts';
import { UNWATCHED, type Steps } from '../transfers/operations/file-tasks.ts';
import { freeName } from '../transfers/remote/names.ts';
import { walkLocal, type Tree } from '../transfers/operations/tree.ts';
import { copyFileHere, copyLinkHere, keepAttributes } from './copy-one-here.ts';

/** Number of files copied in parallel. Node.js copies in four threads. */
const AT_A_TIME = 4;

/** Permission bits of a new folder until its content is copied. The app must be able to write to it. */
const FOLDER_BITS = 0o700;

/** One entry to copy, with its new path. */
interface Copy {
  readonly from: string;
  readonly to: string;
  readonly tree: Tree;
}

/**
 * Copies entries of this computer into a folder, with their content, times and permissions. Links are copied as
 * links. Nothing is replaced: if a name is taken, the copy gets a free name (`server (2).jar`).
 *
 * @param sources real paths
 * @param folder real path
 * @param steps receives first the total, then the progress; can cancel the copy
 * @throws OverworldError FILE_FORBIDDEN if a folder would be copied into itself, or an entry is neither file, folder
 *   nor link; LOCAL_FILE_UNREADABLE; DISK_FULL. Entries that are already complete stay, also after a cancellation.
 */
export async function copyHere(
  sources: readonly string[],
  folder: string,
  steps: Steps = UNWATCHED,
): Promise<void> {
  for (const path of sources) {
    const way = relative(path, folder);
    if (way === '' || (way !== '..' && !way.startsWith(`..${sep}`))) {
      throw new OverworldError('FILE_FORBIDDEN', { path, why: 'a folder cannot be copied into itself' });
    }
  }
  const taken = new Set(
    await readdir(folder).catch((error: unknown) => {
      throw toLocalError(error, folder);
    }),
  );
  const copies: Copy[] = [];
  for (const from of sources) {
    const name = freeName(basename(from), taken);
    taken.add(name);
    copies.push({ from, to: join(folder, name), tree: await walkLocal(from, steps.signal, () => true) });
  }
  const files = copies.flatMap(({ tree }) => tree.files);
  steps.expect({ files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) });
  for (const copy of copies) await copyOne(copy, steps);
}

async function copyOne({ from, to, tree }: Copy, steps: Steps): Promise<void> {
  const folders = tree.root === 'file' ? [] : [{ path: [] as readonly string[] }, ...tree.folders];
  for (const { path } of folders) {
    steps.signal.throwIfAborted();
    const made = join(to, ...path);
    await mkdir(made, FOLDER_BITS).catch((error: unknown) => {
      throw toLocalError(error, made);
    });
  }
  for (const path of tree.skipped) {
    const names = path.split('/');
    await copyLinkHere(join(from, ...names), join(to, ...names));
  }
  await forEachLimited(tree.files, AT_A_TIME, async ({ path, bytes }) => {
    steps.signal.throwIfAborted();
    await copyFileHere({ from: join(from, ...path), to: join(to, ...path), bytes }, steps);
    steps.done();
  });
  // A folder's time changes when entries are created in it. So attributes are set last, deepest folders first.
  for (const { path } of folders.toReversed()) await keepAttributes(join(from, ...path), join(to, ...path));
}
