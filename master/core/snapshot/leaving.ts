import type { TemplateId } from '#shared/model/template.ts';
import { answers, type NodeId, type NodeSnapshot, type ServiceSnapshot } from './snapshot.ts';
import type { Counts } from './counts.ts';
import { chooseSurgeBatch } from '../scaling/surge-batch.ts';

/**
 * Why a service has to leave:
 *
 * - `lost`: its node is lost or being deleted, so the service no longer serves players.
 * - `drained`: a person drains its node.
 * - `spared`: a rule drains its node to save money.
 * - `retiring`: a person requested the replacement of the service, and the rolling restart has reached it.
 * - `deleted`: its template is being deleted.
 * - `draining`: a person drains the service itself. It accepts no new players, so its replacement starts at once. The
 *   scaling rules never stop it.
 *
 * Except for `lost` and `draining`, the service accepts new players while no other service has room for them.
 */
export type LeavingReason = 'lost' | 'drained' | 'spared' | 'retiring' | 'deleted' | 'draining';

/** Facts that decide which services leave. */
export interface LeavingFacts {
  readonly nodes: readonly NodeSnapshot[];
  /** Returns the services on a node. */
  readonly onNode: (id: NodeId) => readonly ServiceSnapshot[];
  /** For each template, the counts of its services, and the services that a person replaces or drains. */
  readonly rolling: Iterable<readonly [TemplateId, TemplateServices]>;
  /** Services of templates that are being deleted. */
  readonly deleted: readonly ServiceSnapshot[];
}

/** Services of one template, without those that are stopping. */
export interface TemplateServices {
  readonly counts: Counts;
  /** Services that a person replaces or drains. */
  readonly retiring: readonly ServiceSnapshot[];
}

/**
 * Returns the services that have to leave now, with the reason. Of the services that a person replaces, only the
 * current batch leaves; see {@link chooseSurgeBatch}.
 */
export function findLeaving(marks: LeavingFacts): Map<ServiceSnapshot, LeavingReason> {
  const leaving = findOnMarkedNodes(marks);
  const lost = countLost(leaving);
  for (const [template, { counts, retiring }] of marks.rolling) {
    if (retiring.length === 0) continue;
    const draining = retiring.filter((one) => one.draining && leaving.get(one) !== 'lost');
    for (const service of draining) leaving.set(service, 'draining');
    // A service that leaves for another reason does not take a place in the batch of the rolling restart.
    const candidates = leaving.size === 0 ? retiring : retiring.filter((one) => !leaving.has(one));
    const answering = counts.answering - (lost.get(template) ?? 0) - draining.filter(answers).length;
    for (const service of chooseSurgeBatch(candidates, answering)) leaving.set(service, 'retiring');
  }
  for (const service of marks.deleted) {
    const why = leaving.get(service);
    if (why !== 'lost' && why !== 'draining') leaving.set(service, 'deleted');
  }
  return leaving;
}

function findOnMarkedNodes({ nodes, onNode }: LeavingFacts): Map<ServiceSnapshot, LeavingReason> {
  const leaving = new Map<ServiceSnapshot, LeavingReason>();
  for (const node of nodes) {
    const why = whyLeft(node);
    if (why === null) continue;
    for (const service of onNode(node.id)) {
      // A restarting service need not leave, because it starts again on another node from the newest revision. On a
      // lost node, it cannot be stopped for the restart, so it leaves.
      if (why === 'lost' || !service.restarting) leaving.set(service, why);
    }
  }
  return leaving;
}

function whyLeft({ state, drainedByRules }: NodeSnapshot): LeavingReason | null {
  if (state === 'LOST' || state === 'DELETING') return 'lost';
  if (state === 'DRAINING') return drainedByRules ? 'spared' : 'drained';
  return null;
}

/** Counts, for each template, the answering services that are on lost nodes. */
function countLost(leaving: ReadonlyMap<ServiceSnapshot, LeavingReason>): ReadonlyMap<TemplateId, number> {
  const lost = new Map<TemplateId, number>();
  for (const [service, why] of leaving) {
    if (why !== 'lost' || !answers(service) || service.stopping) continue;
    lost.set(service.template, (lost.get(service.template) ?? 0) + 1);
  }
  return lost;
}
