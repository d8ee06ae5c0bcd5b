import { existsSync } from 'node:fs';
import { lstat, readFile } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { readUnit, SYSTEM_DATA_FOLDER, UNIT } from '#master/doctor/service-unit.ts';
import { readUsers, userName } from '#master/doctor/users.ts';
import { changeFile } from '../machine/replace-file.ts';
import { mustRun } from '../machine/run-program.ts';
import type { StepOutcome } from '../machine/step-report.ts';
import { PROGRAM_FOLDER, unitFile } from './program.ts';

/** User as which the master runs. */
export const USER = 'overworld';

/**
 * Files that describe the master's user (sysusers.d(5)): the file of the Debian package, and the file of the tar.gz.
 */
const USER_FILES = [
  '/usr/lib/sysusers.d/overworld-master.conf',
  `${PROGRAM_FOLDER}/system/overworld-master.conf`,
];

/**
 * Path of the unit file if the program was installed from the tar.gz. The Debian package has its unit file elsewhere.
 */
const UNIT_FILE = `/etc/systemd/system/${UNIT}.service`;

/**
 * Checks that systemd runs on this machine.
 *
 * @throws OverworldError MACHINE_UNSUITABLE
 */
export function requireSystemd(): void {
  if (existsSync('/run/systemd/system')) return;
  const why = 'it does not run systemd, which starts the master and limits its rights';
  const advice = 'Use a machine with Debian 12, Ubuntu 22.04 or newer.';
  throw new OverworldError('MACHINE_UNSUITABLE', { why, advice });
}

/**
 * Creates the master's user if it is missing.
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function ensureUser(): Promise<StepOutcome> {
  if (readUsers().has(USER)) return { status: 'unchanged', detail: `The user ${USER} exists.` };
  const file = USER_FILES.find((path) => existsSync(path)) ?? USER_FILES[0] ?? '';
  await mustRun('systemd-sysusers', [file]);
  return { status: 'done', detail: `Created the user ${USER}.` };
}

/**
 * Installs the master's unit. Needed only for a program that was installed from the tar.gz.
 *
 * @returns whether the unit was changed
 * @throws OverworldError MACHINE_UNSUITABLE if there is a unit of that name that an admin has written
 */
export async function installUnit(): Promise<boolean> {
  const text = await readFile(unitFile(PROGRAM_FOLDER), 'utf8');
  const changed = await changeFile(UNIT_FILE, (before) => {
    if (before !== '' && !before.includes(PROGRAM_FOLDER)) throw foreignUnit(UNIT_FILE);
    return text;
  });
  if (changed) await mustRun('systemctl', ['daemon-reload']);
  return changed;
}

/**
 * Checks that the unit starts the installed program with the system's data folder. This may not be so if an admin has
 * written a unit, which then takes precedence over the unit of the package.
 *
 * @throws OverworldError MACHINE_UNSUITABLE
 */
export async function checkUnit(): Promise<void> {
  const unit = await readUnit();
  if (unit === null) {
    const advice = 'Install the package again.';
    throw new OverworldError('MACHINE_UNSUITABLE', { why: `it has no unit ${UNIT}`, advice });
  }
  if (!unit.node.startsWith(PROGRAM_FOLDER)) throw foreignUnit(`the unit ${UNIT}`, unit.node);
  if (unit.data !== SYSTEM_DATA_FOLDER || unit.user !== USER)
    throw foreignUnit(
      `the unit ${UNIT}`,
      `a master of ${unit.user} with the data folder ${unit.data ?? '?'}`,
    );
}

function foreignUnit(what: string, starts = 'another program'): OverworldError {
  const advice = `Remove it (see docs/installation.md), or keep using it without this command.`;
  return new OverworldError('MACHINE_UNSUITABLE', { why: `${what} starts ${starts}`, advice });
}

/**
 * Creates the data folder for the master's user. If the folder exists, makes this user the owner of the folder and
 * all of its content.
 *
 * @throws OverworldError COMMAND_FAILED
 */
export async function ensureDataFolder(): Promise<StepOutcome> {
  const path = SYSTEM_DATA_FOLDER;
  const owner = await lstat(path).then(
    ({ uid }) => userName(uid),
    () => null,
  );
  if (owner === USER) return { status: 'unchanged', detail: `${path} belongs to ${USER}.` };
  if (owner === null) {
    await mustRun('install', ['-d', '-o', USER, '-g', USER, '-m', '700', path]);
    return { status: 'done', detail: `Created ${path}.` };
  }
  // A master that was installed by hand ran as another user.
  await mustRun('chown', ['-R', '--no-dereference', `${USER}:${USER}`, path]);
  return { status: 'done', detail: `${path} belonged to ${owner}, and now belongs to ${USER}.` };
}
