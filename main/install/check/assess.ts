import type { ServerProblem } from '#shared/ipc/contract.ts';
import { visibleName } from '#shared/text/visible-name.ts';
import { packageArches, type PackageArch } from '../package/find-package.ts';
import { DATA_FOLDER } from '../move-places.ts';
import { masterProblems } from './assess-master.ts';
import { portProblems } from './assess-ports.ts';
import type { ServerFacts } from './facts.ts';
import type { Intent } from './intent.ts';
import { error, warning } from './problem.ts';

/** Oldest systemd that the master's unit needs. */
const OLDEST_SYSTEMD = 249;

/**
 * The supported operating systems by id: the oldest supported version, and the versions on which the package was
 * tried.
 */
const SYSTEMS: Readonly<Record<string, { readonly oldest: number; readonly tried: readonly string[] }>> = {
  debian: { oldest: 12, tried: ['12', '13'] },
  ubuntu: { oldest: 22.04, tried: ['22.04', '24.04'] },
};

const MIB = 1024;
/** Space that the installed program and its package need, with a reserve (KiB). */
const NEEDED_KIB = { '/usr': 300 * MIB, '/var/lib': 200 * MIB, '/var/tmp': 100 * MIB } as const;
/** Free space for the master's data (KiB). If there is less, templates and logs soon fill it. */
const ROOMY_KIB = 2_048 * MIB;
/**
 * Limits for the server's RAM (KiB). Below the first one, the master cannot run. Below the second one, it has no
 * reserve.
 */
const LEAST_MEMORY_KIB = 400 * MIB;
const ROOMY_MEMORY_KIB = 900 * MIB;
/** Maximum difference between the clocks (s). With a larger one, certificates and the times in logs are wrong. */
const MAX_SKEW_S = 60;

/**
 * Returns the problems that prevent a server from running a master, followed by warnings about the server for the
 * person. Pure.
 */
export function assess(facts: ServerFacts, intent: Intent): ServerProblem[] {
  const problems = [
    ...systemProblems(facts),
    ...roomProblems(facts),
    ...dataRoomProblems(facts, intent),
    ...masterProblems(facts, intent),
    ...(intent.kind !== 'update' ? portProblems(facts, intent) : []),
  ];
  const rank = ({ severity }: ServerProblem) => (severity === 'error' ? 0 : 1);
  return problems.sort((a, b) => rank(a) - rank(b));
}

/** Returns the architecture if there is a package for it, otherwise null. */
export function packageArch(arch: string): PackageArch | null {
  return packageArches.find((known) => known === arch) ?? null;
}

function systemProblems({ os, arch, hasApt, systemd }: ServerFacts): ServerProblem[] {
  const name = visibleName(os.name === '' ? 'an unknown system' : os.name);
  const supported = 'The package needs Debian 12 or Ubuntu 22.04, or newer.';
  const byHand = 'On other systems with systemd, install the tar.gz by hand.';
  if (!hasApt) return [error(`Its system is ${name}, which has no apt. ${supported} ${byHand}`)];
  const problems: ServerProblem[] = [];
  const system = SYSTEMS[os.id];
  const derived = /\b(debian|ubuntu)\b/.test(os.like);
  // An unreleased Debian has no version number, so it is not too old.
  if (system !== undefined && os.version !== '' && Number(os.version) < system.oldest) {
    problems.push(error(`Its system is ${name}, which is too old. ${supported}`));
  } else if (system?.tried.includes(os.version) !== true) {
    if (system !== undefined || derived) problems.push(warning(`The package was not tried with ${name}.`));
    else problems.push(error(`Its system is ${name}. ${supported} ${byHand}`));
  }
  if (packageArch(arch) === null) {
    problems.push(
      error(
        `Its architecture is ${visibleName(arch)}. There are packages for ${packageArches.join(' and ')}.`,
      ),
    );
  }
  if (systemd === null) {
    problems.push(
      error(
        'It was not started by systemd, which runs the master. Containers without systemd cannot be used.',
      ),
    );
  } else if (systemd < OLDEST_SYSTEMD) {
    problems.push(
      error(`Its systemd ${systemd} is too old. The master's unit needs ${OLDEST_SYSTEMD} or newer.`),
    );
  }
  return problems;
}

