import { mustRun } from './run-program.ts';

/**
 * Deletes a file, or a folder with its content, if it exists. Safe for folders in which another user may write while
 * root deletes: GNU `rm` opens each folder before it enters the folder, so a link that replaces a folder cannot lead
 * it elsewhere. Node's `rm` deletes by path, and would follow such a link.
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function removeTree(path: string): Promise<void> {
  await mustRun('rm', ['-rf', '--', path]);
}
