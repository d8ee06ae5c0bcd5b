import { existsSync } from 'node:fs';
import { chmod, mkdir, rm } from 'node:fs/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { BackupSchedule } from '#shared/model/backup.ts';
import { isLocal, requireAddress } from './repository/address.ts';
import { ensureRepository, toRepositoryError } from './repository/repository.ts';
import { Restic } from './repository/restic.ts';
import {
  newPassword,
  parseEnvironment,
  parsePassword,
  readIfPresent,
  writeSecret,
} from './repository/secrets.ts';
import { backupPlaces } from './places.ts';
import { openSettings, retentionSchema, type BackupRetention } from './settings.ts';

export interface ConfigureOptions {
  readonly dataFolder: string;
  readonly repository: string;
  /** Text of a file with the password. By default, the password in use, or a new one. */
  readonly password?: string | undefined;
  /** Text of an environment file, which replaces the one in use. */
  readonly environment?: string | undefined;
  /** By default, what was set before. */
  readonly retention: Partial<BackupRetention>;
}

/** Result of {@link configureBackup}. */
export interface ConfiguredBackup {
  readonly repository: string;
  readonly outcome: 'created' | 'exists';
  readonly retention: BackupRetention;
  readonly passwordFile: string;
  /** Whether the password was made now, so that there is no copy of it. */
  readonly isPasswordNew: boolean;
}

/**
 * Sets the repository of the backups, and creates it if it does not exist. Nothing is changed if it cannot be used.
 *
 * @throws OverworldError BACKUP_REPOSITORY_INVALID, BACKUP_FILE_INVALID, BACKUP_REPOSITORY_FAILED, RESTIC_MISSING
 */
export async function configureBackup(options: ConfigureOptions): Promise<ConfiguredBackup> {
  const { dataFolder, repository } = options;
  requireAddress(repository, dataFolder);
  const places = backupPlaces(dataFolder);
  await mkdir(places.folder, { recursive: true, mode: 0o700 });
  const settings = await openSettings(dataFolder);
  const before = {
    password: await readIfPresent(places.password),
    environment: await readIfPresent(places.environment),
  };
  if (options.environment !== undefined) parseEnvironment(options.environment, 'The environment file');
  const given =
    options.password === undefined ? before.password : parsePassword(options.password, 'The password file');
  const isPasswordNew = given === '';
  try {
    await writeSecret(places.password, isPasswordNew ? newPassword() : given);
    if (options.environment !== undefined) await writeSecret(places.environment, options.environment);
    const restic = await Restic.open(repository, places);
    const outcome = await ensureRepository(restic);
    if (isLocal(repository) && outcome === 'created') await chmod(repository, 0o700);
    const retention = retentionSchema.parse({ ...settings.data?.retention, ...options.retention });
    const { schedule = null, scheduledAt = null } = settings.data ?? {};
    await settings.update(() => ({ repository, retention, schedule, scheduledAt }));
    return { repository, outcome, retention, passwordFile: places.password, isPasswordNew };
  } catch (error) {
    await putBack(places.password, before.password);
    await putBack(places.environment, before.environment);
    throw toRepositoryError(error, repository);
  }
}

/**
 * Notes how often the timer makes backups, so that a missing backup is a problem.
 *
 * @param schedule null if there is no timer any more
 * @param nowMs ms since epoch
 * @throws OverworldError BACKUP_NOT_CONFIGURED
 */
export async function noteSchedule(
  dataFolder: string,
  schedule: BackupSchedule | null,
  nowMs: number,
): Promise<void> {
  const settings = await openSettings(dataFolder);
  if (settings.data === null) {
    if (schedule === null) return;
    throw new OverworldError('BACKUP_NOT_CONFIGURED', { folder: dataFolder });
  }
  const scheduledAt = schedule === null ? null : nowMs;
  await settings.update((data) => (data === null ? data : { ...data, schedule, scheduledAt }));
}

async function putBack(path: string, text: string): Promise<void> {
  if (text !== '') await writeSecret(path, text);
  else if (existsSync(path)) await rm(path);
}
