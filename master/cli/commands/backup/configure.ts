import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { Command, Option } from 'commander';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { configureBackup, type ConfiguredBackup } from '#master/backup/configure.ts';
import {
  countParser,
  dataOption,
  jsonOption,
  printJson,
  type CliContext,
  type CommonOptions,
} from '../../context.ts';
import { printable } from '../../table.ts';
import { untilSignal } from './until-signal.ts';

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
    .argument('<repository>', 'as restic names it: a folder, sftp:USER@HOST:/PATH, s3:https://HOST/BUCKET, …')
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
  const password = await readGiven(options.passwordFile);
  const environment = await readGiven(options.environmentFile);
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

/** Returns the text of a file that an option names. @throws OverworldError BACKUP_FILE_INVALID */
async function readGiven(path: string | undefined): Promise<string | undefined> {
  if (path === undefined) return undefined;
  if (path === '-') return text(process.stdin);
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new OverworldError('BACKUP_FILE_INVALID', { path, why }, error);
  }
}
