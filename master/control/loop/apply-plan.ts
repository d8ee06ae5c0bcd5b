import type { WaitReason } from '#shared/model/wait.ts';
import type { Action, ActionOf, Plan } from '#master/core/action.ts';
import { placeOn, type Start } from '../services/start.ts';
import { markStopping } from '../services/stop.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import type { Feed } from '#master/state/context/feed.ts';
import { isUnconfirmed, type ServiceRecord } from '#master/state/services/records.ts';
import { isSameWait } from './plan-status.ts';
import { emitServiceEvent } from '#master/state/feed/emit-event.ts';

/**
 * Applies the service actions of a plan to the records, synchronously: adds the requested services, places the
 * services to start, and marks the services to stop. Saves nothing.
 *
 * @param isSpared reports whether to leave a service unchanged despite the plan, because an action is in progress for
 * it or its template is missing for a moment
 * @returns the starts to begin once the records are saved
 */
export function applyPlan(
  actions: readonly Action[],
  isSpared: (record: ServiceRecord) => boolean,
  context: Documents &
    Pick<Environment, 'now'> &
    Pick<ServiceStores, 'records'> &
    Pick<IngressAccess, 'balancer' | 'supplies' | 'proxies'> &
    Pick<Feed, 'events'>,
): Start[] {
  const starts: Start[] = [];
  for (const action of actions) {
    if (action.kind === 'request') request(action, context);
    if (action.kind !== 'start' && action.kind !== 'stop') continue;
    const record = context.records.get(action.service);
    if (record === undefined || isSpared(record)) continue;
    const { cause } = action;
    if (action.kind === 'start') {
      const config = placeOn(action.node, record, context);
      if (config !== null) starts.push({ record, config, cause });
    } else if (!isUnconfirmed(record)) {
      markStopping(record, { cause }, context);
    }
  }
  return starts;
}

function request(
  { service, template, cause }: ActionOf<'request'>,
  { records, events, now }: Pick<Environment, 'now'> & Pick<ServiceStores, 'records'> & Pick<Feed, 'events'>,
): void {
  const record = records.add({ id: service, template, requestedAt: now(), cause, manual: false });
  emitServiceEvent(events, record, { kind: 'service.requested', message: `${service} was requested` });
}

/**
 * Stores on each service why it waits, for display. Writes an event for a new reason, unless the wait is short or its
 * cause was already reported.
 */
export function storeWaitReasons(
  { waiting }: Pick<Plan, 'waiting'>,
  { records, events }: Pick<ServiceStores, 'records'> & Pick<Feed, 'events'>,
): void {
  for (const record of records.all) {
    const wait = waiting.get(record.id) ?? null;
    // Keeps the existing object. Otherwise, 10,000 services could hold 10,000 copies of the same sentences.
    if (isSameWait(record.waiting, wait)) continue;
    const before = record.waiting?.reason;
    record.waiting = wait;
    if (wait === null || wait.reason === before || PASSING.has(wait.reason)) continue;
    emitServiceEvent(events, record, {
      kind: 'service.waiting',
      message: `${record.id} cannot start yet`,
      cause: wait.message,
    });
  }
}

/**
 * Wait reasons that cause no event, because the wait is short or its cause (a pause, an order) was already
 * reported.
 */
const PASSING: ReadonlySet<string> = new Set<WaitReason>([
  'START_BUDGET',
  'FILES_CHANGING',
  'BACKING_OFF',
  'HELD',
  'NODE_ON_ITS_WAY',
]);
