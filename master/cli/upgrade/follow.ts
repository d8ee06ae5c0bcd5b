import { setTimeout as delay } from 'node:timers/promises';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { readRecord, type UpgradeResult, type UpgradeStep } from './record.ts';
import { isUpgrading } from './start-worker.ts';

const LOOK_AGAIN_MS = 100;

/** Number of reads of the record between two checks of the unit. Each check of the unit starts a process. */
const UNIT_EVERY = 10;

/**
 * Follows an upgrade until it ends.
 *
 * @param run id of the upgrade; null for the running upgrade
 * @param onStep called once for each step, including steps that have already ended
 * @throws OverworldError UPGRADE_INTERRUPTED
 */
export async function followUpgrade(
  run: string | null,
  onStep: (step: UpgradeStep) => void,
): Promise<UpgradeResult> {
  let followed = run;
  let shown = 0;
  for (let look = 1; ; look += 1) {
    // Checked before the record is read, so that the record of an upgrade that has just ended is complete.
    const isOver = look % UNIT_EVERY === 0 && !(await isUpgrading());
    const record = await readRecord();
    if (
      record !== null &&
      (record.run === followed || (followed === null && (record.result === null || isOver)))
    ) {
      followed = record.run;
      for (const step of record.steps.slice(shown)) onStep(step);
      shown = record.steps.length;
      if (record.result !== null) return record.result;
    }
    if (isOver) throw new OverworldError('UPGRADE_INTERRUPTED', { before: record?.before ?? 'unknown' });
    await delay(LOOK_AGAIN_MS);
  }
}
