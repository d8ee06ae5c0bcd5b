import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { runProgram } from '../../machine/run-program.ts';
import { PACKAGE } from '../decide/acceptance.ts';
import { PROGRAM } from '../places.ts';
import { debPackaging } from './deb.ts';
import type { Packaging } from './packaging.ts';
import { tarballPackaging } from './tarball.ts';

/** States of a package in which dpkg has no files of the package (dpkg-query(1)). */
const ABSENT = new Set(['', 'not-installed', 'config-files']);

/**
 * Finds out how the master was installed on this machine.
 *
 * @throws OverworldError UPGRADE_IMPOSSIBLE if no package of it is installed
 */
export async function findPackaging(): Promise<Packaging> {
  const { stdout } = await runProgram('dpkg-query', ['-W', '-f', '${db:Status-Status}', PACKAGE]);
  if (!ABSENT.has(stdout.trim())) return debPackaging;
  if (existsSync(join(PROGRAM, 'bin', 'node'))) return tarballPackaging;
  const why = `no package of it is installed in ${PROGRAM}; install one first (docs/installation.md)`;
  throw new OverworldError('UPGRADE_IMPOSSIBLE', { why });
}
