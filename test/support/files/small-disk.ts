import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

/** True where a test may mount a disk of its own. */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0;

/** Makes a folder a disk of its own, in memory, so that it can be filled. Gone with the test. */
export function smallDisk(megabytes: number, folder = temporaryFolder()): string {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs', folder]);
  // Before the folder itself is removed: what is registered last runs first.
  onTestFinished(() => {
    execFileSync('umount', ['--lazy', folder]);
  });
  return folder;
}

/** Takes every byte that is left. @returns a function that frees them */
export async function fillDisk(folder: string): Promise<() => Promise<void>> {
  const path = join(folder, 'ballast');
  for (let bytes = 16 * 1_048_576; bytes >= 1; bytes = Math.floor(bytes / 2)) {
    await writeFile(path, Buffer.alloc(bytes), { flag: 'a' }).catch(() => undefined);
  }
  return () => rm(path);
}
