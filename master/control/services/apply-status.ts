import { OverworldError } from '#shared/errors/overworld-error.ts';
import { isUp } from '#shared/model/service.ts';
import { nextState } from '#master/core/next-state.ts';
import { ranMs } from './fail.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { Feed } from '#master/state/context/feed.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import { currentAnswer, type PingState } from '#master/state/pings/pinger.ts';
import { lastUpOf, type ServiceRecord } from '#master/state/services/records.ts';
import { STABLE_MS } from '#master/state/services/start-backoffs.ts';
import { emitServiceEvent } from '#master/state/feed/emit-event.ts';
import { mayReportUse } from '../feed/use-events.ts';
import { presenceOf } from '#master/ingress/presence.ts';

/**
 * Updates the record of a running service from its latest ping and from its plugin: state, players, plugin, last
 * failure, and whether it is unresponsive. Writes events for changes. Saves nothing.
 *
 * @param ping null if no ping was sent yet
 */
export function applyStatus(
  record: ServiceRecord,
  ping: PingState | null,
  context: Pick<Environment, 'now' | 'limits'> &
    Pick<NodeAccess, 'nodeBackoff'> &
    Pick<ServiceStores, 'records'> &
    Pick<IngressAccess, 'link'> &
    Pick<Feed, 'events'>,
): void {
  const answer = ping === null ? null : currentAnswer(ping, context.now());
  const presence = presenceOf(record, answer, context);
  const known = answer === null && !hasStarted(record) ? null : presence;
  const next = nextState(record.state, { process: 'alive', answer: known });
  const declaredBefore = record.declaredInUse;
  if (presence !== null && !isSame(presence.players, record.players)) record.players = presence.players;
  if (presence !== null) record.declaredInUse = presence.declaredInUse;
  record.plugin = context.link.reportOf(record.id)?.plugin ?? null;
  if (next !== 'gone') enter(record, { next, declaredBefore }, context);
  // The times may be in the future, because the clock was set back. The service, or the one that it replaces, would then
  // stay for too long.
  if (record.unusedSince !== null) record.unusedSince = Math.min(record.unusedSince, context.now());
  if (record.upAt !== null) record.upAt = Math.min(record.upAt, context.now());
  if (hasRecovered(record, context.now())) record.failure = null;
  judgeSilence(record, ping?.silentSince ?? null, context);
}

/**
 * Reports whether the service is known to have started, without regard to its latest ping. Normally, only an answered
 * ping proves a start, to this master or to an earlier one. For a service that answers no pings, its plugin or its log
 * proves it. After the start, the plugin's report of the players is enough: a server that hangs while the master
 * restarts keeps its state, so that its start does not time out while players are on it.
 */
function hasStarted(record: ServiceRecord): boolean {
  return isUp(record) || record.startSeen || lastUpOf(record) !== null;
}

/**
 * Reports whether the service has been up long enough for its last failure to be cleared. A short uptime is not
 * enough, because in a crash loop, every attempt comes up and fails again.
 */
function hasRecovered(record: ServiceRecord, now: number): boolean {
  return record.failure !== null && isUp(record) && (ranMs(record, now) ?? 0) > STABLE_MS;
}

function isSame(a: ServiceRecord['players'], b: ServiceRecord['players']): boolean {
  return a.online === b.online && a.max === b.max;
}

