import type { TemplateId } from '#shared/model/template.ts';
import { answers, type NodeId, type NodeSnapshot, type ServiceSnapshot } from './snapshot.ts';
import type { Counts } from './counts.ts';
import { chooseSurgeBatch } from '../scaling/surge-batch.ts';

/**
 * Why a service has to go. What is on a `lost` node (or one that is being deleted) serves nobody any more; all others
 * serve until they are replaced: on a node that a person (`drained`) or a rule (`spared`) empties, `retiring` as a
 * person has it replaced and its turn has come, or `deleted` with its template. One that is `draining` by itself takes no
 * more players, so it is replaced at once; no rule stops it.
 */
export type Leaving = 'lost' | 'drained' | 'spared' | 'retiring' | 'deleted' | 'draining';

/** What decides which services leave. */
export interface Marks {
  readonly nodes: readonly NodeSnapshot[];
  /** Services on a node. */
  readonly onNode: (id: NodeId) => readonly ServiceSnapshot[];
  /** Services of each template, those that a person has replaced among them. */
  readonly rolling: Iterable<readonly [TemplateId, Rolling]>;
  /** Services of templates that go. */
  readonly deleted: readonly ServiceSnapshot[];
}

/** Services of one template; none that is stopping. */
export interface Rolling {
  readonly counts: Counts;
  /** Those that a person has replaced or drained. */
  readonly retiring: readonly ServiceSnapshot[];
}

/** Which services have to go, and why; none that stays. Looks at what is marked only: in most rounds nothing is. */
export function findLeaving(marks: Marks): Map<ServiceSnapshot, Leaving> {
  const leaving = findOnMarkedNodes(marks);
  const lost = countLost(leaving);
  for (const [template, { counts, retiring }] of marks.rolling) {
    if (retiring.length === 0) continue;
    const draining = retiring.filter((one) => one.draining && leaving.get(one) !== 'lost');
    for (const service of draining) leaving.set(service, 'draining');
    // What leaves anyway needs no turn.
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

function findOnMarkedNodes({ nodes, onNode }: Marks): Map<ServiceSnapshot, Leaving> {
  const leaving = new Map<ServiceSnapshot, Leaving>();
  for (const node of nodes) {
    const why = whyLeft(node);
    if (why === null) continue;
    for (const service of onNode(node.id)) {
      // What begins again does that elsewhere, from the newest; on a lost node it never ends.
      if (why === 'lost' || !service.restarting) leaving.set(service, why);
    }
  }
  return leaving;
}

function whyLeft({ state, drainedByRules }: NodeSnapshot): Leaving | null {
  if (state === 'LOST' || state === 'DELETING') return 'lost';
  if (state === 'DRAINING') return drainedByRules ? 'spared' : 'drained';
  return null;
}

/** Of each template those that count as answering, and are on lost nodes. */
function countLost(leaving: ReadonlyMap<ServiceSnapshot, Leaving>): ReadonlyMap<TemplateId, number> {
  const lost = new Map<TemplateId, number>();
  for (const [service, why] of leaving) {
    if (why !== 'lost' || !answers(service) || service.stopping) continue;
    lost.set(service.template, (lost.get(service.template) ?? 0) + 1);
  }
  return lost;
}
