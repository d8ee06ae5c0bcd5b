import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { lastLines, run } from '../run.mjs';
import { SetupError } from '../steps.mjs';

/**
 * @typedef {object} SystemNeed something the operating system has to bring
 * @property {string} what soname, program, or `font`
 * @property {'library' | 'program' | 'font'} kind
 * @property {readonly string[]} debs Debian packages that bring it, newest name first
 */

/** @param {string} what @param {readonly string[]} debs @returns {SystemNeed} */
const library = (what, ...debs) => ({ what, kind: 'library', debs });
/** @param {string} what @param {readonly string[]} debs @returns {SystemNeed} */
const program = (what, ...debs) => ({ what, kind: 'program', debs });

/** For the lists of packages: seconds with a usual network; apt alone waits a quarter of an hour for a silent mirror. */
const listsTimeoutMs = 5 * 60_000;

/** Shared libraries that Electron's executable is linked to and a minimal Debian lacks, a font to draw with, the trash. */
export const electronNeeds = [
  library('libgtk-3.so.0', 'libgtk-3-0t64', 'libgtk-3-0'),
  library('libnss3.so', 'libnss3'),
  library('libasound.so.2', 'libasound2t64', 'libasound2'),
  library('libgbm.so.1', 'libgbm1'),
  library('libXss.so.1', 'libxss1'),
  library('libxshmfence.so.1', 'libxshmfence1'),
  library('libdrm.so.2', 'libdrm2'),
  library('libatk-bridge-2.0.so.0', 'libatk-bridge2.0-0t64', 'libatk-bridge2.0-0'),
  library('libcups.so.2', 'libcups2t64', 'libcups2'),
  // Electron moves files to the trash by it.
  program('gio', 'libglib2.0-bin'),
  /** @type {SystemNeed} */ ({ what: 'font', kind: 'font', debs: ['fonts-dejavu-core'] }),
];

/** A screen for machines without one. */
export const displayNeeds = [program('Xvfb', 'xvfb')];

/** Builds and runs the practice server, and runs any Minecraft server. */
export const javaNeeds = [program('javac', 'default-jdk-headless')];

/** Unpacks the fallback Electron. */
export const unzipNeeds = [program('unzip', 'unzip')];

/** Real clients that tests talk to the master with (ssh, sftp, ssh-keygen), what the tool on nodes runs in, a load balancer. */
export const testNeeds = [
  program('sftp', 'openssh-client'),
  program('python3', 'python3'),
  program('haproxy', 'haproxy'),
];

/** Other people's clients that tests talk to the master and to the fake provider with, and `ip`: where they can be had. */
export const clientNeeds = [
  program('sshfs', 'sshfs'),
  program('lftp', 'lftp'),
  program('rclone', 'rclone'),
  program('psftp', 'putty-tools'),
  program('hcloud', 'hcloud-cli'),
  // Gives each integration test file a network of its own (own-network.sh).
  ...(process.platform === 'linux' ? [program('ip', 'iproute2')] : []),
  // These start once they are installed: only where nobody works.
  ...(process.env['CI'] === undefined
    ? []
    : [program('sshd', 'openssh-server'), program('haproxy', 'haproxy')]),
];

/** Clients that the bench compares the master by, by the beginning of the metric's name; its baseline, a server, is {@link sshdNeeds}. */
export const benchNeeds = {
  'sftp-': [
    program('sftp', 'openssh-client'),
    program('git', 'git'),
    program('lftp', 'lftp'),
    program('rclone', 'rclone'),
    program('sshfs', 'sshfs'),
  ],
  'sync-': [program('rsync', 'rsync')],
};

/** Debian starts it as soon as it is installed, and it listens on port 22: only for who asked for it. */
export const sshdNeeds = [program('sshd', 'openssh-server')];

/** Boots Debian nodes in containers, and comes between them. */
export const labNeeds = [
  program('systemd-nspawn', 'systemd-container'),
  program('debootstrap', 'debootstrap'),
  program('nft', 'nftables'),
  program('ip', 'iproute2'),
  ...testNeeds,
];

/**
 * As {@link ensureSystemPackages}, for what can be done without: what cannot be had is named, and no error.
 *
 * @param {readonly SystemNeed[]} needs
 * @returns {Promise<string>} outcome in a few words
 */
export async function ensureWherePossible(needs) {
  try {
    return await ensureSystemPackages(needs);
  } catch (error) {
    if (!(error instanceof SetupError)) throw error;
    const missing = await findMissing(needs);
    return `without ${missing.map((need) => need.what).join(', ')}: their tests are skipped`;
  }
}

