import { existsSync } from 'node:fs';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { BackupSchedule } from '#shared/model/backup.ts';
import { requireSettings } from '#master/backup/settings.ts';
import { SYSTEM_DATA_FOLDER } from '#master/doctor/service-unit.ts';
import { PROGRAM_FOLDER, unitFile } from '../install/program.ts';
import { checkUnit, requireSystemd, USER } from '../install/system.ts';
import { asUser } from '../machine/as-user.ts';
import { changeFile } from '../machine/replace-file.ts';
import { requireRoot } from '../machine/require-root.ts';
import { mustRun, runProgram } from '../machine/run-program.ts';
import { serviceDropIn, timerDropIn } from './timer-files.ts';

/** Name of the unit that makes a backup. The timer that starts the unit has the same name. */
const BACKUP_UNIT = 'overworld-master-backup';
const TIMER = `${BACKUP_UNIT}.timer`;
const UNITS = [`${BACKUP_UNIT}.service`, TIMER];

/** Folder for units that an admin installs. */
const UNIT_FOLDER = '/etc/systemd/system';

/** Drop-ins that change the units on this machine. A purge of the package removes them. */
const DROP_INS = {
  timer: `${UNIT_FOLDER}/${TIMER}.d/schedule.conf`,
  service: `${UNIT_FOLDER}/${BACKUP_UNIT}.service.d/repository.conf`,
} as const;

/**
 * Sets how often systemd makes backups. Must run as root.
 *
 * @param schedule null switches regular backups off
 * @throws OverworldError ROOT_NEEDED, MACHINE_UNSUITABLE, BACKUP_NOT_CONFIGURED, COMMAND_FAILED
 */
export async function scheduleBackups(dataFolder: string, schedule: BackupSchedule | null): Promise<void> {
  requireRoot('backup schedule');
  requireSystemd();
  await checkUnit();
  if (dataFolder !== SYSTEM_DATA_FOLDER) {
    const why = `its unit backs up ${SYSTEM_DATA_FOLDER}, not ${dataFolder}`;
    const advice = 'Start "overworld-master backup run" by cron or a timer of your own.';
    throw new OverworldError('MACHINE_UNSUITABLE', { why, advice });
  }
  if (schedule === null) await removeTimer();
  else await setTimer(dataFolder, schedule);
  // Root must not write to a folder of another user, because that user could replace a file with a link.
  const program = [process.argv[1] ?? '', 'backup', 'schedule', schedule ?? 'off', '--note'];
  await (await asUser(USER)).must(process.execPath, [...program, '--data', dataFolder]);
}

async function setTimer(dataFolder: string, schedule: BackupSchedule): Promise<void> {
  const { repository } = await requireSettings(dataFolder);
  await installUnits();
  await changeFile(DROP_INS.timer, () => timerDropIn(schedule));
  const service = serviceDropIn(repository);
  if (service === '') await rm(DROP_INS.service, { force: true });
  else await changeFile(DROP_INS.service, () => service);
  await mustRun('systemctl', ['daemon-reload']);
  await mustRun('systemctl', ['enable', '--quiet', TIMER]);
  await mustRun('systemctl', ['restart', TIMER]);
}

async function removeTimer(): Promise<void> {
  // The timer of the tar.gz is installed only when backups are scheduled for the first time.
  if ((await runProgram('systemctl', ['cat', TIMER])).code === 0)
    await mustRun('systemctl', ['disable', '--quiet', '--now', TIMER]);
  for (const path of Object.values(DROP_INS)) await rm(dirname(path), { recursive: true, force: true });
  await mustRun('systemctl', ['daemon-reload']);
}

/**
 * Installs the backup units of a program from the tar.gz. The Debian package installs its own units. An upgrade from
 * the tar.gz does not install these units, because the earlier version carries out the upgrade and may not know them.
 */
async function installUnits(): Promise<void> {
  const folder = dirname(unitFile(PROGRAM_FOLDER));
  if (!existsSync(join(folder, TIMER))) return;
  for (const name of UNITS) {
    const text = await readFile(join(folder, name), 'utf8');
    await changeFile(join(UNIT_FOLDER, name), () => text);
  }
}
