import { constants } from 'node:fs';
import { lstat, mkdir, open, readdir, realpath, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join, posix } from 'node:path';
import type { FileEntry } from '#shared/config/template.ts';
import { FileTruncated, piecesOf } from '../copy-file.ts';
import { diskCode, diskProblem } from '../disk-problem.ts';
import { openWithoutLinks } from '../links.ts';
import { isUploadInProgress } from '../upload-names.ts';

/**
 * Normalized entry of `defaultServiceFiles`. Both paths are relative and joined with `/`; `''` means the folder
 * itself.
 */
export interface ResolvedEntry {
  readonly source: string;
  readonly destination: string;
  readonly directory: boolean;
}

/**
 * Reason why an entry of `defaultServiceFiles` cannot be used, as the second half of a sentence. The template's
 * owner can fix every kind of problem except `changing`.
 */
export class DefaultFileProblem extends Error {
  readonly kind: 'unusable' | 'changing';

  constructor(kind: 'unusable' | 'changing', why: string, cause?: unknown) {
    super(why, { cause });
    this.kind = kind;
  }
}

const MAX_DEPTH = 64;

/**
 * Normalizes an entry of `defaultServiceFiles` (docs/specification.md#defaultservicefiles). A leading `/` in `path`
 * means the root of the shared files. The destination of a file is its new name, or a folder if it ends in `/`. The
 * content of a directory is copied into the destination folder and overwrites existing files.
 *
 * Example: the file `plugins/a.jar` with the destination `plugins/` gets the destination `plugins/a.jar`.
 *
 * @throws DefaultFileProblem if a path points outside its folder
 */
export function resolveEntry(entry: FileEntry): ResolvedEntry {
  const directory = entry.directory ?? false;
  const source = contained(entry.path.replace(/^\/+/, ''), entry.path);
  const into = contained(entry.destination, entry.destination);
  const keepsName = !directory && (into === '' || /\/\.?$/.test(entry.destination));
  return { source, destination: keepsName ? posix.join(into, posix.basename(source)) : into, directory };
}

function contained(path: string, shown: string): string {
  const plain = posix.normalize(path).replace(/\/+$/, '');
  const out = plain === '..' || plain.startsWith('../') || plain.startsWith('/') || /[\\\0]/.test(plain);
  if (out)
    throw new DefaultFileProblem('unusable', `default service file "${shown}" points outside its folder`);
  return plain === '.' ? '' : plain;
}

/**
 * A file or folder that a service gets from the shared files. The path of a folder ends in `/`; empty folders are
 * included.
 */
export interface DefaultFile {
  /** Path relative to the service's folder. */
  readonly path: string;
  /** Path on the master. */
  readonly source: string;
}

/**
 * Lists all files that the default service files of a template include, in the sequence of the entries: later entries
 * overwrite earlier entries and the template's own files. Links are not followed; a link in the shared files is an
 * error.
 *
 * @param shared the master's shared files, `<data>/files`. Its path must contain no links, because {@link openPlain}
 *   refuses them
 * @throws DefaultFileProblem that names the entry
 */
export async function listDefaultFiles(
  entries: readonly FileEntry[],
  shared: string,
): Promise<readonly DefaultFile[]> {
  if (entries.length === 0) return [];
  await lstat(shared).catch((error: unknown) => {
    throw new DefaultFileProblem('unusable', `the shared files cannot be read: ${diskProblem(error)}`, error);
  });
  const found: DefaultFile[] = [];
  for (const entry of entries) {
    const { source, destination, directory } = resolveEntry(entry);
    const stats = await lookAt(join(shared, source), entry.path);
    if (directory !== stats.isDirectory()) {
      const advice = directory
        ? 'is a file, but marked as a directory; switch "directory" off'
        : 'is a directory; switch "directory" on';
      throw new DefaultFileProblem('unusable', `default service file "${entry.path}" ${advice}`);
    }
    if (directory) found.push(...(await listFolder(join(shared, source), destination, 0)));
    else found.push({ path: destination, source: join(shared, source) });
  }
  return found;
}

