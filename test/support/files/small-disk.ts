import { execFileSync } from 'node:child_process';
import { rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

/** Whether this process may mount a file system: on Linux, as root. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0;

/**
 * Mounts a small file system in memory on a folder, so that a test can fill the file system. Unmounts it when the
 * test ends.
 */
export function smallDisk(megabytes: number, folder = temporaryFolder()): string {
  const unmount = mountSmallDisk(megabytes, folder);
  // Register this callback after the callback that removes the folder, because the callback that was registered last
  // runs first.
  onTestFinished(unmount);
  return folder;
}

/**
 * Mounts a small file system in memory on a folder.
 *
 * @returns a function that unmounts it
 */
export function mountSmallDisk(megabytes: number, folder: string): () => void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder]);
  return () => {
    execFileSync('umount', ['--lazy', folder]);
  };
}

/**
 * Fills the remaining space of the file system.
 *
 * @returns a function that frees the space again, or only the given number of bytes
 */
export async function fillDisk(folder: string): Promise<(bytes?: number) => Promise<void>> {
  const path = join(folder, 'ballast');
  for (let bytes = 16 * 1_048_576; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    await writeFile(path, Buffer.alloc(bytes), { flag: 'a' }).catch(() => undefined);
  }
  return async (bytes) => {
    if (bytes === undefined) await rm(path);
    else await truncate(path, (await stat(path)).size - bytes);
  };
}
