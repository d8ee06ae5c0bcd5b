import { readdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { electronRuntime } from '../../electron/runtime.mjs';
import { dist } from '../../paths.mjs';
import { step } from '../../steps.mjs';
import { bundledPackages } from '../contents/bundled-packages.mjs';
import { artefactBom, projectBom } from '../contents/sbom.mjs';
import { makeTarball } from '../contents/tarball.mjs';
import { buildDeb, canBuildDebs } from '../deb/build-deb.mjs';
import { hostArch } from '../master/node-runtime.mjs';
import { projectFacts } from '../project-facts.mjs';
import { sourceDate } from '../source-date.mjs';
import { appDeb, appDebFacts } from './app-deb.mjs';
import { buildApp } from './build-app.mjs';
import { downloadsWork } from './downloads.mjs';

/**
 * Makes the app's packages for this system, and its bill of materials. On Linux, makes `deb` and `tar.gz`, which need
 * no download. Also makes `AppImage`, `rpm` and `zip` if electron-builder can download its tools.
 *
 * @param {string} release folder of the artefacts
 * @throws {import('../../steps.mjs').SetupError}
 */
export async function makeApp(release) {
  const dateS = await sourceDate();
  if (process.platform === 'linux') await makeForLinux(release, dateS);
  else await buildApp([]);
  await step('app sbom', () => writeBom(release, dateS));
}

/**
 * Makes the packages for Linux.
 *
 * @param {string} release
 * @param {number} dateS time of all files (Unix time, s)
 */
async function makeForLinux(release, dateS) {
  const arch = hostArch() ?? 'amd64';
  const { version } = projectFacts();
  await buildApp(['--linux', '--dir']);
  const unpacked = join(release, arch === 'amd64' ? 'linux-unpacked' : 'linux-arm64-unpacked');
  await step('app tar.gz', async () => {
    const out = join(release, `overworld-${version}-linux-${arch}.tar.gz`);
    await makeTarball(release, basename(unpacked), out, { dateS, as: `overworld-${version}` });
    return 'made';
  });
  await step('app deb', async () => {
    if (!canBuildDebs()) return 'not made, because this system has no dpkg-deb';
    const out = join(release, `overworld_${version}_${arch}.deb`);
    await buildDeb(appDebFacts(arch), await appDeb(unpacked), out, { dateS });
    return 'made';
  });
  const obstacle = await downloadsWork();
  if (obstacle === null) await buildApp(['--linux', 'AppImage', 'rpm', 'zip', '--prepackaged', unpacked]);
  else console.log(`${'packages'.padEnd(16)}no AppImage, rpm and zip, because ${obstacle}`);
}

/**
 * Writes the bill of materials of the app. It includes the bundled master.
 *
 * @param {string} release
 * @param {number} dateS
 */
async function writeBom(release, dateS) {
  const { version } = projectFacts();
  const electron = electronRuntime().version;
  const parts = ['start/index.cjs', 'main/index.cjs', 'preload/preload.cjs', 'master/master.js'];
  const maps = [...parts.map((part) => join(dist, `${part}.map`)), ...(await pageMaps())];
  const runtime = {
    'bom-ref': `electron@${electron}`,
    type: 'framework',
    name: 'electron',
    version: electron,
    purl: `pkg:npm/electron@${electron}`,
  };
  const product = { type: 'application', name: 'overworld', version };
  const packages = bundledPackages(maps);
  const bom = artefactBom(await projectBom(), { product, packages, runtimes: [runtime], dateS });
  await writeFile(join(release, `overworld-${version}.cdx.json`), `${JSON.stringify(bom, null, 2)}\n`);
  return `${packages.length} packages`;
}

/** Returns the source maps of the page. */
async function pageMaps() {
  const page = join(dist, 'renderer');
  const names = await readdir(page, { recursive: true });
  return names.filter((name) => name.endsWith('.map')).map((name) => join(page, name));
}
