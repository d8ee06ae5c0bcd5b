import { constants, existsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { readUnit, SYSTEM_DATA_FOLDER } from '#master/doctor/service-unit.ts';
import { userName } from '#master/doctor/users.ts';

/** Facts that determine the data folder. */
interface Facts {
  readonly isRoot: boolean;
  /** Home folder of the user. */
  readonly home: string;
  /**
   * Data folder of the unit that runs the master. Null if there is no unit, or if the unit's data folder is unknown.
   */
  readonly unit: string | null;
  readonly exists: (path: string) => boolean;
}

/**
 * Returns the data folder for a new master: the system's folder for root, and a folder in the home folder for other
 * users.
 */
export function ownDataFolder({ isRoot, home }: Pick<Facts, 'isRoot' | 'home'> = whoami()): string {
  return isRoot ? SYSTEM_DATA_FOLDER : join(home, '.local', 'share', 'overworld-master');
}

/**
 * Returns the data folder of the master to which a command without `--data` applies. For a user other than root, this
 * is the user's own folder if it exists. Otherwise it is the folder of the master's unit if there is such a unit.
 * Otherwise it is the system's folder if it exists. If none of these cases applies, it is the user's own folder.
 */
export function chooseDataFolder({ isRoot, home, unit, exists }: Facts): string {
  const own = ownDataFolder({ isRoot, home });
  if (!isRoot && exists(own)) return own;
  if (unit !== null) return unit;
  return exists(SYSTEM_DATA_FOLDER) ? SYSTEM_DATA_FOLDER : own;
}

/** Finds the data folder of the master on this machine. */
export async function findDataFolder(): Promise<string> {
  const unit = (await readUnit())?.data ?? null;
  return resolve(chooseDataFolder({ ...whoami(), unit, exists: existsSync }));
}

/**
 * Checks that this user may enter and list the data folder. Accepts a folder that does not exist. Does not check
 * whether the user may write to the folder.
 *
 * @throws OverworldError DATA_FOLDER_FORBIDDEN
 */
export async function ensureAllowed(folder: string): Promise<void> {
  try {
    await access(folder, constants.R_OK | constants.X_OK);
  } catch (error) {
    if (isForbidden(error)) throw forbidden(folder, error);
  }
}

/** Returns whether an operation failed because this user lacks the rights. */
export function isForbidden(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException;
  return code === 'EACCES' || code === 'EPERM';
}

/** Creates the error for a data folder that this user may not use. The error names the user who owns the folder. */
export function forbidden(folder: string, cause: unknown): OverworldError {
  return new OverworldError('DATA_FOLDER_FORBIDDEN', { folder, user: userName(ownerOf(folder)) }, cause);
}

/** Returns the user id of the owner of a folder, or of the closest parent folder whose owner can be read. */
function ownerOf(folder: string): number {
  try {
    return statSync(folder).uid;
  } catch {
    const above = dirname(folder);
    return above === folder ? 0 : ownerOf(above);
  }
}

function whoami(): Pick<Facts, 'isRoot' | 'home'> {
  return { isRoot: process.getuid?.() === 0, home: homedir() };
}
