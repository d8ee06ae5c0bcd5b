import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { readUnit, UNIT } from '#master/doctor/service-unit.ts';
import { asUser, type AsUser } from '../machine/as-user.ts';
import { findPackaging } from './packages/find-packaging.ts';
import type { InstalledProgram, Packaging } from './packages/packaging.ts';
import { PROGRAM } from './places.ts';

/** The installed master on this machine, as the target of an upgrade. */
export interface UpgradeTarget {
  readonly packaging: Packaging;
  readonly installed: InstalledProgram;
  /** Data folder. */
  readonly data: string;
  /** Whether the data folder contains data to check and to keep. */
  readonly hasData: boolean;
  readonly as: AsUser;
}

/**
 * Finds the master that is to be upgraded.
 *
 * @throws OverworldError UPGRADE_IMPOSSIBLE
 */
export async function findTarget(): Promise<UpgradeTarget> {
  const packaging = await findPackaging();
  const unit = await readUnit();
  if (unit === null) {
    const why = `it does not run as the systemd unit ${UNIT}`;
    throw new OverworldError('UPGRADE_IMPOSSIBLE', { why });
  }
  if (unit.data === null) {
    const why = `the unit ${UNIT} does not say which data folder it uses; add --data to its ExecStart`;
    throw new OverworldError('UPGRADE_IMPOSSIBLE', { why });
  }
  if (!unit.node.startsWith(`${PROGRAM}/`)) {
    const why = `the unit ${UNIT} runs ${unit.node}, which is not in ${PROGRAM}`;
    throw new OverworldError('UPGRADE_IMPOSSIBLE', { why });
  }
  const { data, user } = unit;
  return {
    packaging,
    installed: await packaging.installed(),
    data,
    hasData: existsSync(join(data, 'config')),
    as: await asUser(user),
  };
}
