import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { UNIT } from '#master/doctor/service-unit.ts';
import { syncFolder } from '#master/store/write-durably.ts';
import { flushDisk } from '../../machine/flush-disk.ts';
import { mustRun } from '../../machine/run-program.ts';
import { PACKAGE } from '../decide/acceptance.ts';
import { PROGRAM } from '../places.ts';
import type { Packaging } from './packaging.ts';
import { readManifest } from './manifest.ts';
import { isPackagedUnit, putPackagedUnit } from './packaged-unit.ts';

/**
 * Folder into which a new version is unpacked. It is beside the installed version, so that one rename installs the
 * new version.
 */
const NEXT = `${PROGRAM}.next`;

/** Folder of the previous version, as it was installed. */
const PREVIOUS = `${PROGRAM}.previous`;

const UNIT_FILE = `/etc/systemd/system/${UNIT}.service`;

/** Files that a package must contain. */
const NEEDED = ['bin/node', 'bin/overworld-master', 'index.js', 'package.json', `system/${UNIT}.service`];

const TAR_TIMEOUT_MS = 300_000;

/** Architectures by their number in the header of a program (e_machine of elf(5)), with Debian's names. */
const ARCHES: Readonly<Record<number, string>> = { 62: 'amd64', 183: 'arm64' };

/** The master's package as a tar.gz archive, for systems without dpkg. */
export const tarballPackaging: Packaging = {
  kind: 'tar.gz',
  unpackFolder: NEXT,
  installed: async () => ({
    kind: 'tar.gz',
    version: (await readManifest(PROGRAM)).version,
    arch: await archOf(join(PROGRAM, 'bin', 'node')),
    mark: await markOf(PROGRAM),
    // One rename installs all files.
    isComplete: true,
  }),
  unpackedBytes: async (file) => {
    await mustRun('gzip', ['--test', file]);
    const listed = await mustRun('gzip', ['--list', '--quiet', file]);
    return Number(listed.trim().split(/\s+/)[1]) || 0;
  },
  open: async (file) => {
    await unpack(file, NEXT);
    const missing = NEEDED.find((path) => !existsSync(join(NEXT, path)));
    if (missing !== undefined) throw new Error(`it is not a package of the master: it has no ${missing}`);
    const arch = await archOf(join(NEXT, 'bin', 'node'));
    const { name, version } = await readManifest(NEXT);
    return {
      facts: { kind: 'tar.gz', name, version, arch },
      program: NEXT,
      mark: await markOf(NEXT),
    };
  },
  untilFree: () => Promise.resolve(),
  pack: async (file) => {
    const { version } = await readManifest(PROGRAM);
    const named = `s,^${PACKAGE},${PACKAGE}-${version},`;
    const parent = join(PROGRAM, '..');
    const args = ['-C', parent, `--transform=${named}`, '--use-compress-program=gzip -1', '-cf', file];
    await mustRun('tar', [...args, PACKAGE], { timeoutMs: TAR_TIMEOUT_MS });
  },
  install: async () => {
    const isOwnUnit = await isOwnUnitFile();
    await rm(PREVIOUS, { recursive: true, force: true });
    await rename(PROGRAM, PREVIOUS);
    await rename(NEXT, PROGRAM);
    await syncFolder(dirname(PROGRAM));
    await mustRun('systemd-sysusers', [join(PROGRAM, 'system', `${UNIT}.conf`)]);
    if (isOwnUnit) return putUnit();
    return `${UNIT_FILE} was changed on this machine and stays; compare it with ${PROGRAM}/system/${UNIT}.service`;
  },
  goBack: async (file, mark) => {
    if (existsSync(PROGRAM) && (await markOf(PROGRAM)) === mark) return;
    const isOwnUnit = await isOwnUnitFile();
    // If the installation ended early, an older version may still be in this folder.
    const isPrevious = existsSync(PREVIOUS) && (await markOf(PREVIOUS)) === mark;
    if (!isPrevious) await unpack(file, PREVIOUS);
    await rm(PROGRAM, { recursive: true, force: true });
    await rename(PREVIOUS, PROGRAM);
    await syncFolder(dirname(PROGRAM));
    if (isOwnUnit) await putUnit();
  },
};

/** Unpacks a package. The files then survive a power failure. */
async function unpack(file: string, folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { mode: 0o755 });
  const args = ['--no-same-owner', '--strip-components=1', '-xzf', file, '-C', folder];
  await mustRun('tar', args, { timeoutMs: TAR_TIMEOUT_MS });
  await flushDisk(folder);
}

/**
 * Returns whether no admin has changed this machine's unit file. If an upgrade was interrupted, the unit file may
 * still be that of the previous program.
 */
function isOwnUnitFile(): Promise<boolean> {
  return isPackagedUnit(UNIT_FILE, [PROGRAM, PREVIOUS]);
}

/** Installs the unit file of the installed program. */
async function putUnit(): Promise<null> {
  await putPackagedUnit(UNIT_FILE, PROGRAM);
  await mustRun('systemctl', ['daemon-reload']);
  return null;
}

async function archOf(node: string): Promise<string> {
  const file = await open(node, 'r');
  try {
    const { buffer } = await file.read(Buffer.alloc(20), 0, 20, 0);
    const machine = buffer.readUInt16LE(18);
    return ARCHES[machine] ?? `machine type ${machine}`;
  } finally {
    await file.close();
  }
}

async function markOf(program: string): Promise<string> {
  const script = 'cd "$1" && find . -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum';
  return createHash('sha256')
    .update(await mustRun('sh', ['-c', script, 'sh', program]))
    .digest('hex');
}
