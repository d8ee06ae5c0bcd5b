import { hasCode, type OverworldError } from '#shared/errors/overworld-error.ts';
import { toWire } from '#shared/errors/wire.ts';
import type { Exit, Runtime } from '#master/runtime/runtime.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { pausedBy } from '#master/core/placement/choose-node.ts';
import type { Overrides } from '#master/state/overrides/overrides.ts';
import { backToRequested, noteFailure, type ServiceRecord } from '#master/state/services/records.ts';
import { keepDataOf, mayKeep } from '../volumes/keep-data.ts';
import { isForTemplateOnly, isNodeFault } from './start-fault.ts';
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

type Known = Pick<Documents, 'config' | 'overrides'> &
  Pick<Environment, 'now' | 'log'> &
  Pick<NodeAccess, 'runtimeOf' | 'nodeBackoff'> &
  Pick<ServiceStores, 'records' | 'startBackoffs' | 'volumes'> &
  Pick<Feed, 'events'>;

/**
 * Counts and reports the failure of a service, and puts the service back to REQUESTED. If its node was at fault, it is
 * tried on another node immediately; otherwise it waits for the template's back-off. Its process must have exited.
 *
 * @throws OverworldError of the node, if the last log lines cannot be read; nothing is changed then. As documented for
 * {@link clearFailed}, which must then be repeated; the failure is already reported then
 */
export async function fail(record: ServiceRecord, failure: Failure, context: Known): Promise<void> {
  const { error, exit = null } = failure;
  if (record.node !== null) await readFailureLog(record, record.node, context);
  const { attempts, next } = countFailure(record, failure, context);
  const hasData = record.node !== null && mayKeep(record, context);
  const retry = hasData ? `${next}, but not before its data is saved` : next;
  const cause = `attempt ${attempts}; ${whyNotAgain(record, context) ?? retry}`;
  record.failure = { at: context.now(), error: toWire(error), attempts };
  noteFailure(record, context.now());
  emitServiceEvent(context.events, record, { kind: 'service.failed', message: error.message, cause });
  await clearFailed(record, { cause: error.message, exit }, context);
}

async function readFailureLog(
  record: ServiceRecord,
  node: string,
  { runtimeOf }: Pick<NodeAccess, 'runtimeOf'>,
): Promise<void> {
  record.failureLog = await runtimeOf(node).tailLog(record.id, FAILURE_LOG_LINES);
}

/**
 * Saves the data of a service whose failure is reported, and removes its files from its node. From then on, the
 * service waits for its next start.
 *
 * @throws DataUnsaved if the persistent files cannot be stored; OverworldError of the node. The service then stays on
 * its node. OverworldError DISK_FULL, DATA_FOLDER_UNSAFE or MASTER_ENDING if the changed records cannot be stored
 */
export async function clearFailed(
  record: ServiceRecord,
  { cause, exit }: { readonly cause: string; readonly exit: Exit | null },
  context: Known,
): Promise<void> {
  const { node } = record;
  if (node !== null) {
    // An earlier master may have reported the failure.
    if (record.failureLog.length === 0) await readFailureLog(record, node, context);
    if (mayKeep(record, context)) await keepDataOf(record, { node, cause, exit }, context);
    // An admin has accepted the loss of the service's data in the meantime.
    if (record.node !== node) return;
    await forgetIfReached(record, context.runtimeOf(node), context);
  }
  backToRequested(record, context.now());
  await context.records.save();
}

/**
 * Returns why the planner does not start a failed service again, as a phrase for the activity log. Null if it does. A
 * restart that a person has requested is repeated even if automation is paused (docs/scaling.md#restart-one-service).
 */
export function whyNotAgain(
  record: Pick<
    ServiceRecord,
    'template' | 'held' | 'draining' | 'restarting' | 'stopping' | 'manual' | 'wasUp'
  >,
  { overrides }: { readonly overrides: Pick<Overrides, 'isTemplateHeld' | 'leavingOf'> },
): string | null {
  const { template, draining, restarting } = record;
  if (record.stopping !== null && !restarting) return 'it is being stopped, so it is not retried';
  const by = restarting ? null : pausedBy(record, { held: overrides.isTemplateHeld(template) });
  if (by === 'service') return 'its automation is paused, so it is not retried';
  if (overrides.leavingOf(template) !== null) return 'its template is being deleted, so it is not retried';
  if (restarting) return null;
  if (draining !== null) return 'it is being drained, so it is not retried';
  return by === 'template' ? 'automation of its template is paused, so it is not retried' : null;
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
    const begunAt = record.upAt === null ? { begunAt: record.since } : {};
    const attempts = startBackoffs.count(template, now, { ...attempt, ...begunAt });
    const waitS = seconds(startBackoffs.retryAt(template));
    return { attempts, next: waitS === 0 ? 'retried immediately' : `retried in ${waitS} s` };
  }
  const concernsOnlyTemplate = isForTemplateOnly(error);
  const failure = { node, template, begunAt: record.since, reason: error.message, concernsOnlyTemplate };
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
