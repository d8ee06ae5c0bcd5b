import type { Parts } from '../parts.ts';
import type { ServiceRecord } from '../records.ts';
import { describeExit } from '../exit.ts';
import { OVERWORLD, tell } from '../tell.ts';

/** Why a service is to end, and who says so (by default the master's own rules). */
export interface Why {
  readonly cause: string;
  readonly actor?: string;
}

/** Marks a service as to be ended; the caller saves, then ends it with {@link endService}. Marking twice keeps the first cause. */
export function markStopping(record: ServiceRecord, why: Why, parts: Pick<Parts, 'now' | 'events'>): void {
  if (record.stopping !== null) return;
  const { cause, actor = OVERWORLD } = why;
  record.stopping = { since: parts.now(), cause };
  record.waiting = null;
  const message = `${record.id} is being stopped`;
  tell(parts.events, record, { kind: 'service.stopping', message, cause, actor });
}

/**
 * Ends a marked service and forgets it once its processes are proven gone.
 *
 * @param kill without time to save
 */
export async function endService(record: ServiceRecord, kill: boolean, parts: Parts): Promise<void> {
  const cause = record.stopping?.cause ?? 'it was asked to end';
  let how = 'before it was started';
  if (record.node !== null) {
    const runtime = parts.runtimeOf(record.node);
    const exit = await runtime.stop(record.id, { graceMs: kill ? 0 : parts.limits.stopGraceMs });
    if (exit !== null) how = describeExit(exit);
    await runtime.forget(record.id);
  }
  parts.records.remove(record.id);
  // Told first: it has happened, whether or not that can be stored.
  tell(parts.events, record, {
    kind: 'service.stopped',
    message: `${record.id} has stopped (${how})`,
    cause,
  });
  await parts.records.save();
}
