import { readUnit, SYSTEM_DATA_FOLDER } from '#master/doctor/service-unit.ts';
import type { StepOutcome } from '../machine/step-report.ts';
import { controlUnit, isUnitEnabled, readSshAddress, readUnitState } from '../machine/unit.ts';
import { waitUntilAnswering, waitUntilServing, type ServingMaster } from '../machine/wait-until-serving.ts';
import { whyRestart } from './running-process.ts';

/** Result of the step `start`. */
export interface Started extends StepOutcome {
  readonly master: ServingMaster;
}

/**
 * Starts the master now and at each boot, and waits until it serves. A running master is restarted only if its
 * settings have changed since its start. Its services keep running.
 *
 * @param isRunning whether a master is running and answers
 * @throws OverworldError MASTER_SILENT, COMMAND_FAILED
 */
export async function ensureMasterServes(isRunning: boolean): Promise<Started> {
  const isEnabled = await isUnitEnabled();
  if (!isEnabled) await controlUnit('enable');
  const pid = isRunning ? ((await readUnit())?.pid ?? null) : null;
  const reason = pid === null ? null : await whyRestart(pid, await readSshAddress());
  if (pid === null || reason !== null) await controlUnit('restart');
  const master = await waitUntilServing(SYSTEM_DATA_FOLDER);
  const serves = `Version ${master.info.version} serves on port ${master.address.port}`;
  if (reason !== null)
    return { status: 'done', detail: `${serves}. It was restarted, because ${reason}.`, master };
  return { status: pid !== null && isEnabled ? 'unchanged' : 'done', detail: `${serves}.`, master };
}

/**
 * Waits for a master that is starting, and returns whether the unit's master is running. If the master does not
 * answer, stops its unit, so that its files can be changed.
 */
export async function settleRunning(): Promise<boolean> {
  const { active } = await readUnitState();
  if (active !== 'active' && active !== 'activating') return false;
  try {
    await waitUntilAnswering(SYSTEM_DATA_FOLDER);
    return true;
  } catch {
    await controlUnit('stop');
    return false;
  }
}
