import { lstat, mkdir, open, rm } from 'node:fs/promises';
import { join, posix } from 'node:path';
import { DefaultFileProblem } from './default-files.ts';
import { diskCode } from '../disk-problem.ts';
import type { ProvidedFile } from '../provision.ts';

/**
 * Writes a file into a service's folder. An existing file, link or folder at the path is removed first: a link is
 * never followed, and a folder is removed with everything in it. Creates missing parent folders.
 *
 * @param folder the service's folder, to which no other process writes yet
 * @throws DefaultFileProblem if a parent is not a folder; errno errors
 */
export async function writeOver(folder: string, { path, content, mode }: ProvidedFile): Promise<void> {
  requirePlain(path);
  const parts = path.split('/').slice(0, -1);
  for (const index of parts.keys()) await makeFolder(folder, parts.slice(0, index + 1).join('/'), path);
  const target = join(folder, path);
  await rm(target, { recursive: true, force: true });
  const file = await open(target, 'wx', mode);
  try {
    await file.writeFile(content);
    // The umask may have cleared bits of the mode.
    await file.chmod(mode);
  } finally {
    await file.close();
  }
}

/** Checks that a path names a file inside a folder. Throws if not, because that would be a programming error. */
export function requirePlain(path: string): void {
  const plain = path !== '' && !path.endsWith('/') && !/[\\\0]/.test(path) && posix.normalize(path) === path;
  if (!plain || path.startsWith('/') || path.split('/').includes('..')) {
    throw new Error(`"${path}" is not a path inside a service's folder`);
  }
}

/** Builds the error for a path that cannot be written, because one of its parents (`blocked`) is not a folder. */
export function noFolder(blocked: string, path: string): DefaultFileProblem {
  return new DefaultFileProblem('unusable', `"${blocked}" is not a folder, so ${path} cannot be written`);
}

async function makeFolder(root: string, path: string, wanted: string): Promise<void> {
  const stats = await lstat(join(root, path)).catch((error: unknown) => {
    if (diskCode(error) === 'ENOENT') return null;
    throw error;
  });
  if (stats === null) await mkdir(join(root, path), { mode: 0o700 });
  else if (!stats.isDirectory()) throw noFolder(path, wanted);
}
