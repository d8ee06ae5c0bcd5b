import { Command, Option } from 'commander';
import { configureBackup, type ConfiguredBackup } from '#master/backup/configure.ts';
import {
  countParser,
  dataOption,
  jsonOption,
  printJson,
  type CliContext,
  type CommonOptions,
} from '../../context.ts';
import { readSecretFile } from '../../backup/secret-file.ts';
import { printable } from '../../table.ts';
import { untilSignal } from '../../machine/until-signal.ts';

const MOST = 10_000;

interface ConfigureCommandOptions extends CommonOptions {
  readonly passwordFile?: string;
  readonly environmentFile?: string;
  readonly keepLast?: number;
  readonly keepDaily?: number;
  readonly keepWeekly?: number;
}

/** Defines `overworld-master backup configure`. */
export function configureCommand(context: CliContext): Command {
  const keep = (flag: string, what: string, byDefault: number): Option =>
    new Option(`--keep-${flag} <n>`, `${what} (default: ${byDefault})`).argParser(countParser(MOST, 0));
  return new Command('configure')
    .description('choose the repository of the backups, and create it if it does not exist')
    .argument('<repository>', 'address for restic: a folder, sftp:USER@HOST:/PATH, s3:https://HOST/BUCKET, …')
    .option(
      '--password-file <file>',
      'file with the password of the repository, - for standard input (default: a new password for a new repository)',
    )
    .option(
      '--environment-file <file>',
      'file with variables for restic, such as AWS_ACCESS_KEY_ID=…, - for standard input',
    )
    .addOption(keep('last', 'how many of the newest backups are kept', 3))
    .addOption(keep('daily', 'for how many days the newest backup is kept', 14))
    .addOption(keep('weekly', 'for how many weeks the newest backup is kept', 8))
    .addOption(dataOption())
    .addOption(jsonOption('{repository, outcome, retention, passwordFile, isPasswordNew}'))
    .action((repository: string, options: ConfigureCommandOptions) =>
      configure(repository, options, context),
    );
}

async function configure(
  repository: string,
  options: ConfigureCommandOptions,
  context: CliContext,
): Promise<void> {
  const { data: dataFolder, json, keepLast, keepDaily, keepWeekly } = options;
  const password = await readSecretFile(options.passwordFile, context);
  const environment = await readSecretFile(options.environmentFile, context);
  const retention = {
    ...(keepLast === undefined ? {} : { last: keepLast }),
    ...(keepDaily === undefined ? {} : { daily: keepDaily }),
    ...(keepWeekly === undefined ? {} : { weekly: keepWeekly }),
  };
  const done = await untilSignal((signal) =>
    configureBackup({ dataFolder, repository, password, environment, retention, signal }),
  );
  if (json === true) printJson(context, done);
  else for (const line of linesOf(done)) context.out(printable(line));
}

function linesOf({ repository, outcome, passwordFile, isPasswordNew }: ConfiguredBackup): string[] {
  const opened = outcome === 'created' ? 'Created the repository' : 'Opened the repository';
  return [
    `${opened} ${repository}.`,
    ...(isPasswordNew
      ? [
          `Its password is in ${passwordFile}. Store a copy outside of this machine NOW: without it, no backup can be restored.`,
        ]
      : []),
    'Make the first backup: overworld-master backup run. Make backups regularly, as root: overworld-master backup schedule daily',
  ];
}
