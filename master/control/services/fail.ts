import { hasCode, type OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { Exit, Runtime } from '#master/runtime/runtime.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { backToRequested, type ServiceRecord } from '#master/state/services/records.ts';
import { keepDataOf, mayKeep } from '../volumes/keep-data.ts';
import { isNodeFault } from './start-fault.ts';
import { emitServiceEvent, emitNodeEvent } from '#master/state/feed/emit-event.ts';

/** Number of log lines that are shown with a failed attempt (docs/specification.md#service-states). */
export const FAILURE_LOG_LINES = 200;

/** Why a service failed. */
interface Failure {
  readonly error: OverworldError;
  /**
   * Whether the master failed on its own machine, for example because its disk is full. Any other node would then fail,
   * too, so the node is not at fault. Default false.
   */
  readonly isOnMaster?: boolean;
  /** How long the service's start took before it timed out (ms); missing for other failures. */
  readonly timedOutMs?: number;
  /** How the service's server exited. Missing if it is unknown, or if the server was not started. */
  readonly exit?: Exit | null;
}

/**
 * Puts a failed service back to REQUESTED. If its node was at fault, it is tried on another node immediately;
 * otherwise it waits for the template's back-off. Its process must have exited. Writes an event.
 *
 * @throws DataUnsaved if the persistent files cannot be stored. The service then stays unchanged, and the call must
 * be repeated. OverworldError DISK_FULL, DATA_FOLDER_UNSAFE or MASTER_ENDING if the changed records cannot be stored
 */
export async function fail(
  record: ServiceRecord,
  { error, isOnMaster = false, timedOutMs = 0, exit = null }: Failure,
  context: Pick<Documents, 'config'> &
    Pick<Environment, 'now' | 'log'> &
    Pick<NodeAccess, 'runtimeOf' | 'nodeBackoff'> &
    Pick<ServiceStores, 'records' | 'startBackoffs' | 'volumes'> &
    Pick<Feed, 'events'>,
): Promise<void> {
  const { node } = record;
  if (node !== null && mayKeep(record, context)) {
    await keepDataOf(record, { node, cause: error.message, exit }, context);
    if (record.node !== node) return;
  }
  const now = context.now();
  const { attempts, next } = countFailure(record, { error, isOnMaster, timedOutMs }, context);
  if (record.node !== null) {
    const runtime = context.runtimeOf(record.node);
    record.failureLog = await runtime.tailLog(record.id, FAILURE_LOG_LINES);
    await forgetIfReached(record, runtime, context);
  }
  record.failure = { at: now, error: toWire(error), attempts };
  const cause = `attempt ${attempts}; ${whyNotAgain(record) ?? next}`;
  backToRequested(record, now);
  emitServiceEvent(context.events, record, { kind: 'service.failed', message: error.message, cause });
  await context.records.save();
}

function whyNotAgain({ held, draining }: ServiceRecord): string | null {
  if (held) return 'its automation is paused, so it is not retried';
  return draining === null ? null : 'it is being drained, so it is not retried';
}

/**
 * Counts a failure against the node or against the template, depending on which of them caused it.
 *
 * @returns the number of failures in a row, and a phrase for the activity log about the next attempt
 */
export function countFailure(
  record: ServiceRecord,
  { error, isOnMaster = false, timedOutMs = 0 }: Failure,
  {
    startBackoffs,
    nodeBackoff,
    events,
    now: clock,
  }: Pick<Environment, 'now'> &
    Pick<NodeAccess, 'nodeBackoff'> &
    Pick<ServiceStores, 'startBackoffs'> &
    Pick<Feed, 'events'>,
): { readonly attempts: number; readonly next: string } {
  const now = clock();
  const { id, template, node } = record;
  const seconds = (retryAt: number | null | undefined): number =>
    Math.max(0, Math.round(((retryAt ?? now) - now) / 1000));
  if (node === null || isOnMaster || !isNodeFault(error)) {
    const attempt = { ranMs: ranMs(record, now), timedOutMs };
    const begunAt = isOnMaster ? { begunAt: record.since } : {};
    const attempts = startBackoffs.count(template, now, { ...attempt, ...begunAt });
    const waitS = seconds(startBackoffs.retryAt(template));
    return { attempts, next: waitS === 0 ? 'retried immediately' : `retried in ${waitS} s` };
  }
  const failure = { node, template, begunAt: record.since, reason: error.message };
  const attempts = nodeBackoff.count(failure, now);
  const retryAt = nodeBackoff.of(node).find((one) => one.template === template)?.retryAt;
  if (attempts === 1) {
    const message = `${node} could not start ${id}; services of template ${template} start on other nodes for now`;
    emitNodeEvent(events, node, { kind: 'node.failed', message, cause: error.message });
  }
  return { attempts, next: `retried on another node with room, or on ${node} in ${seconds(retryAt)} s` };
}

/**
 * Removes the service's files from its node. If the node is unreachable, the files are removed when it can be
 * observed again.
 */
async function forgetIfReached(
  { id, node }: ServiceRecord,
  runtime: Pick<Runtime, 'forget'>,
  { log }: Pick<Environment, 'log'>,
): Promise<void> {
  try {
    await runtime.forget(id);
  } catch (error) {
    if (!hasCode(error, 'NODE_UNREACHABLE')) throw error;
    log.warn({ err: error, service: id, node }, 'the remains of a service could not be removed yet');
  }
}

/**
 * Returns how long a service has been up (ms). Null if it never was.
 *
 * Example: up since 10:00:00, at 10:01:30 → 90,000.
 */
export function ranMs({ upAt }: Pick<ServiceRecord, 'upAt'>, now: number): number | null {
  return upAt === null ? null : now - upAt;
}
