import { mustRun } from './run-program.ts';

/**
 * Deletes a folder with its content, or a file, if it exists. For folders in which another user may write while root
 * deletes: GNU `rm` opens each folder before it enters it, so a folder that is replaced by a link leads it nowhere else.
 * Node's `rm` deletes by path, and would follow such a link.
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function removeTree(path: string): Promise<void> {
  await mustRun('rm', ['-rf', '--', path]);
}
