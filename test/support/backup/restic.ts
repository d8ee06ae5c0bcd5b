import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { onTestFinished, vi } from 'vitest';
import { temporaryFolder } from '../temporary-folder.ts';

/** Whether the program restic is installed. Debian has it in the package of that name. */
export const hasRestic = spawnSync('restic', ['version']).status === 0;

/**
 * Puts a program before restic in PATH, until the test ends. Its shell code finds a folder of the test in `$HERE`.
 *
 * @returns this folder
 */
export async function fakeRestic(code: string): Promise<string> {
  const here = temporaryFolder();
  await writeFile(join(here, 'restic'), `#!/bin/sh\nHERE=${here}\n${code}\n`, { mode: 0o755 });
  vi.stubEnv('PATH', `${here}:${process.env['PATH']}`);
  onTestFinished(() => void vi.unstubAllEnvs());
  return here;
}
