import { existsSync } from 'node:fs';
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../../steps.mjs';
import { debName } from '../master/make-master.mjs';
import { masterArches } from '../master/node-runtime.mjs';
import { isRelease, projectFacts } from '../project-facts.mjs';

/**
 * Copies the master's Debian packages into the app, which installs them on servers. In a trial build, leaves out
 * packages that have not been made. In a release, all packages are required.
 *
 * @param {string} release folder of the artefacts
 * @param {string} resources folder of the app's resources; the packages are added below `packages/`
 * @throws {SetupError} if a package is missing in a release
 */
export async function addMasterPackages(release, resources) {
  const { version } = projectFacts();
  const names = masterArches.map((arch) => debName(version, arch));
  const missing = names.filter((name) => !existsSync(join(release, name)));
  if (missing.length > 0 && isRelease()) {
    throw new SetupError(
      `The app would lack ${missing.join(' and ')}, which it installs on servers; make them first with "npm run dist -- --master".`,
    );
  }
  if (missing.length > 0) {
    console.log(`${'packages'.padEnd(16)}the app does not contain ${missing.join(', ')}: not in ${release}`);
  }
  await mkdir(join(resources, 'packages'), { recursive: true });
  for (const name of names) {
    if (missing.includes(name)) continue;
    await copyFile(join(release, name), join(resources, 'packages', name));
  }
}
