import { constants, existsSync, statSync } from 'node:fs';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { readUnit, SYSTEM_DATA_FOLDER } from '#master/doctor/service-unit.ts';
import { userName } from '#master/doctor/users.ts';

/** What the choice of a data folder depends on. */
interface Facts {
  readonly isRoot: boolean;
  /** Home folder of the user. */
  readonly home: string;
  /** Data folder of the unit that runs the master. Null if there is none, or its folder is unknown. */
  readonly unit: string | null;
  readonly exists: (path: string) => boolean;
}

/** Returns the data folder of a new master: for root the system's folder, otherwise a folder of the user. */
export function ownDataFolder({ isRoot, home }: Pick<Facts, 'isRoot' | 'home'> = whoami()): string {
  return isRoot ? SYSTEM_DATA_FOLDER : join(home, '.local', 'share', 'overworld-master');
}

/**
 * Returns the data folder of the master that a command without `--data` concerns: for a user other than root the own
 * folder if it exists, else that of the master's unit, else the system's folder if it exists, else the own folder.
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
 * Checks that this user may enter and list the data folder. A folder that does not exist is fine. Does not check
 * whether the user may write there.
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

/** Creates the error for a data folder that this user may not use. It names the user who may. */
export function forbidden(folder: string, cause: unknown): OverworldError {
  return new OverworldError('DATA_FOLDER_FORBIDDEN', { folder, user: userName(ownerOf(folder)) }, cause);
}

/** Returns the id of the owner of a folder, or of the closest folder above it whose owner can be read. */
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
