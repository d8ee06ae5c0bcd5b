import { Command, Option } from 'commander';
import { VERSION } from '#shared/version.ts';
import { restoreBackup, type RestoredBackup } from '#master/backup/restore-backup.ts';
import { restoreForInstall, whereReplaced } from '../../backup/restore-for-install.ts';
import { dataOption, jsonOption, printJson, type CliContext, type CommonOptions } from '../../context.ts';
import { formatTime, printable } from '../../table.ts';
import { compareVersions } from '../../upgrade/decide/version-order.ts';
import { untilSignal } from '../../machine/until-signal.ts';

interface RestoreCommandOptions extends CommonOptions {
  readonly replace: boolean;
  readonly forInstall?: boolean;
}

/** Defines `overworld-master backup restore`. */
export function restoreCommand(context: CliContext): Command {
  return new Command('restore')
    .description('restore a backup to the data folder. The folder must be empty, and no master may run on it')
    .argument('[backup]', 'the backup, as `backup list` shows it (default: the newest)')
    .option('--replace', 'first move the existing data of the folder to a folder in backup/', false)
    .addOption(dataOption())
    .addOption(jsonOption('{id, at, version, remarks, replaced}'))
    .addOption(new Option('--for-install', 'read what to restore from standard input').hideHelp())
    .action(async (backup: string | undefined, options: RestoreCommandOptions) => {
      const { data: dataFolder, json, replace } = options;
      if (options.forInstall === true) {
        await untilSignal((signal) => restoreForInstall(dataFolder, signal, context));
        return;
      }
      const restored = await untilSignal((signal) =>
        restoreBackup({
          dataFolder,
          backup,
          replace,
          signal,
          isNewer: (version) => compareVersions(version, VERSION) > 0,
          onStep: (step) => {
            if (json !== true) context.err(`${step}…`);
          },
        }),
      );
      if (json === true) printJson(context, restored);
      else for (const line of linesOf(restored, dataFolder)) context.out(printable(line));
    });
}

function linesOf({ id, at, replaced, remarks }: RestoredBackup, folder: string): string[] {
  return [
    `Restored backup ${id} of ${formatTime(at)} to ${folder}.`,
    ...remarks,
    ...whereReplaced(replaced),
    'Next: start the master. On another machine, as root: overworld-master install --hostname ADDRESS',
  ];
}
