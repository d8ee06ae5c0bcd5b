import { hasCode, type OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import type { Parts } from './parts.ts';
import { backToRequested, type ServiceRecord } from './records.ts';
import { tell } from './tell.ts';

/** Lines of a failed attempt's log that are shown with it (design 4). */
export const FAILURE_LOG_LINES = 200;

/**
 * A service failed: it goes back to REQUESTED and is tried again after the template's back-off. Its process is gone
 * already, or was never there.
 */
export async function fail(record: ServiceRecord, error: OverworldError, parts: Parts): Promise<void> {
  const now = parts.now();
  const attempts = parts.setbacks.count(record.template, now, ranMs(record, now));
  if (record.node !== null) {
    const runtime = parts.runtimeOf(record.node);
    record.failureLog = await runtime.tailLog(record.id, FAILURE_LOG_LINES);
    await forgetIfReached(record, runtime, parts);
  }
  record.failure = { at: now, error: toWire(error), attempts };
  backToRequested(record, now);
  const retryAt = parts.setbacks.retryAt(record.template) ?? now;
  const next = record.held
    ? 'it is held, so no rule tries again'
    : `tried again in ${Math.round((retryAt - now) / 1000)} s`;
  const cause = `attempt ${attempts}; ${next}`;
  tell(parts.events, record, { kind: 'service.failed', message: error.message, cause });
  await parts.records.save();
}

/** What is left on a node that cannot be reached now is cleared away when it is seen there again. */
async function forgetIfReached(
  { id, node }: ServiceRecord,
  runtime: Pick<Runtime, 'forget'>,
  { log }: Pick<Parts, 'log'>,
): Promise<void> {
  try {
    await runtime.forget(id);
  } catch (error) {
    if (!hasCode(error, 'NODE_UNREACHABLE')) throw error;
    log.warn({ err: error, service: id, node }, 'what is left of a service could not be cleared away yet');
  }
}

/** How long a service has been up, ms; 0 when it never was. */
export function ranMs({ upAt }: Pick<ServiceRecord, 'upAt'>, now: number): number {
  return upAt === null ? 0 : now - upAt;
}
