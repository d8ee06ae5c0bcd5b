import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../paths.mjs';
import { SetupError } from '../steps.mjs';

/**
 * Rejects a Node.js that is older than `engines` in package.json requires. Must be called before importing anything
 * that an old Node.js cannot parse: this file and its imports use only the syntax of Node.js 14.
 *
 * @param {string} [version] as `process.versions.node`
 * @throws {SetupError} if it is too old
 */
export function checkNode(version = process.versions.node) {
  /** @type {{ engines: { node: string } }} */
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const wanted = engines.node.replace('>=', '');
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [wantedMajor = 0, wantedMinor = 0] = wanted.split('.').map(Number);
  if (major < wantedMajor || (major === wantedMajor && minor < wantedMinor)) {
    throw new SetupError(
      `Node ${version} is too old, Overworld needs ${wanted} or newer; install it from nodejs.org or your distribution and start again.`,
    );
  }
}