/**
 * Makes sure of what the operating system has to bring: as root on Debian installs what is missing, else names
 * the one command that does.
 *
 * @param {readonly SystemNeed[]} needs
 * @param {{ timeoutMs?: number }} [options] for a mirror to give its lists of packages
 * @returns {Promise<string>} outcome in a few words
 * @throws {SetupError} when something is missing and cannot be installed from here
 */
export async function ensureSystemPackages(needs, { timeoutMs = listsTimeoutMs } = {}) {
  const missing = await findMissing(needs);
  if (missing.length === 0) return 'ready';
  const names = missing.map((need) => need.what).join(', ');
  if (process.platform !== 'linux' || !existsSync('/usr/bin/apt-get')) {
    throw new SetupError(
      `This system lacks ${names}; install them with its package manager and start again.`,
    );
  }
  if (process.getuid?.() !== 0) {
    const debs = await chooseDebs(missing);
    throw new SetupError(
      `This system lacks ${names}; run "sudo apt-get install --no-install-recommends ${debs.join(' ')}" once and start again.`,
    );
  }
  return installDebs(missing, { names, timeoutMs });
}

/**
 * @param {readonly SystemNeed[]} missing
 * @param {{ names: string, timeoutMs: number }} options
 * @returns {Promise<string>}
 */
async function installDebs(missing, { names, timeoutMs }) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', NEEDRESTART_MODE: 'l' };
  const update = await run('apt-get', ['update', '-qq'], { env, timeoutMs });
  if (update.code === null) {
    throw new SetupError(
      `This system lacks ${names}, and its Debian mirror gave no list of packages within ${Math.round(timeoutMs / 1_000)} s (${lastLines(update.output, 1) || 'it said nothing'}); check the network and /etc/apt/sources.list, then start again.`,
    );
  }
  // Names depend on the release, and apt knows them only after the update.
  const debs = await chooseDebs(missing);
  // Another apt may be at work on this machine: wait for it, within limits.
  const options = ['-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=120'];
  const { code, output } = await run('apt-get', ['install', ...options, ...debs], { env });
  if (code !== 0) {
    const why = update.code === 0 ? output : `${update.output}\n${output}`;
    throw new SetupError(
      `The system packages ${debs.join(', ')} could not be installed (${lastLines(why, 2)}); run "apt-get update" and "apt-get install ${debs.join(' ')}" by hand and start again.`,
    );
  }
  const still = await findMissing(missing);
  if (still.length > 0) {
    throw new SetupError(
      `${debs.join(', ')} are installed, yet ${names} were not found; report this with the name and version of your system.`,
    );
  }
  return `installed ${debs.join(', ')}`;
}

/** @param {readonly SystemNeed[]} needs */
async function findMissing(needs) {
  if (process.platform !== 'linux')
    return needs.filter((need) => need.kind === 'program' && !inPath(need.what));
  const libraries = needs.some((need) => need.kind === 'library') ? await listLibraries() : new Set();
  return needs.filter((need) => {
    if (need.kind === 'library') return !libraries.has(need.what);
    if (need.kind === 'font') return !hasFont();
    return !inPath(need.what);
  });
}

/** Sonames the dynamic linker knows. `ldconfig` is not in everyone's PATH. */
async function listLibraries() {
  const ldconfig = ['/sbin/ldconfig', '/usr/sbin/ldconfig'].find((path) => existsSync(path)) ?? 'ldconfig';
  const { output } = await run(ldconfig, ['-p']);
  return new Set(output.split('\n').map((line) => line.trim().split(' ')[0] ?? ''));
}

function hasFont() {
  return ['/usr/share/fonts', '/usr/local/share/fonts'].some((folder) => {
    try {
      return readdirSync(folder, { recursive: true }).some((name) => /\.(ttf|otf|ttc)$/.test(String(name)));
    } catch {
      return false;
    }
  });
}

/** Tells whether a program can be called by its name. @param {string} name */
export function inPath(name) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  // Daemons lie there, which is not in everyone's PATH.
  if (process.platform === 'linux') folders.push('/usr/sbin');
  const javaHome = process.env['JAVA_HOME'];
  // As the tools that call it do, look there first.
  if (name === 'javac' && javaHome !== undefined && javaHome !== '') folders.push(join(javaHome, 'bin'));
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  return folders.some((folder) => folder !== '' && existsSync(join(folder, file)));
}

/**
 * For each need the first package name that this release of Debian has.
 *
 * @param {readonly SystemNeed[]} needs
 * @returns {Promise<string[]>}
 */
async function chooseDebs(needs) {
  const chosen = needs.map(async ({ debs }) => {
    for (const deb of debs.slice(0, -1)) {
      const { code } = await run('apt-cache', ['show', '--no-all-versions', deb]);
      if (code === 0) return deb;
    }
    return debs.at(-1) ?? '';
  });
  return [...new Set(await Promise.all(chosen))];
}
