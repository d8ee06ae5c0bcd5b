import { chmod, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { BackupSchedule } from '#shared/model/backup.ts';
import { syncFolder } from '#master/store/write-durably.ts';
import { withBackupLock } from './lock.ts';
import { isLocal, requireAddress } from './repository/address.ts';
import { ensureRepository, openRepository, toRepositoryError } from './repository/repository.ts';
import { Restic } from './repository/restic.ts';
import {
  newPassword,
  parseEnvironment,
  parsePassword,
  readIfPresent,
  writeSecret,
} from './repository/secrets.ts';
import { backupPlaces, type BackupPlaces } from './places.ts';
import { openSettings, retentionSchema, type BackupRetention } from './settings.ts';

export interface ConfigureOptions {
  readonly dataFolder: string;
  readonly repository: string;
  /** Text of a file with the password. By default, the password in use, or a new one. */
  readonly password?: string | undefined;
  /** Text of an environment file, which replaces the one in use. */
  readonly environment?: string | undefined;
  /** Whether the repository must exist already. By default, it is created if it does not. */
  readonly mustExist?: boolean;
  /** By default, what was set before. */
  readonly retention: Partial<BackupRetention>;
  /** Interrupts the attempt to open the repository; nothing is changed. */
  readonly signal?: AbortSignal | undefined;
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
 * Sets the repository of the backups, and creates it if it does not exist. Nothing is changed if it cannot be used: password
 * and variables are tried as drafts, and replace those in use afterwards. No backup runs meanwhile, because it would use both.
 *
 * @throws OverworldError BACKUP_REPOSITORY_INVALID, BACKUP_FILE_INVALID, BACKUP_REPOSITORY_FAILED, BACKUP_RUNNING,
 *   RESTIC_MISSING, DATA_FAULTY, DISK_FULL
 */
export async function configureBackup(options: ConfigureOptions): Promise<ConfiguredBackup> {
  const { dataFolder, repository } = options;
  requireAddress(repository, dataFolder);
  const places = backupPlaces(dataFolder);
  return withBackupLock(places.folder, () => configure(options, places));
}

async function configure(options: ConfigureOptions, places: BackupPlaces): Promise<ConfiguredBackup> {
  const { dataFolder, repository, mustExist = false, signal } = options;
  // Faulty settings are found before a repository is created.
  await openSettings(dataFolder);
  const draft = draftOf(places);
  const { password, isPasswordNew } = await choosePassword(options, places, draft);
  const environment = options.environment ?? (await readIfPresent(places.environment));
  if (options.environment !== undefined) parseEnvironment(environment, 'The environment file');
  try {
    await writeSecret(draft.password, password);
    await writeSecret(draft.environment, environment);
    const restic = await Restic.open(repository, draft);
    const outcome = await (mustExist ? openRepository : ensureRepository)(restic, signal);
    if (isLocal(repository) && outcome === 'created') await chmod(repository, 0o700);
    const retention = await adopt(options, places, draft);
    return { repository, outcome, retention, passwordFile: places.password, isPasswordNew };
  } catch (error) {
    // A repository may exist that only the generated password opens: the next attempt tries it again.
    if (!isPasswordNew) await rm(places.draft, { recursive: true, force: true });
    throw toRepositoryError(error, repository);
  }
}

/** Returns the places with the secrets that are tried. */
function draftOf(places: BackupPlaces): BackupPlaces {
  const at = (name: string): string => join(places.draft, name);
  return { ...places, password: at('password'), environment: at('environment') };
}

/** @throws OverworldError BACKUP_FILE_INVALID */
async function choosePassword(
  { password: given }: ConfigureOptions,
  places: BackupPlaces,
  draft: BackupPlaces,
): Promise<{ readonly password: string; readonly isPasswordNew: boolean }> {
  if (given !== undefined)
    return { password: parsePassword(given, 'The password file'), isPasswordNew: false };
  const inUse = await readIfPresent(places.password);
  if (inUse !== '') return { password: inUse, isPasswordNew: false };
  const password = (await readIfPresent(draft.password)) || newPassword();
  return { password, isPasswordNew: true };
}

/** Replaces the settings and secrets in use. The old password is replaced last: until then, nothing is lost with a crash. */
async function adopt(
  { dataFolder, repository, retention: wanted }: ConfigureOptions,
  places: BackupPlaces,
  draft: BackupPlaces,
): Promise<BackupRetention> {
  // `backup schedule` may have changed them while the repository was tried.
  const settings = await openSettings(dataFolder);
  const retention = retentionSchema.parse({ ...settings.data?.retention, ...wanted });
  const { schedule = null, scheduledAt = null } = settings.data ?? {};
  await settings.update(() => ({ repository, retention, schedule, scheduledAt }));
  await rename(draft.environment, places.environment);
  await rename(draft.password, places.password);
  await syncFolder(places.folder);
  await rm(places.draft, { recursive: true, force: true });
  return retention;
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
