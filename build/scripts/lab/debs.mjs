import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder, root } from '../paths.mjs';
import { lastLines, run } from '../run.mjs';
import { hashOf } from '../stamp.mjs';
import { imageFolder } from './image.mjs';
import { debianMirror } from './mirror.mjs';

/** Debian packages that tests install on nodes with the nodes' own apt. */
const packages = ['haproxy', 'ufw', 'openjdk-17-jre-headless', 'restic'];

/** Keys of the Debian archive, from the package that debootstrap recommends. */
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';

/** Time limit for downloading some megabytes (ms). */
const timeoutMs = 5 * 60_000;

/**
 * Returns the folder with the packages and their dependencies that are not in the image. The folder need not exist.
 */
export function debsFolder() {
  const recipes = ['build/scripts/lab/make-image.sh', 'build/scripts/lab/debs.mjs'];
  return join(cacheFolder(), 'lab', `debs-${hashOf(root, recipes).slice(0, 16)}`);
}

/**
 * Downloads the packages and their dependencies unless they are in the cache. Nodes have no network, so they cannot
 * download packages. The machine's own apt verifies the packages. It chooses them by the image's list of installed
 * packages. Without a network, the tests that need the packages are skipped.
 *
 * @returns {Promise<string>} outcome in a few words
 */
export async function ensureDebs() {
  const folder = debsFolder();
  if (existsSync(folder)) return 'ready';
  const work = `${folder}.part-${process.pid}`;
  try {
    for (const name of ['lists/partial', 'archives/partial'])
      await mkdir(join(work, name), { recursive: true });
    const source = `deb [signed-by=${keyring}] ${debianMirror()} bookworm main\n`;
    await writeFile(join(work, 'sources.list'), source);
    const options = [
      `Dir::Etc::sourcelist=${work}/sources.list`,
      'Dir::Etc::sourceparts=-',
      `Dir::State::lists=${work}/lists`,
      `Dir::State::status=${imageFolder()}/var/lib/dpkg/status`,
      `Dir::Cache=${work}`,
      `Dir::Cache::archives=${work}/archives`,
      'APT::Install-Recommends=false',
      'APT::Sandbox::User=root',
      'Debug::NoLocking=true',
    ].flatMap((option) => ['-o', option]);
    for (const args of [['update'], ['--yes', '--download-only', '--reinstall', 'install', ...packages]]) {
      const { code, output } = await run('apt-get', [...options, ...args], { timeoutMs });
      if (code !== 0) return `not available: ${lastLines(output, 1)}`;
    }
    await rm(join(work, 'archives', 'partial'), { recursive: true });
    await rm(join(work, 'archives', 'lock'), { force: true });
    if (!existsSync(folder)) await rename(join(work, 'archives'), folder);
    return 'downloaded';
  } finally {
    await rm(work, { recursive: true, force: true });
  }
}