function roomProblems({ freeKib, memoryKib, clockSkewS, brokenPackages }: ServerFacts): ServerProblem[] {
  const problems: ServerProblem[] = [];
  for (const folder of ['/usr', '/var/lib', '/var/tmp'] as const) {
    const free = freeKib[folder];
    if (free === null || free >= NEEDED_KIB[folder]) continue;
    const [has, needs] = [kibToMb(free), kibToMb(NEEDED_KIB[folder])];
    problems.push(
      error(`Only ${has} MB are free in ${folder}, and ${needs} MB are needed. Free some space.`),
    );
  }
  problems.push(...roomyProblems(freeKib));
  if (memoryKib !== null && memoryKib < LEAST_MEMORY_KIB) {
    problems.push(error(`It has only ${kibToMb(memoryKib)} MB of RAM. A master needs 1 GB.`));
  } else if (memoryKib !== null && memoryKib < ROOMY_MEMORY_KIB) {
    problems.push(
      warning(`It has only ${kibToMb(memoryKib)} MB of RAM. A master needs 1 GB for a large network.`),
    );
  }
  if (Math.abs(clockSkewS) > MAX_SKEW_S) {
    const way = clockSkewS > 0 ? 'ahead of' : 'behind';
    const by = `${Math.round(Math.abs(clockSkewS))} s`;
    problems.push(
      warning(`Its clock is ${by} ${way} this computer's. Set the right one: timedatectl set-ntp true`),
    );
  }
  if (brokenPackages > 0) {
    problems.push(
      warning('An earlier run of dpkg was interrupted there. It is completed first: dpkg --configure -a'),
    );
  }
  return problems;
}

/** Returns a warning if templates and logs would soon fill the disk of the master's data. */
function roomyProblems(freeKib: ServerFacts['freeKib']): ServerProblem[] {
  const { folder, free } = dataDisk(freeKib);
  if (free === null || free >= ROOMY_KIB) return [];
  // This is an error already.
  if (folder === '/var/lib' && free < NEEDED_KIB['/var/lib']) return [];
  return [warning(`Only ${kibToMb(free)} MB are free in ${folder}, where templates and logs will be.`)];
}

/**
 * Returns a problem if a server has not enough space for the data of the master that a job moves to it. The space of
 * an earlier copy counts as free, because that copy is replaced.
 */
function dataRoomProblems({ freeKib, moving }: ServerFacts, { leaving }: Intent): ServerProblem[] {
  const { folder, free } = dataDisk(freeKib);
  const needed = leaving?.dataKib ?? null;
  if (free === null || needed === null) return [];
  const room = free + (moving.dataKib ?? 0);
  const wanted = needed + NEEDED_KIB['/var/lib'];
  if (room >= wanted) return [];
  const has = `Only ${kibToMb(room)} MB are free in ${folder}`;
  return [
    error(`${has}, and the data of the master needs ${kibToMb(wanted)} MB with a reserve. Free some space.`),
  ];
}

/**
 * Returns the folder on whose disk the master's data will be, and its free space (KiB; null if it is not known). This
 * is the data folder if that exists, because a disk may be mounted there.
 */
function dataDisk(freeKib: ServerFacts['freeKib']): {
  readonly folder: string;
  readonly free: number | null;
} {
  const free = freeKib[DATA_FOLDER];
  return free === null ? { folder: '/var/lib', free: freeKib['/var/lib'] } : { folder: DATA_FOLDER, free };
}

function kibToMb(kib: number): number {
  return Math.floor(kib / MIB);
}
