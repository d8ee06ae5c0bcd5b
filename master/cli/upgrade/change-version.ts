import { existsSync } from 'node:fs';
import { monotonicMs } from '#shared/node/clock.ts';
import type { Change, ChangeResult, MasterBefore } from './change.ts';
import { copyData } from './data-copy.ts';
import { rollBack } from './roll-back.ts';
import { askReadiness, readState, startMasterUnit, stopMasterUnit } from './master-unit.ts';
import { watchStart, type StartOutcome } from './watch-start.ts';
import { failureReason } from './failure-reason.ts';

/**
 * Installs the new version and restarts the master with it. If the new version does not work, installs the previous
 * version again and restores its data; the result then contains the error.
 *
 * The old master keeps running until the new program is installed. The control loop therefore pauses only for the
 * restart.
 */
export async function changeVersion(change: Change): Promise<ChangeResult> {
  const { target, kept, candidate, record } = change;
  const { packaging, data } = target;
  const { version } = candidate.facts;
  const [{ active }, answer] = [await readState(), await askReadiness(data)];
  const before: MasterBefore = { wasOn: active !== 'inactive', answer };
  await record.changing({ before: kept.version, version, mark: candidate.mark });
  try {
    const note = await packaging.install(candidate.file);
    const detail = `Version ${version} is installed.${note === null ? '' : ` ${note}.`}`;
    await record.step({ step: 'install', status: 'done', detail });
  } catch (error) {
    const why = `it could not be installed: ${failureReason(error)}`;
    await record.step({ step: 'install', status: 'failed', detail: sentence(why) });
    return rollBack(change, before, { why, stopped: null, hasServed: false });
  }
  if (!before.wasOn) {
    const detail =
      'The master was not running, and was not started. Start it with: systemctl start overworld-master';
    await record.step({ step: 'serve', status: 'unchanged', detail });
    return { returned: false, pauseMs: null, error: null, log: [] };
  }
  const isOlderCopy = existsSync(kept.data);
  const stopped = { at: monotonicMs(), wallClock: Date.now() };
  const outcome = await restart(change, before, stopped.at);
  const { why, hasServed, decidingAfterMs } = outcome;
  if (why === null) {
    await record.step({ step: 'serve', status: 'done', detail: servingText(version, decidingAfterMs) });
    return { returned: false, pauseMs: decidingAfterMs, error: null, log: [] };
  }
  await record.step({ step: 'serve', status: 'failed', detail: sentence(why) });
  return rollBack(change, before, { why, stopped, hasServed: hasServed || isOlderCopy });
}

/**
 * Restarts the master with the new version. Copies its data after the old master has stopped and before the new one
 * starts.
 */
async function restart(
  { target, kept, programs }: Change,
  before: MasterBefore,
  since: number,
): Promise<StartOutcome> {
  const { data, hasData, as } = target;
  try {
    await stopMasterUnit();
    // After an interrupted upgrade, a copy of the data from before that upgrade may exist, and is kept: only that
    // copy is certainly readable for the previous version.
    if (hasData && !existsSync(kept.data)) await copyData(data, kept.data, as);
    await startMasterUnit();
    const { hasSynced = false, sshReady = false, observed = [] } = before.answer ?? {};
    const demand = {
      version: programs.after,
      mustSync: hasSynced,
      mustServeSsh: sshReady,
      nodes: observed,
    };
    return await watchStart({ data, since, demand });
  } catch (error) {
    const why = `the master could not be restarted: ${failureReason(error)}`;
    return { why, decidingAfterMs: null, hasServed: false };
  }
}

function servingText(version: string, pauseMs: number | null): string {
  const pause = pauseMs === null ? '' : ` The control loop paused for ${(pauseMs / 1_000).toFixed(1)} s.`;
  return `Version ${version} serves and has adopted all services.${pause}`;
}

/** Turns a reason into a sentence: capitalises it and adds a full stop. */
export function sentence(why: string): string {
  return `${why.charAt(0).toUpperCase()}${why.slice(1)}.`;
}
