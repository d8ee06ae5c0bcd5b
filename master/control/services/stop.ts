import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import { backToRequested, isRequestedAgain, type ServiceRecord } from '#master/state/services/records.ts';
import { timeLimitsOf } from '#master/state/services/time-limits.ts';
import { keepDataOf, mayKeep } from '../volumes/keep-data.ts';
import { describeExit } from './exit.ts';
import { OVERWORLD, emitServiceEvent } from '#master/state/feed/emit-event.ts';

/** Maximum time that a stopping proxy waits for the load balancer to stop sending new players to it (ms). */
const CLOSED_WITHIN_MS = 2_000;

/** Reason for a stop, and the person who requested it. If there is no person, the master's own rules requested it. */
export interface StopReason {
  readonly cause: string;
  readonly actor?: string;
}

/**
 * Marks a service as stopping, and writes an event. The caller saves the records and then calls {@link endService}.
 * If the service is already marked, the first cause remains. A pending restart is an exception: it is cancelled, and
 * the service stops for good with the new cause.
 */
export function markStopping(
  record: ServiceRecord,
  why: StopReason,
  context: Pick<Environment, 'now'> & Pick<Feed, 'events'>,
): void {
  const { cause, actor = OVERWORLD } = why;
  if (record.stopping !== null && !record.restarting) return;
  record.restarting = false;
  record.draining = null;
  record.stopping = { since: record.stopping?.since ?? context.now(), cause };
  record.waiting = null;
  const message = `${record.id} is being stopped`;
  emitServiceEvent(context.events, record, { kind: 'service.stopping', message, cause, actor });
}

/**
 * Marks a service as stopping for a restart, and writes an event. The service must have a process. Does nothing if a
 * restart is already pending. The caller saves the records.
 */
export function markRestarting(
  record: ServiceRecord,
  { cause, actor = OVERWORLD }: StopReason,
  context: Pick<Environment, 'now'> & Pick<Feed, 'events'>,
): void {
  if (record.restarting && record.stopping !== null) return;
  record.restarting = true;
  record.stopping = { since: record.stopping?.since ?? context.now(), cause };
  const message = `${record.id} is being restarted`;
  emitServiceEvent(context.events, record, { kind: 'service.restarting', message, cause, actor });
}

/**
 * Stops a service that is marked as stopping. Waits until its processes have verifiably exited and its persistent
 * files are stored. Then removes its files from the node. Also removes its record, unless the service restarts or is
 * paused: its record then stays, with the state REQUESTED.
 *
 * @param kill whether to stop it without giving it time to save
 * @throws DataUnsaved if its files cannot be stored; OverworldError NODE_UNREACHABLE; DISK_FULL or DATA_FOLDER_UNSAFE
 * if the records cannot be stored
 */
export async function endService(
  record: ServiceRecord,
  kill: boolean,
  context: Pick<Documents, 'config'> &
    Pick<Environment, 'now' | 'log'> &
    Pick<NodeAccess, 'runtimeOf'> &
    Pick<ServiceStores, 'records' | 'volumes'> &
    Pick<IngressAccess, 'balancer'> &
    Pick<Feed, 'events'>,
): Promise<void> {
  const cause = record.stopping?.cause ?? 'it was stopped';
  if (record.node === null) vanish(record, { how: 'before it was started', cause }, context);
  else {
    let how = 'before it was started';
    const { node } = record;
    const runtime = context.runtimeOf(node);
    if (!kill && record.placed?.values.isProxy === true)
      await context.balancer.closed(record.id, CLOSED_WITHIN_MS);
    const graceMs = kill ? 0 : timeLimitsOf(record, context).stopGraceMs;
    const exit = await runtime.stop(record.id, { graceMs });
    if (exit !== null) how = describeExit(exit);
    if (mayKeep(record, context)) await keepDataOf(record, { node, cause, exit }, context);
    // An admin has accepted the loss of the service's data in the meantime.
    if (record.node !== node) return;
    await runtime.forget(record.id);
    handleExit(record, { how, cause }, context);
  }
  // The records are saved only after the stop is reported, because the service has stopped even if this cannot be
  // stored. If the master has closed its files, the next master observes the exit.
  if (!context.records.closed) await context.records.save();
}

/** How a service exited, and why. */
export interface ServiceExit {
  readonly how: string;
  readonly cause: string;
}

/**
 * Handles the exit of a service's process. Removes the service's record, unless the service restarts or is paused.
 * Such a service is requested again and still counts, so that no replacement starts. If it is paused, it then waits
 * until a person resumes it.
 */
export function handleExit(
  record: ServiceRecord,
  end: ServiceExit,
  context: Pick<Environment, 'now'> & Pick<ServiceStores, 'records'> & Pick<Feed, 'events'>,
): void {
  if (!isRequestedAgain(record)) {
    vanish(record, end, context);
    return;
  }
  backToRequested(record, context.now());
  const then = record.restarting ? 'it starts again' : 'its automation is paused, so it is not replaced';
  const message = `${record.id} has stopped (${end.how}); ${then}`;
  emitServiceEvent(context.events, record, { kind: 'service.stopped', message, cause: end.cause });
}

function vanish(
  record: ServiceRecord,
  { how, cause }: ServiceExit,
  context: Pick<ServiceStores, 'records'> & Pick<Feed, 'events'>,
): void {
  context.records.remove(record.id);
  emitServiceEvent(context.events, record, {
    kind: 'service.stopped',
    message: `${record.id} has stopped (${how})`,
    cause,
  });
}
