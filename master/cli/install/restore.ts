import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { MOVE_MARK_PATH } from '#shared/move-mark.ts';
import { requireAddress } from '#master/backup/repository/address.ts';
import { parseEnvironment, parsePassword } from '#master/backup/repository/secrets.ts';
import { SYSTEM_DATA_FOLDER } from '#master/doctor/service-unit.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { PROGRESS_END, restoreOutcomeSchema, type RestoreRequest } from '../backup/restore-for-install.ts';
import { readSecretFile } from '../backup/secret-file.ts';
import type { CliOutput } from '../context.ts';
import { aptInstall } from '../machine/apt-install.ts';
import { runLongAsUser } from '../machine/as-user.ts';
import { lastLines, runProgram, type ProgramResult } from '../machine/run-program.ts';
import type { StepOutcome } from '../machine/step-report.ts';
import { PROGRAM_FOLDER } from './program.ts';
import { USER } from './system.ts';

/** Options of `install` that restore a network. */
export interface RestoreOptions {
  readonly restoreFrom?: string;
  readonly passwordFile?: string;
  readonly environmentFile?: string;
  readonly backup?: string;
}

/** Returns why these options do not belong together, as a sentence. Null if they do. */
export function whyRestoreOptionsUnusable(options: RestoreOptions): string | null {
  const { restoreFrom, passwordFile, environmentFile, backup } = options;
  if (passwordFile === '-' && environmentFile === '-')
    return '--password-file and --environment-file cannot both be standard input.';
  if (restoreFrom !== undefined && passwordFile === undefined)
    return '--restore-from needs --password-file with the password of the repository, - for standard input.';
  if (restoreFrom !== undefined) return null;
  const all = { '--password-file': passwordFile, '--environment-file': environmentFile, '--backup': backup };
  const [given] = Object.entries(all).find(([, value]) => value !== undefined) ?? [];
  return given === undefined ? null : `${given} is used only with --restore-from.`;
}

/**
 * Reads and checks the input of a restore without changing anything. Null if no restore was requested.
 *
 * @throws OverworldError BACKUP_REPOSITORY_INVALID, BACKUP_FILE_INVALID
 */
export async function readRestoreRequest(
  { restoreFrom: repository, passwordFile, environmentFile, backup }: RestoreOptions,
  output: CliOutput,
): Promise<RestoreRequest | null> {
  if (repository === undefined || passwordFile === undefined) return null;
  requireAddress(repository, SYSTEM_DATA_FOLDER);
  const password = await readSecretFile(passwordFile, output);
  const environment = await readSecretFile(environmentFile, output);
  if (environment !== undefined) parseEnvironment(environment, environmentFile ?? '');
  return { repository, password: parsePassword(password ?? '', passwordFile), environment, backup };
}

/**
 * Installs restic if it is missing. @throws OverworldError COMMAND_FAILED; RESTIC_MISSING if the machine has no apt
 */
export async function ensureRestic(): Promise<StepOutcome> {
  if ((await runProgram('restic', ['version'])).code === 0)
    return { status: 'unchanged', detail: 'restic is installed.' };
  if ((await runProgram('apt-get', ['--version'])).code !== 0)
    throw new OverworldError('RESTIC_MISSING', { package: 'restic' });
  await aptInstall(['restic']);
  return { status: 'done', detail: 'Installed restic.' };
}

/**
 * Restores the network to the data folder. Runs as the master's user, and takes as long as the transfer of the data.
 * If the signal is aborted, the restore ends and leaves the data folder unchanged; if it is aborted too late, the
 * data folder is restored nevertheless.
 *
 * @throws OverworldError NETWORK_NOT_RESTORED, INSTALL_INTERRUPTED
 */
export async function restore(
  request: RestoreRequest,
  signal: AbortSignal,
  onProgress: (line: string) => void,
): Promise<StepOutcome> {
  const ran = await runLongAsUser(
    USER,
    [
      join(PROGRAM_FOLDER, 'bin/node'),
      join(PROGRAM_FOLDER, 'index.js'),
      ...['backup', 'restore', '--for-install', '--data', SYSTEM_DATA_FOLDER],
    ],
    {
      signal,
      input: JSON.stringify(request),
      onErrorLine: (line) => {
        if (line.endsWith(PROGRESS_END)) onProgress(line);
      },
      // The units set the same HOME. `ssh` finds the keys of the master's user by itself, in the home folder of that
      // user.
      env: { HOME: dataFolderAt(SYSTEM_DATA_FOLDER).backup },
    },
  );
  return readRestored(ran, signal);
}

/**
 * Converts the result of the process that has restored to the result of the step.
 *
 * @param signal aborted if `install` must not continue, although the network may be restored
 * @throws OverworldError NETWORK_NOT_RESTORED, INSTALL_INTERRUPTED
 */
export function readRestored(ran: ProgramResult, signal: Pick<AbortSignal, 'aborted'>): StepOutcome {
  if (ran.code !== 0) throw new OverworldError('NETWORK_NOT_RESTORED', { why: whyFailed(ran) });
  const outcome = restoreOutcomeSchema.parse(JSON.parse(ran.stdout));
  if (signal.aborted) throw new OverworldError('INSTALL_INTERRUPTED', { restored: outcome.detail });
  return outcome;
}

/**
 * Returns whether the configuration may still contain the address of the lost machine. This is so if the network was
 * just restored, or if an earlier call of `install` restored it and ended before a master was started.
 *
 * @param restored result of the step; null if no restore was requested
 * @param isRunning whether a master is running
 */
export function hasAddressOfBackup(
  restored: Pick<StepOutcome, 'status'> | null,
  isRunning: boolean,
  dataFolder = SYSTEM_DATA_FOLDER,
): boolean {
  if (restored === null) return false;
  // A restore leaves this mark, and the master removes it.
  return restored.status === 'done' || (!isRunning && existsSync(join(dataFolder, MOVE_MARK_PATH)));
}

/** Returns the error message of the restore: the last line of its error output that reports no progress. */
function whyFailed(ran: ProgramResult): string {
  const lines = ran.stderr.split('\n').filter((line) => !line.endsWith(PROGRESS_END));
  const why = lastLines({ ...ran, stderr: lines.join('\n') }, 1);
  return why === '' ? `The restore ended with exit code ${ran.code}.` : why;
}