async function listFolder(source: string, destination: string, depth: number): Promise<DefaultFile[]> {
  if (depth > MAX_DEPTH)
    throw new DefaultFileProblem('unusable', `${source} is nested deeper than ${MAX_DEPTH} folders`);
  const found: DefaultFile[] = destination === '' ? [] : [{ path: `${destination}/`, source }];
  const names = await readdir(source).catch((error: unknown) => {
    throw new DefaultFileProblem('unusable', `${source} cannot be read: ${diskProblem(error)}`, error);
  });
  for (const name of names) {
    if (isUploadInProgress(name)) continue;
    const path = join(source, name);
    const into = posix.join(destination, name);
    const stats = await lookAt(path, path);
    if (stats.isDirectory()) found.push(...(await listFolder(path, into, depth + 1)));
    else found.push({ path: into, source: path });
  }
  return found;
}

/**
 * Copies the default service files of a template, as listed by {@link listDefaultFiles}, into a service's folder.
 * Links in the service's folder are not followed.
 *
 * @param target the service's folder, to which no other process writes yet
 * @throws DefaultFileProblem that names the entry; errno errors of the target's disk
 */
export async function copyDefaultFiles(
  entries: readonly FileEntry[],
  shared: string,
  target: string,
): Promise<void> {
  const files = await listDefaultFiles(entries, shared);
  if (files.length === 0) return;
  const to = await realpath(target);
  for (const { path, source } of files) {
    if (path.endsWith('/')) await makeFolder(join(to, path.slice(0, -1)));
    else await copyOne(source, join(to, path));
  }
}

async function lookAt(path: string, shown: string) {
  const stats = await lstat(path).catch((error: unknown) => {
    const why = `default service file "${shown}" cannot be read from the shared files: ${diskProblem(error)}`;
    throw new DefaultFileProblem('unusable', why, error);
  });
  if (stats.isDirectory() || stats.isFile()) return stats;
  throw new DefaultFileProblem(
    'unusable',
    `default service file "${shown}" is a link or a special file, which is not followed`,
  );
}

async function copyOne(source: string, destination: string): Promise<void> {
  await makeFolder(dirname(destination));
  const input = await openPlain(source);
  try {
    const before = await input.stat({ bigint: true });
    const mode = Number(before.mode & 0o777n) | 0o600;
    const output = await openOver(destination, mode);
    try {
      for await (const piece of piecesOf(input, Number(before.size))) await output.writeFile(piece);
      await output.chmod(mode);
    } finally {
      await output.close();
    }
    const after = await input.stat({ bigint: true });
    if (after.size !== before.size || after.mtimeNs !== before.mtimeNs) throw changing(source);
  } catch (error) {
    throw error instanceof FileTruncated ? changing(source) : error;
  } finally {
    await input.close();
  }
}

/** Opens a file for writing, and empties an existing one. @throws DefaultFileProblem if there is a folder; errno errors */
async function openOver(destination: string, mode: number): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
  return open(destination, flags, mode).catch((error: unknown) => {
    if (diskCode(error) !== 'EISDIR') throw error;
    const why = `a default service file cannot replace the folder "${basename(destination)}"`;
    throw new DefaultFileProblem('unusable', why, error);
  });
}

function changing(source: string): DefaultFileProblem {
  return new DefaultFileProblem('changing', `default service file "${basename(source)}" is being written to`);
}

/**
 * Opens a regular file. A link anywhere in the path is refused, even if it is created during the call.
 *
 * @throws DefaultFileProblem if the file cannot be read, or the path has a link or names a special file
 */
export async function openPlain(path: string): Promise<FileHandle> {
  const file = await openWithoutLinks(path).catch((error: unknown) => {
    throw new DefaultFileProblem(
      'unusable',
      `default service file "${basename(path)}" cannot be read: ${diskProblem(error)}`,
      error,
    );
  });
  if (file !== null) return file;
  throw new DefaultFileProblem(
    'unusable',
    `default service file "${basename(path)}" is a link or a special file, which is not followed`,
  );
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { recursive: true, mode: 0o700 });
    if ((await realpath(path)) === path) return;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw error;
  }
  throw new DefaultFileProblem(
    'unusable',
    `a default service file cannot go into "${basename(path)}", which is not a folder`,
  );
}
