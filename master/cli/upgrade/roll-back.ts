import { existsSync } from 'node:fs';
import { monotonicMs } from '#shared/node/clock.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { Change, ChangeResult, MasterBefore } from './change.ts';
import { findChanges, restoreData } from './data-copy.ts';
import { unusableFiles } from './decide/check-findings.ts';
import { planRestore } from './decide/restore-plan.ts';
import { readLog, startMasterUnit, stopFailedMaster } from './master-unit.ts';
import { PROGRAM } from './places.ts';
import { checkWith } from './program-check.ts';
import { removeWork } from './store.ts';
import { watchStart } from './watch-start.ts';
import { failureReason } from './failure-reason.ts';

/** Why and when a new version failed. */
interface Failure {
  /** The reason, as the end of a sentence. */
  readonly why: string;
  /**
   * Time at which the old master was stopped: `at` on the monotonic clock (ms), `wallClock` in ms since epoch. Null
   * if the old master is still running.
   */
  readonly stopped: { readonly at: number; readonly wallClock: number } | null;
  /**
   * Whether a newer version has answered on its local socket since the data was copied. Also true if this is unknown,
   * because an interrupted upgrade has made the copy.
   */
  readonly hasServed: boolean;
}

/**
 * Installs the previous version again, restores its data and starts it. Never throws: the result says whether the
 * return to the previous version succeeded. If the return fails, starts whichever version is then installed.
 */
export async function rollBack(
  change: Change,
  before: MasterBefore,
  failure: Failure,
): Promise<ChangeResult> {
  const { target, kept, candidate, record } = change;
  const { why, stopped } = failure;
  const log = stopped === null ? [] : await readLog(stopped.wallClock);
  const { version } = candidate.facts;
  try {
    if (stopped !== null) await stopFailedMaster();
    // Frees space, because the new version may have failed on a full disk.
    await removeWork(target.packaging);
    await target.packaging.goBack(kept.package, kept.mark);
    const restored = stopped === null ? [] : await restore(change, failure);
    const pauseMs = await startAgain(change, before, failure);
    const detail = [
      `Version ${kept.version} is installed again.`,
      ...(restored.length === 0 ? [] : [`Restored: ${restored.join(', ')}.`]),
    ].join(' ');
    await record.step({ step: 'return', status: 'done', detail });
    const details = { version, before: kept.version, why };
    return { returned: true, pauseMs, error: toWire(new OverworldError('UPGRADE_RETURNED', details)), log };
  } catch (error) {
    await startMasterUnit().catch(() => undefined);
    const whyNotBack = failureReason(error);
    const details = { version, before: kept.version, why, whyNotBack, folder: kept.folder };
    const stuck = new OverworldError('UPGRADE_STUCK', details);
    await record.step({ step: 'return', status: 'failed', detail: stuck.message });
    return { returned: false, pauseMs: null, error: toWire(stuck), log };
  }
}

/**
 * Restores the files that the new version has changed, according to {@link planRestore}.
 *
 * @returns the paths of the files that were restored or removed
 */
async function restore({ target, kept }: Change, { hasServed }: Failure): Promise<string[]> {
  const { data, as } = target;
  if (!existsSync(kept.data)) return [];
  const changed = await findChanges(data, kept.data, as);
  if (changed.length === 0) return [];
  const problems = await checkWith(PROGRAM, data, as);
  const faulty = new Set(unusableFiles(problems));
  const files = changed.map((path) => ({ path, isReadable: !faulty.has(path) }));
  const decisions = planRestore(files, { hasServed });
  await restoreData({ data, copy: kept.data }, decisions, as);
  return decisions.filter(({ action }) => action !== 'leave').map(({ path }) => path);
}

/**
 * Starts the previous version again if it was running before.
 *
 * @returns the pause of the control loop (ms); null if it is unknown
 * @throws Error if the previous version served before the change but does not serve now
 */
async function startAgain(
  { target, programs }: Change,
  before: MasterBefore,
  { stopped }: Failure,
): Promise<number | null> {
  if (stopped === null || !before.wasOn) return null;
  await startMasterUnit();
  if (before.answer === null) return null;
  // Nodes may have become unreachable meanwhile. The previous version must not fail because of this.
  const demand = {
    version: programs.before,
    mustSync: false,
    nodes: [],
    mustServeSsh: before.answer.sshReady,
  };
  const outcome = await watchStart({ data: target.data, since: stopped.at, demand });
  if (outcome.why !== null) throw new Error(outcome.why);
  return outcome.decidingAfterMs ?? monotonicMs() - stopped.at;
}
