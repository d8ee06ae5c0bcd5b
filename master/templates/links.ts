import { open, readlink, realpath, type FileHandle } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { READ_ONLY_FILE } from '#shared/node/small-file.ts';
import { diskCode } from './disk-problem.ts';

/**
 * Target of a symbolic link, or the reason why the link is not followed. The reason is the second half of a sentence.
 */
export type LinkTarget =
  { readonly kind: 'inside'; readonly path: string } | { readonly kind: 'refused'; readonly why: string };

/**
 * Resolves a symbolic link in a template's folder. Only links that stay inside the folder are followed. Java
 * runtimes contain many such links; a link that leads out of the folder would expose other files to services.
 *
 * @param root real path of the folder
 * @param path path of the link relative to the folder
 * @returns the target relative to the folder, without links in it
 */
export async function resolveLink(root: string, path: string): Promise<LinkTarget> {
  const target = await readlink(join(root, path)).catch(() => '?');
  const refused = (why: string): LinkTarget => ({
    kind: 'refused',
    why: `is a symbolic link to ${target}, ${why}`,
  });
  let real: string;
  try {
    real = await realpath(join(root, path));
  } catch (error) {
    return diskCode(error) === 'ELOOP'
      ? refused('which forms a loop; remove it')
      : refused('which does not exist; remove it or replace it with the file itself');
  }
  if (real === root || root.startsWith(real + sep)) return refused('a folder that contains it; remove it');
  if (!real.startsWith(root + sep))
    return refused('outside of the folder; replace it with a copy of the file (cp -L)');
  return { kind: 'inside', path: relative(root, real).split(sep).join('/') };
}

/**
 * Opens a regular file if no part of its path is a link. On Linux, this also holds for links that are created during
 * the call.
 *
 * @param path the file's real path, which contains no links
 * @returns null if a folder in the path is a link, or if the path leads to something else than a regular file
 * @throws errno errors, such as ELOOP if the file itself is a link, and ENXIO for a socket
 */
export async function openWithoutLinks(path: string): Promise<FileHandle | null> {
  const file = await open(path, READ_ONLY_FILE);
  if ((await file.stat()).isFile() && (await realPathOf(file, path)) === path) return file;
  await file.close();
  return null;
}

/**
 * Returns a path for system calls on an opened file. On Linux, this path leads to the opened file even if another
 * file has taken its name in the meantime. On other systems, it is the given path.
 *
 * @param path the path with which the file was opened
 */
export function pathOfOpened(file: FileHandle, path: string): string {
  return process.platform === 'linux' ? `/proc/self/fd/${file.fd}` : path;
}

/**
 * Returns the path of an opened file, without links; null if the file was deleted. Linux reports the path of the
 * opened file itself. On other systems the path is resolved again, so a link that replaces a folder only for a moment
 * is not noticed.
 */
async function realPathOf(file: FileHandle, path: string): Promise<string | null> {
  return (process.platform === 'linux' ? readlink(`/proc/self/fd/${file.fd}`) : realpath(path)).catch(
    () => null,
  );
}
