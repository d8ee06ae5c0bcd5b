import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { monotonicMs } from '#shared/node/clock.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { lastLines, mustRun, runProgram } from '../../machine/run-program.ts';
import { PACKAGE } from '../decide/acceptance.ts';
import { fromDebVersion } from '../decide/version-order.ts';
import { PROGRAM, WORK } from '../places.ts';
import type { Packaging } from './packaging.ts';

/** Maximum duration of one call of dpkg (ms). A slow disk needs half a minute to write 150 MB. */
const DPKG_TIMEOUT_MS = 300_000;

/** Maximum time to wait while another program installs packages (ms), such as unattended-upgrades. */
const LOCK_WAIT_MS = 180_000;

const LOCK_RETRY_MS = 1_000;

const UNPACKED = join(WORK, 'unpacked');

/** The master's package as a Debian package. */
export const debPackaging: Packaging = {
  kind: 'deb',
  unpackFolder: UNPACKED,
  installed: async () => {
    const format = '${Version} ${Architecture} ${db:Status-Status}';
    const fields = await mustRun('dpkg-query', ['-W', '-f', format, PACKAGE]);
    const [version = '', arch = '', status = ''] = fields.trim().split(' ');
    // An interrupted installation has no checksums.
    const sums = await runProgram('dpkg-query', ['--control-show', PACKAGE, 'md5sums']);
    return {
      kind: 'deb',
      version: fromDebVersion(version),
      arch,
      mark: markOf(sums.stdout),
      isComplete: status === 'installed',
    };
  },
  unpackedBytes: async (file) => {
    const size = await mustRun('dpkg-deb', ['--field', file, 'Installed-Size']);
    return Number.parseInt(size, 10) * 1_024 || 0;
  },
  open: async (file) => {
    const fields = await mustRun('dpkg-deb', ['--field', file, 'Package', 'Version', 'Architecture']);
    const valueOf = (name: string): string =>
      new RegExp(`^${name}: (.*)$`, 'm').exec(fields)?.[1]?.trim() ?? '';
    await rm(UNPACKED, { recursive: true, force: true });
    await mustRun('dpkg-deb', ['--raw-extract', file, UNPACKED], { timeoutMs: DPKG_TIMEOUT_MS });
    // If a package is not compressed, these are its only checksums.
    const sums = join('DEBIAN', 'md5sums');
    await mustRun('sh', ['-c', 'cd "$1" && md5sum --check --strict --quiet "$2"', 'sh', UNPACKED, sums]);
    return {
      facts: {
        kind: 'deb',
        name: valueOf('Package'),
        version: fromDebVersion(valueOf('Version')),
        arch: valueOf('Architecture'),
      },
      program: join(UNPACKED, PROGRAM),
      mark: markOf(await readFile(join(UNPACKED, sums), 'utf8')),
    };
  },
  pack: async (file) => {
    const tree = join(WORK, 'packed');
    await rm(tree, { recursive: true, force: true });
    await mkdir(join(tree, 'DEBIAN'), { recursive: true, mode: 0o755 });
    await copyInstalledFiles(tree);
    await copyControlFiles(join(tree, 'DEBIAN'));
    const args = ['--root-owner-group', '-Zgzip', '-z1', '--build', tree, file];
    await mustRun('dpkg-deb', args, { timeoutMs: DPKG_TIMEOUT_MS });
    await rm(tree, { recursive: true });
  },
  // Without input, this command changes nothing, but it needs the same locks as an installation.
  untilFree: () => runDpkg(['--set-selections']),
  install: async (file) => {
    await runDpkg(['--install', file]);
    return null;
  },
  goBack: async (file, mark) => {
    const installed = await debPackaging.installed().catch(() => null);
    if (installed?.isComplete === true && installed.mark === mark) return;
    await runDpkg(['--install', file]);
  },
};

function markOf(md5sums: string): string {
  return createHash('sha256').update(md5sums).digest('hex');
}

/** Copies the package's installed files into a folder. */
async function copyInstalledFiles(tree: string): Promise<void> {
  const listed = await mustRun('dpkg-query', ['--listfiles', PACKAGE]);
  const paths = listed
    .split('\n')
    .filter((path) => path.startsWith('/') && path !== '/.' && existsSync(path));
  const [folders, files] = [new Set<string>(), [] as string[]];
  for (const path of paths) {
    // The list has each folder before the files in it.
    if (paths.some((other) => other.startsWith(`${path}/`))) folders.add(path);
    else files.push(path);
  }
  for (const folder of folders) await mkdir(join(tree, folder), { recursive: true, mode: 0o755 });
  for (const file of files) {
    const copy = join(tree, file);
    // A hard link takes neither space nor time, but is possible only within one file system.
    await link(file, copy).catch(() => mustRun('cp', ['-a', '--no-dereference', file, copy]));
  }
}

/** Writes the control files of the installed package into a folder. */
async function copyControlFiles(folder: string): Promise<void> {
  const status = await mustRun('dpkg-query', ['--status', PACKAGE]);
  const control = status
    .split(/\n(?! )/)
    .filter((field) => !/^(Status|Conffiles|Config-Version):/.test(field))
    .join('\n');
  await writeFile(join(folder, 'control'), `${control.trimEnd()}\n`);
  const names = (await mustRun('dpkg-query', ['--control-list', PACKAGE]))
    .split('\n')
    .filter((name) => name !== '');
  for (const name of names) {
    if (name === 'control') continue;
    const content = await mustRun('dpkg-query', ['--control-show', PACKAGE, name]);
    const isScript = /^(pre|post)(inst|rm)$/.test(name);
    await writeFile(join(folder, name), content, { mode: isScript ? 0o755 : 0o644 });
  }
}

/**
 * Runs dpkg without input. Waits while another program installs packages.
 *
 * @param waitMs maximum time to wait (ms)
 * @throws OverworldError COMMAND_FAILED
 */
export async function runDpkg(args: readonly string[], waitMs = LOCK_WAIT_MS): Promise<void> {
  const until = monotonicMs() + waitMs;
  const env = { DEBIAN_FRONTEND: 'noninteractive', OVERWORLD_UPGRADE: '1' };
  for (;;) {
    const result = await runProgram('dpkg', args, { timeoutMs: DPKG_TIMEOUT_MS, env });
    if (result.code === 0) return;
    const isLocked = /lock (was|is) locked by another process/.test(result.stderr);
    if (!isLocked || monotonicMs() >= until) {
      const why = lastLines(result, 4) || `it ended with exit code ${result.code}`;
      throw new OverworldError('COMMAND_FAILED', { command: ['dpkg', ...args].join(' '), why });
    }
    await delay(LOCK_RETRY_MS);
  }
}
