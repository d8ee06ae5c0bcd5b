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

/**
 * Time limit for package lists (ms). They take seconds on a usual network; apt alone waits a quarter of an hour for
 * a silent mirror.
 */
const listsTimeoutMs = 5 * 60_000;

/** Shared libraries of Electron's executable that a minimal Debian lacks, a font, and the trash. */
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
  // Electron uses it to move files to the trash.
  program('gio', 'libglib2.0-bin'),
  /** @type {SystemNeed} */ ({ what: 'font', kind: 'font', debs: ['fonts-dejavu-core'] }),
];

/** A display for machines without one. */
export const displayNeeds = [program('Xvfb', 'xvfb')];

/** Builds and runs the practice server, and runs any Minecraft server. */
export const javaNeeds = [program('javac', 'default-jdk-headless')];

/** Unpacks the fallback Electron. */
export const unzipNeeds = [program('unzip', 'unzip')];

/**
 * Real clients for tests of the master (ssh, sftp, ssh-keygen), the environment of the tool on nodes, and a load
 * balancer.
 */
export const testNeeds = [
  program('sftp', 'openssh-client'),
  program('python3', 'python3'),
  program('haproxy', 'haproxy'),
];

/** Third-party clients for tests of the master and the fake provider, and `ip`. Installed where possible. */
export const clientNeeds = [
  program('sshfs', 'sshfs'),
  program('lftp', 'lftp'),
  program('rclone', 'rclone'),
  program('psftp', 'putty-tools'),
  program('hcloud', 'hcloud-cli'),
  // Gives each integration test file a network of its own (own-network.sh).
  ...(process.platform === 'linux' ? [program('ip', 'iproute2')] : []),
  // These packages start services when they are installed, so they are installed only in CI.
  ...(process.env['CI'] === undefined
    ? []
    : [program('sshd', 'openssh-server'), program('haproxy', 'haproxy')]),
];

/**
 * Clients to which the benchmark compares the master, by the prefix of the metric's name. Its baseline, a server,
 * is {@link sshdNeeds}.
 */
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

/** Debian starts it on port 22 as soon as it is installed, so it is installed only on request. */
export const sshdNeeds = [program('sshd', 'openssh-server')];

/** Boots Debian nodes in containers, and simulates failures between them. */
export const labNeeds = [
  program('systemd-nspawn', 'systemd-container'),
  program('debootstrap', 'debootstrap'),
  program('nft', 'nftables'),
  program('ip', 'iproute2'),
  ...testNeeds,
];

/**
 * Like {@link ensureSystemPackages}, for optional packages: names what is unavailable without failing.
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
 * Ensures that system packages are installed: as root on Debian it installs missing ones, otherwise it names the
 * command that does.
 *
 * @param {readonly SystemNeed[]} needs
 * @param {{ timeoutMs?: number }} [options] time limit for a mirror's package lists
 * @returns {Promise<string>} outcome in a few words
 * @throws {SetupError} if something is missing and cannot be installed from here
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
  // Another apt may be running on this machine; wait for it up to a limit.
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

/** Returns the sonames that the dynamic linker knows. `ldconfig` may be missing in PATH. */
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

/**
 * Returns whether a program is in PATH.
 *
 * @param {string} name
 */
export function inPath(name) {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  // Daemons are there, and it may be missing in PATH.
  if (process.platform === 'linux') folders.push('/usr/sbin');
  const javaHome = process.env['JAVA_HOME'];
  // The tools that call it look there first, too.
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
