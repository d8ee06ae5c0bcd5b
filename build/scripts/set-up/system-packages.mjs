import { existsSync, readdirSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { lastLines, run } from '../run.mjs';
import { SetupError } from '../steps.mjs';

/**
 * @typedef {object} SystemNeed something that the operating system must provide
 * @property {string} what soname of the library, name of the program, or `font`
 * @property {'library' | 'program' | 'font'} kind
 * @property {readonly string[]} debs Debian packages that provide it, newest name first
 */

/**
 * Returns a need for a shared library.
 *
 * @param {string} what soname
 * @param {readonly string[]} debs
 * @returns {SystemNeed}
 */
const library = (what, ...debs) => ({ what, kind: 'library', debs });
/**
 * Returns a need for a program.
 *
 * @param {string} what name of the program
 * @param {readonly string[]} debs
 * @returns {SystemNeed}
 */
const program = (what, ...debs) => ({ what, kind: 'program', debs });

/**
 * Time limit for downloading apt's package lists (ms). The download takes seconds on a usual network. Without this
 * limit, apt waits a quarter of an hour for a mirror that does not respond.
 */
const listsTimeoutMs = 5 * 60_000;

/**
 * What Electron needs on a minimal Debian: shared libraries of its executable, a font, and the program that moves
 * files to the trash. Other systems already contain all of this.
 */
const electronOnLinux = [
  library('libgtk-3.so.0', 'libgtk-3-0t64', 'libgtk-3-0'),
  library('libnss3.so', 'libnss3'),
  library('libasound.so.2', 'libasound2t64', 'libasound2'),
  library('libgbm.so.1', 'libgbm1'),
  library('libXss.so.1', 'libxss1'),
  library('libxshmfence.so.1', 'libxshmfence1'),
  library('libdrm.so.2', 'libdrm2'),
  library('libatk-bridge-2.0.so.0', 'libatk-bridge2.0-0t64', 'libatk-bridge2.0-0'),
  library('libcups.so.2', 'libcups2t64', 'libcups2'),
  // Electron uses `gio` to move files to the trash.
  program('gio', 'libglib2.0-bin'),
  /** @type {SystemNeed} */ ({ what: 'font', kind: 'font', debs: ['fonts-dejavu-core'] }),
];

/** What Electron needs on this system. */
export const electronNeeds = process.platform === 'linux' ? electronOnLinux : [];

/** The virtual display for machines without a display. */
export const displayNeeds = [program('Xvfb', 'xvfb')];

/** The JDK. It builds the project's jars, and runs the practice server and any other Minecraft server. */
export const javaNeeds = [program('javac', 'default-jdk-headless')];

/** The program that is needed to unpack the fallback Electron. */
export const unzipNeeds = [program('unzip', 'unzip')];

/**
 * Programs that the master's tests need: real clients (ssh, sftp, ssh-keygen), the programs that the tool on nodes
 * uses, and a load balancer.
 */
export const testNeeds = [
  program('sftp', 'openssh-client'),
  program('python3', 'python3'),
  program('haproxy', 'haproxy'),
];

/**
 * Third-party clients with which tests connect to the master and the fake provider, and programs with which tests
 * change the network and the clock. If one cannot be installed, the set-up continues without it.
 */
export const clientNeeds = [
  program('sshfs', 'sshfs'),
  program('lftp', 'lftp'),
  program('rclone', 'rclone'),
  program('psftp', 'putty-tools'),
  program('hcloud', 'hcloud-cli'),
  // The program that makes the master's backups.
  program('restic', 'restic'),
  program('ssh-audit', 'ssh-audit'),
  // Shells in which tests complete the command line.
  program('zsh', 'zsh'),
  program('fish', 'fish'),
  // libfaketime changes the clock of a master, and nft redirects connections to a man in the middle
  // (test/support/chaos).
  ...(process.platform === 'linux' ? [program('faketime', 'faketime'), program('nft', 'nftables')] : []),
  // `ip` sets up the network of its own that each integration test file gets (own-network.sh).
  ...(process.platform === 'linux' ? [program('ip', 'iproute2')] : []),
  // These packages start services when they are installed, so they are installed only in CI.
  ...(process.env['CI'] === undefined
    ? []
    : [program('sshd', 'openssh-server'), program('haproxy', 'haproxy')]),
];

/**
 * Programs that the benchmark needs, by the prefix of the metric's name. The benchmark also compares the master with
 * an OpenSSH server, which is in {@link sshdNeeds}.
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
  'save-': [program('rsync', 'rsync'), program('mkfs.xfs', 'xfsprogs')],
  restore: [program('rsync', 'rsync')],
};

/** The OpenSSH server. Debian starts it on port 22 as soon as it is installed, so it is installed only on request. */
export const sshdNeeds = [program('sshd', 'openssh-server')];

/** Programs that boot Debian nodes in containers, and that simulate failures between them. */
export const labNeeds = [
  program('systemd-nspawn', 'systemd-container'),
  program('debootstrap', 'debootstrap'),
  program('nft', 'nftables'),
  program('ip', 'iproute2'),
  ...testNeeds,
];

/**
 * Like {@link ensureSystemPackages}, but for optional packages: reports unavailable packages instead of failing.
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
 * Ensures that system packages are installed. As root on Debian, installs missing packages. Otherwise, the error
 * names the command that installs the packages.
 *
 * @param {readonly SystemNeed[]} needs
 * @param {{ timeoutMs?: number }} [options] time limit for a mirror's package lists (ms)
 * @returns {Promise<string>} outcome in a few words
 * @throws {SetupError} if something is missing and cannot be installed by this process
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
 * Installs the Debian packages of missing needs with apt.
 *
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
  // The names of packages depend on the release of Debian, and apt can list them only after the update.
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

/**
 * Returns the needs that this system does not meet.
 *
 * @param {readonly SystemNeed[]} needs
 */
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

/**
 * Returns the sonames of the shared libraries that the dynamic linker can find. `ldconfig` may be missing in PATH, so
 * its usual paths are tried first.
 */
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
  // Daemons are in /usr/sbin, which may be missing in PATH.
  if (process.platform === 'linux') folders.push('/usr/sbin');
  const javaHome = process.env['JAVA_HOME'];
  // The scripts that call `javac` search JAVA_HOME first, too.
  if (name === 'javac' && javaHome !== undefined && javaHome !== '') folders.push(join(javaHome, 'bin'));
  const file = process.platform === 'win32' ? `${name}.exe` : name;
  return folders.some((folder) => folder !== '' && existsSync(join(folder, file)));
}

/**
 * Returns for each need the first package name that this release of Debian has.
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
