import { Argument, Command, Option } from 'commander';
import { backupSchedules, type BackupSchedule, type CompleteBackup } from '#shared/model/backup.ts';
import { durationWords } from '#shared/text/duration.ts';
import { noteSchedule } from '#master/backup/configure.ts';
import { backupPlaces } from '#master/backup/places.ts';
import { checkRepository, listBackups, toRepositoryError } from '#master/backup/repository/repository.ts';
import { Restic } from '#master/backup/repository/restic.ts';
import { requireSettings } from '#master/backup/settings.ts';
import { runBackup } from '#master/backup/run-backup.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../../context.ts';
import { scheduleBackups } from '../../backup/schedule.ts';
import { formatTable, formatTime, inMb, printable } from '../../table.ts';
import { saveAllChanges } from '../volumes/save-changes.ts';
import { configureCommand } from './configure.ts';
import { restoreCommand } from './restore.ts';
import { untilSignal } from '../../machine/until-signal.ts';

/** Progress between two printed lines (percentage points). */
const PROGRESS_STEP = 10;

/** Defines `overworld-master backup configure|schedule|run|list|restore|check`. */
export function backupCommand(context: CliContext): Command {
  const command = new Command('backup').description(
    'back up the data folder with restic to another place, and restore it',
  );
  for (const child of [
    configureCommand(context),
    schedule(context),
    run(context),
    list(context),
    restoreCommand(context),
    check(context),
  ])
    command.addCommand(child);
  return command;
}

function schedule(context: CliContext): Command {
  return new Command('schedule')
    .description('set up a systemd timer that makes backups, or remove it. Needs root')
    .addArgument(new Argument('<when>', 'how often').choices([...backupSchedules, 'off']))
    .addOption(dataOption())
    .addOption(jsonOption('{schedule}: hourly, daily, weekly or null'))
    .addOption(new Option('--note', 'only note the schedule in the settings').hideHelp())
    .action(async (when: BackupSchedule | 'off', options: CommonOptions & { readonly note?: boolean }) => {
      const wanted = when === 'off' ? null : when;
      if (options.note === true) await noteSchedule(options.data, wanted, Date.now());
      else await scheduleBackups(options.data, wanted);
      if (options.json === true) printJson(context, { schedule: wanted });
      else if (wanted === null)
        context.out('Backups are made only by hand now: overworld-master backup run.');
      else
        context.out(`Backups are made ${wanted}. See: systemctl list-timers overworld-master-backup.timer`);
    });
}

function run(context: CliContext): Command {
  return new Command('run')
    .description(
      'make a backup now, also while the master runs, and remove older backups according to the rules of `backup configure`',
    )
    .addOption(dataOption())
    .addOption(jsonOption('the backup: {id, at, durationMs, files, bytes, addedBytes, remarks}'))
    .option('--linked-folders', 'also back up templates/ and files/ if you have made them links')
    .action(async ({ data, json, linkedFolders }: CommonOptions & { readonly linkedFolders?: boolean }) => {
      let shown = 0;
      const onPercent = (percent: number): void => {
        if (json === true || percent < shown + PROGRESS_STEP) return;
        shown = percent;
        context.err(`${percent} %`);
      };
      const made = await untilSignal((signal) =>
        runBackup({
          dataFolder: data,
          linkedFolders: linkedFolders === true,
          signal,
          onPercent,
          saveChanges: () => saveAllChanges(data, signal),
        }),
      );
      if (json === true) printJson(context, made);
      else for (const line of runLines(made)) context.out(printable(line));
    });
}

function runLines({ id, durationMs, files, bytes, addedBytes, remarks }: CompleteBackup): string[] {
  const size = `${inMb(bytes)} in ${files} files, ${inMb(addedBytes)} of it new`;
  return [`Backup ${id} is complete after ${durationWords(durationMs)}: ${size}.`, ...remarks];
}

function list(context: CliContext): Command {
  return new Command('list')
    .description('list the complete backups in the repository, newest first')
    .addOption(dataOption())
    .addOption(jsonOption('array of {id, at, network}'))
    .action(async ({ data, json }: CommonOptions) => {
      const stored = await withRepository(data, listBackups);
      const backups = stored.map(({ id, at, network }) => ({ id, at, network }));
      if (json === true) printJson(context, backups);
      else if (backups.length === 0) context.out('The repository has no complete backup.');
      else {
        const rows = backups.map(({ id, at, network }) => [id, formatTime(at), network]);
        context.out(formatTable(['BACKUP', 'TIME', 'NETWORK'], rows));
      }
    });
}

function check(context: CliContext): Command {
  return new Command('check')
    .description('check that the repository is intact')
    .option('--read-data', 'also read and verify all data in the repository, which downloads all of it')
    .addOption(dataOption())
    .addOption(jsonOption('{repository, readData}, if no fault was found'))
    .action(async ({ data, json, ...options }: CommonOptions & { readonly readData?: boolean }) => {
      const readData = options.readData === true;
      const { repository } = await requireSettings(data);
      await withRepository(data, (restic) => checkRepository(restic, readData));
      if (json === true) printJson(context, { repository, readData });
      else
        context.out(
          printable(`No faults were found in ${repository}${readData ? '' : ' (structure only)'}.`),
        );
    });
}

/** Runs `use` with the configured repository. */
async function withRepository<T>(data: string, use: (restic: Restic) => Promise<T>): Promise<T> {
  const { repository } = await requireSettings(data);
  try {
    return await use(await Restic.open(repository, backupPlaces(data)));
  } catch (error) {
    throw toRepositoryError(error, repository);
  }
}
