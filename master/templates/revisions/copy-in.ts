import { join } from 'node:path';
import { copyOpenFile, flushFile } from '../copy-file.ts';
import { diskProblem } from '../disk-problem.ts';
import { openWithoutLinks } from '../links.ts';
import type { SeenFile } from './scan-folder.ts';

/**
 * Copies one scanned file and flushes the copy to the disk. The destination must not exist. Links are not followed
 * again: a file that has been replaced by a link since the scan is refused. So is a file of another size, because the
 * copy would be only a part of its content.
 *
 * @param root real path of the template's folder
 * @returns the sha256 of the copy in hex
 * @throws errno errors of the copy; FileTruncated; Error that names the file, if it cannot be opened or is no longer a
 *   regular file of the scanned size
 */
export async function copyIn(
  root: string,
  { path, source, size, mode }: Pick<SeenFile, 'path' | 'source' | 'size' | 'mode'>,
  to: string,
): Promise<string> {
  const from = join(root, source);
  const file = await openWithoutLinks(from).catch((error: unknown) => {
    throw new Error(`${path} cannot be read: ${diskProblem(error)}`, { cause: error });
  });
  if (file === null) throw new Error(`${path} is no longer a file`);
  try {
    if ((await file.stat()).size !== size) throw new Error(`${path} has another size than in the scan`);
    // A later scan detects a file that grows during the copy or, on systems other than Linux, was exchanged.
    const hash = await copyOpenFile({ file, path: from }, to, { size, mode });
    await flushFile(to);
    return hash;
  } finally {
    await file.close();
  }
}
