import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

/** Whether the program restic is installed. On Debian, it is in the package `restic`. */
export const hasRestic = spawnSync('restic', ['version']).status === 0;

/**
 * Puts a shell script with the name `restic` first in PATH until the test ends. The variable `$HERE` in the script
 * contains a folder of the test.
 *
 * @returns the folder in `$HERE`
 */
export async function fakeRestic(code: string): Promise<string> {
  const here = temporaryFolder();
  await writeFile(join(here, 'restic'), `#!/bin/sh\nHERE=${here}\n${code}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${here}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return here;
}