/** Changes the state of a running service and writes an event. */
function enter(
  record: ServiceRecord,
  { next, declaredBefore }: { readonly next: ServiceRecord['state']; readonly declaredBefore: string | null },
  context: Pick<Environment, 'now'> & Pick<NodeAccess, 'nodeBackoff'> & Pick<Feed, 'events'>,
): void {
  if (next === record.state) return;
  const now = context.now();
  const before = record.state;
  record.state = next;
  const last = before === 'STARTING' ? lastUpOf(record) : null;
  const since = last?.state === next ? Math.min(last.since, now) : now;
  record.since = since;
  record.unusedSince = next === 'RUNNING' ? since : null;
  record.upAt ??= upSince(last, now);
  noteUp(record);
  // A service that is up and not being stopped has completed its restart. A service that still has to stop for its
  // restart is up, too, but its restart is not complete.
  if (record.stopping === null) record.restarting = false;
  record.wasUp ||= record.manual;
  if (next === 'RUNNING' && before === 'STARTING') {
    if (record.node !== null) context.nodeBackoff.recovered(record.node, record.template);
    const message = `${record.id} is running and can be joined`;
    const { startedAt, adoptedAt, startSeen } = record;
    const how = startSeen ? 'its plugin or its log reported it' : 'it answered';
    const cause =
      startedAt === null || adoptedAt !== null
        ? 'it answered after the takeover'
        : `${how} after ${((now - startedAt) / 1000).toFixed(1)} s`;
    emitServiceEvent(context.events, record, { kind: 'service.running', message, cause });
  } else emitUseEvent(record, { next, declaredBefore }, context);
}

/**
 * Returns since when the process of a service is up.
 *
 * @param last what was stored when the same process was last observed up; null if it comes up only now
 */
function upSince(last: ServiceRecord['lastUp'], now: number): number {
  return last === null ? now : Math.min(last.upAt ?? last.since, now);
}

/** Stores the state and the times of a service that is up, so that the next master can continue with them. */
function noteUp(record: ServiceRecord): void {
  const { startedAt, state, since, unusedSince, upAt } = record;
  if (startedAt === null || upAt === null || (state !== 'RUNNING' && state !== 'IN_USE')) return;
  record.lastUp = { startedAt, state, since, unusedSince, upAt };
}

/** Writes an event that a service is now in use, or is empty again. */
function emitUseEvent(
  record: ServiceRecord,
  { next, declaredBefore }: { readonly next: ServiceRecord['state']; readonly declaredBefore: string | null },
  { events, now }: Pick<Environment, 'now'> & Pick<Feed, 'events'>,
): void {
  if (next !== 'RUNNING' && next !== 'IN_USE') return;
  const suppressed = mayReportUse(record, now());
  if (suppressed === null) return;
  const before = suppressed === 0 ? '' : `; changed ${suppressed} times since the last event`;
  if (next === 'RUNNING') {
    const message = `${record.id} is empty again`;
    const cause =
      declaredBefore === null
        ? 'the last player left'
        : `its plugin reports that it is no longer in use (${declaredBefore})`;
    emitServiceEvent(events, record, { kind: 'service.running', message, cause: cause + before });
    return;
  }
  const { players, declaredInUse } = record;
  const message = `${record.id} is in use`;
  let cause = 'it was in use before the restart of the master';
  if (players.online > 0) cause = `${players.online} of ${players.max} players are on it`;
  else if (declaredInUse !== null) cause = `its plugin reports: ${declaredInUse}`;
  emitServiceEvent(events, record, { kind: 'service.in-use', message, cause: cause + before });
}

/** Marks a service as unresponsive if its process runs but has not answered for too long. */
function judgeSilence(
  record: ServiceRecord,
  silentSince: number | null,
  context: Pick<Environment, 'now' | 'limits'> & Pick<Feed, 'events'>,
): void {
  // A service that answers no pings is always silent, so its silence is no sign of a failure.
  const answersPings = record.placed?.statusOff !== true;
  record.silentSince = isUp(record) && answersPings ? silentSince : null;
  const forMs = record.silentSince === null ? 0 : context.now() - record.silentSince;
  const unresponsive = forMs > 0 && forMs >= context.limits.unresponsiveAfterMs;
  if (unresponsive && !record.unresponsive) {
    const { message } = new OverworldError('SERVICE_UNRESPONSIVE', { service: record.id, forMs });
    emitServiceEvent(context.events, record, {
      kind: 'service.unresponsive',
      message,
      cause: 'it does not answer status pings',
    });
  }
  record.unresponsive = unresponsive;
}
