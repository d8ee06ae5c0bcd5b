import { setTimeout as delay } from 'node:timers/promises';
import { Deadline, monotonicMs } from '#shared/node/clock.ts';
import {
  isDeciding,
  isServing,
  judgeStart,
  type StartDemand,
  type MasterObservation,
} from './decide/judge-start.ts';
import { askReadiness, readState } from './master-unit.ts';

/** Interval between two requests to the master (ms). It limits the precision with which the pause is measured. */
const LOOK_AGAIN_MS = 50;

/** Interval between two checks of the unit (ms). Each check starts a process. */
const UNIT_EVERY_MS = 500;

/** Result of a start. */
export interface StartOutcome {
  /** Why the master is not good, as the end of a sentence. Null if it is good. */
  readonly why: string | null;
  /** Time from `since` until the master first made decisions (ms). Null if it never did. */
  readonly decidingAfterMs: number | null;
  /** Whether the master has answered on its local socket at least once. */
  readonly hasServed: boolean;
}

/**
 * Watches a started master until it is good or bad.
 *
 * @param options.since start of the measured times, on the monotonic clock (ms)
 */
export async function watchStart({
  data,
  since,
  demand,
}: {
  readonly data: string;
  readonly since: number;
  readonly demand: StartDemand;
}): Promise<StartOutcome> {
  const startedAt = monotonicMs();
  let good = null as { readonly since: number; readonly pid: number } | null;
  let decidingAfterMs: number | null = null;
  let hasServed = false;
  let state = await readState();
  const unitDue = new Deadline();
  unitDue.set(UNIT_EVERY_MS);
  for (;;) {
    const answer = await askReadiness(data);
    // Read after the answer, so that the time includes the request.
    const now = monotonicMs();
    if (unitDue.isOver) {
      state = await readState();
      unitDue.set(UNIT_EVERY_MS);
    }
    const { pid, ...unit } = state;
    hasServed ||= answer !== null;
    const observed: MasterObservation = {
      elapsedMs: now - startedAt,
      unit,
      answer,
      goodForMs: good?.pid === pid ? now - good.since : null,
    };
    if (!isServing(observed, demand)) good = null;
    else if (good?.pid !== pid) good = { since: now, pid };
    if (isDeciding(observed, demand)) decidingAfterMs ??= now - since;
    const verdict = judgeStart(observed, demand);
    if (verdict.kind === 'good') return { why: null, decidingAfterMs, hasServed };
    if (verdict.kind === 'bad') return { why: verdict.why, decidingAfterMs, hasServed };
    await delay(LOOK_AGAIN_MS);
  }
}
