import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { step } from '../../steps.mjs';
import { artefactBom, projectBom } from '../contents/sbom.mjs';
import { makeTarball } from '../contents/tarball.mjs';
import { writeTree } from '../contents/tree.mjs';
import { buildDeb, canBuildDebs } from '../deb/build-deb.mjs';
import { debVersion } from '../deb/control.mjs';
import { projectFacts } from '../project-facts.mjs';
import { sourceDate } from '../source-date.mjs';
import { debFiles, masterPackages, tarballFiles } from './layout.mjs';
import { ensureNodeRuntime, masterArches, nodeComponent } from './node-runtime.mjs';

/** @typedef {import('../deb/control.mjs').DebArch} DebArch */

const name = 'overworld-master';

/**
 * Makes the master's packages, tarballs and bills of materials for all architectures. Needs the built master.
 *
 * @param {string} out existing folder
 * @throws {import('../../steps.mjs').SetupError}
 */
export async function makeMaster(out) {
  const { version } = projectFacts();
  const dateS = await sourceDate();
  const bom = await projectBom();
  for (const arch of masterArches) {
    await step(`master ${arch}`, async () => {
      const node = await ensureNodeRuntime(arch);
      await makeMasterTarball({ out, arch, version, node, dateS });
      const runtimes = [nodeComponent(arch)];
      const product = { type: 'application', name, version };
      const document = artefactBom(bom, { product, packages: masterPackages(), runtimes, dateS });
      await writeFile(
        join(out, `${name}-${version}-linux-${arch}.cdx.json`),
        `${JSON.stringify(document, null, 2)}\n`,
      );
      if (!canBuildDebs()) return 'tar.gz; no deb, because this system has no dpkg-deb';
      await makeMasterDeb({ out, arch, version, node, dateS });
      return 'deb, tar.gz';
    });
  }
}

/**
 * Settings of one artefact of the master.
 *
 * @typedef {object} MasterArtefact
 * @property {string} out existing folder
 * @property {DebArch} arch
 * @property {string} version version that the artefact states; the program in the artefact is always the built one
 * @property {string} node folder of its Node.js
 * @property {number} dateS time of its files (Unix time, s)
 */

/**
 * Returns the file name of the master's Debian package.
 *
 * @param {string} version of the project (semver)
 * @param {DebArch} arch
 */
export function debName(version, arch) {
  return `${name}_${debVersion(version)}_${arch}.deb`;
}

/**
 * Builds the Debian package of the master.
 *
 * @param {MasterArtefact & { compression?: 'xz' | 'none' }} artefact
 * @returns {Promise<string>} its path
 * @throws {import('../../steps.mjs').SetupError}
 */
export async function makeMasterDeb({ out, arch, version, node, dateS, compression = 'xz' }) {
  const { maintainer, homepage } = projectFacts();
  const path = join(out, debName(version, arch));
  const facts = {
    name,
    version,
    arch,
    maintainer,
    homepage,
    section: 'net',
    // The libraries that the packed Node.js needs, and the programs that the maintainer scripts use.
    depends: ['libc6 (>= 2.28)', 'libgcc-s1', 'libstdc++6 (>= 6)', 'systemd (>= 249)', 'init-system-helpers'],
    suggests: ['haproxy (>= 2.4)', 'restic'],
    synopsis: 'runs a Minecraft network in the cloud',
    description: [
      'The master of Overworld decides which Minecraft servers and proxies run on which cloud node, and carries that out. People control it with the desktop app Overworld.',
      'The package contains its own Node.js.',
    ],
  };
  await buildDeb(facts, debFiles(node), path, { dateS, compression });
  return path;
}

/**
 * Packs the program of the master as a tarball.
 *
 * @param {MasterArtefact} artefact
 */
async function makeMasterTarball({ out, arch, version, node, dateS }) {
  const folder = `${name}-${version}-linux-${arch}`;
  const work = await mkdtemp(join(tmpdir(), 'overworld-tar-'));
  try {
    await mkdir(join(work, folder));
    await writeTree(join(work, folder), tarballFiles(node));
    await makeTarball(work, folder, join(out, `${folder}.tar.gz`), { dateS });
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
