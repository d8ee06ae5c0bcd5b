import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { RemoteEntry } from '#shared/ipc/contract.ts';
import { forEachLimited } from '#shared/node/for-each-limited.ts';
import { nameOf } from './file-copy.ts';
import { UNWATCHED, type Steps } from './file-tasks.ts';
import { requirePlainName } from '../remote/names.ts';
import type { RemoteFiles } from '../remote/remote-files.ts';
import { joinRemote } from '../remote/remote-path.ts';

/** Number of parallel requests of an operation on many files, which hides network latency. */
const AT_A_TIME = 16;

/**
 * Creates one folder.
 *
 * @throws OverworldError FILE_EXISTS, FILE_NAME_INVALID
 */
export async function makeFolder(files: RemoteFiles, path: string): Promise<void> {
  requirePlainName(nameOf(path));
  await orExists(files, path, () => files.makeFolder(path));
}

/**
 * Renames or moves an entry. Never replaces an existing entry.
 *
 * @throws OverworldError FILE_EXISTS, FILE_NOT_FOUND, FILE_NAME_INVALID
 */
export async function renameEntry(files: RemoteFiles, from: string, to: string): Promise<void> {
  requirePlainName(nameOf(to));
  if ((await files.find(from)) === null) throw new OverworldError('FILE_NOT_FOUND', { path: from });
  await orExists(files, to, () => files.rename(from, to));
}

/**
 * Moves entries into a folder without renaming them. Checks all of them first, so that usually either all or none
 * are moved.
 *
 * @throws OverworldError FILE_EXISTS, FILE_NOT_FOUND, FILE_FORBIDDEN (a folder into itself)
 */
export async function moveEntries(
  files: RemoteFiles,
  paths: readonly string[],
  folder: string,
): Promise<void> {
  const taken = new Set((await files.listAll(folder)).map(({ name }) => name));
  const moves = [...new Set(paths)]
    .map((path) => ({ path, name: nameOf(path), target: joinRemote(folder, nameOf(path)) }))
    .filter(({ path, target }) => path !== target);
  for (const { path, name, target } of moves) {
    if (folder === path || folder.startsWith(`${path}/`)) {
      throw new OverworldError('FILE_FORBIDDEN', { path, why: 'a folder cannot be moved into itself' });
    }
    // Also rejects two entries of the same name from different folders, because the second would collide with the
    // first.
    if (taken.has(name)) throw new OverworldError('FILE_EXISTS', { path: target });
    taken.add(name);
  }
  await forEachLimited(moves, AT_A_TIME, async ({ path, target }) => {
    try {
      await files.rename(path, target);
    } catch (error) {
      if ((await files.find(path)) === null) throw new OverworldError('FILE_NOT_FOUND', { path }, error);
      throw error;
    }
  });
}

/**
 * Deletes files, links (not their targets) and folders with their content. Ignores entries that do not exist.
 *
 * @throws OverworldError FILE_FORBIDDEN and other errors of the master's side, or the signal's abort reason; entries
 *   that are deleted by then stay deleted
 */
export async function deleteEntries(
  files: RemoteFiles,
  paths: readonly string[],
  steps: Steps = UNWATCHED,
): Promise<void> {
  const folders: string[] = [];
  await forEachLimited(paths, AT_A_TIME, async (path) => {
    steps.signal.throwIfAborted();
    const entry = await files.find(path);
    if (entry?.kind === 'folder') folders.push(path);
    else if (entry !== null) {
      await files.deleteFile(path);
      steps.done();
    }
  });
  for (const folder of folders) await deleteFolder(files, folder, steps);
}

interface ModeChange {
  readonly mode: number;
  readonly within: boolean;
  readonly steps?: Steps;
}

/**
 * Sets the permission bits of files and folders. `within` includes the content of folders, except links. Within a
 * folder, execute bits are set as by `chmod -R` with `X`: people who may read a folder may also search it, and a file
 * gets execute bits only if it had one before.
 *
 * @throws OverworldError FILE_NOT_FOUND, FILE_FORBIDDEN (a link)
 */
export async function setModes(
  files: RemoteFiles,
  paths: readonly string[],
  { mode, within, steps = UNWATCHED }: ModeChange,
): Promise<void> {
  for (const path of paths) {
    steps.signal.throwIfAborted();
    const entry = await files.find(path);
    if (entry === null) throw new OverworldError('FILE_NOT_FOUND', { path });
    if (entry.kind === 'link') {
      const why = 'it is a link and has no permissions of its own';
      throw new OverworldError('FILE_FORBIDDEN', { path, why });
    }
    if (entry.kind === 'folder' && within) await setModesWithin(files, entry.path, { mode, steps });
    else await files.setMode(path, mode);
    steps.done();
  }
}

/**
 * Returns the permission bits that an entry gets when `mode` is applied to everything in its folder.
 *
 * Example: mode `0o644` → `0o755` for a folder, `0o644` for a file without execute bits.
 */
export function modeWithin(mode: number, entry: Pick<RemoteEntry, 'kind' | 'mode'>): number {
  const searchable = (mode & 0o444) >> 2;
  if (entry.kind === 'folder') return mode | searchable;
  const plain = mode & 0o666;
  return (entry.mode & 0o111) === 0 ? plain : plain | (mode & 0o111);
}

/**
 * Sets the permission bits of a folder and its content. Sets the folder's own bits last, because its current bits
 * may be needed to access the content.
 */
async function setModesWithin(
  files: RemoteFiles,
  folder: string,
  { mode, steps }: { readonly mode: number; readonly steps: Steps },
): Promise<void> {
  const entries = await files.listAll(folder);
  await forEachLimited(
    entries.filter(({ kind }) => kind === 'file'),
    AT_A_TIME,
    async (entry) => {
      steps.signal.throwIfAborted();
      await files.setMode(entry.path, modeWithin(mode, entry));
      steps.done();
    },
  );
  for (const { kind, path } of entries) {
    if (kind === 'folder') await setModesWithin(files, path, { mode, steps });
  }
  await files.setMode(folder, modeWithin(mode, { kind: 'folder', mode: 0 }));
}

async function deleteFolder(files: RemoteFiles, folder: string, steps: Steps): Promise<void> {
  const entries = await files.listAll(folder);
  await forEachLimited(
    entries.filter(({ kind }) => kind !== 'folder'),
    AT_A_TIME,
    async ({ path }) => {
      steps.signal.throwIfAborted();
      await files.deleteFile(path);
      steps.done();
    },
  );
  for (const { kind, path } of entries) if (kind === 'folder') await deleteFolder(files, path, steps);
  steps.signal.throwIfAborted();
  await files.deleteEmptyFolder(folder);
  steps.done();
}

/**
 * Runs an operation if no entry exists at the path. Checks that beforehand, because SFTP version 3 reports only
 * "failure" for an existing name.
 *
 * @throws OverworldError FILE_EXISTS
 */
async function orExists(files: RemoteFiles, path: string, operation: () => Promise<void>): Promise<void> {
  if ((await files.find(path)) !== null) throw new OverworldError('FILE_EXISTS', { path });
  await operation();
}
