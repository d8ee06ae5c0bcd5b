import { lstat, readdir, readFile, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';

/** Folders of a data folder that a restore does not move. It does not move hidden entries either. */
const NOT_MOVED = new Set(['run']);

const ADVICE =
  'Remove the link, or unmount the folder; its files stay where they are. Restore again, then move the restored folder to the other disk, and set up the link or the mount again.';

/**
 * Checks that a restore can move all folders of a data folder. If a folder is a symbolic link, a restore would move
 * the link instead of the folder to which the link points. The restored folder would then be on the disk of the data
 * folder. A mount point cannot be moved at all.
 *
 * @throws OverworldError RESTORE_REFUSED if there is a link or a mount point; errno errors
 */
export async function requireOneDisk(dataFolder: string): Promise<void> {
  const root = await realpath(dataFolder);
  const { dev } = await lstat(root);
  const mounted = await mountPoints();
  for (const name of (await readdir(root)).sort()) {
    if (NOT_MOVED.has(name) || name.startsWith('.')) continue;
    const found = await lstat(join(root, name));
    const isMounted = found.dev !== dev || mounted.has(join(root, name));
    if (!found.isSymbolicLink() && !isMounted) continue;
    const why = `${join(dataFolder, name)} is a ${isMounted ? 'mount point' : 'link'}, and a restore replaces whole folders`;
    throw new OverworldError('RESTORE_REFUSED', { folder: dataFolder, why, advice: ADVICE });
  }
}

/**
 * Parses a text of `/proc/self/mountinfo` (proc(5)). Returns the mount points, which are in the fifth field of each
 * line. In this field, a space, tab, line feed and backslash are written as octal numbers.
 *
 * Example: `28 1 8:1 / /mnt/my\040disk rw - ext4 /dev/sda1 rw` → `/mnt/my disk`.
 */
export function parseMountPoints(text: string): Set<string> {
  const paths = text.split('\n').flatMap((line) => line.split(' ')[4] ?? []);
  return new Set(
    paths.map((path) =>
      path.replace(/\\([0-7]{3})/g, (_all, octal: string) => String.fromCharCode(Number.parseInt(octal, 8))),
    ),
  );
}

/**
 * Returns the mount points of this machine. They include bind mounts of the same disk, which cannot be found in
 * another way. Empty on a system without /proc.
 */
async function mountPoints(): Promise<Set<string>> {
  try {
    return parseMountPoints(await readFile('/proc/self/mountinfo', 'utf8'));
  } catch {
    return new Set();
  }
}
