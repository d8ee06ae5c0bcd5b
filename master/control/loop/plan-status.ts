import type { Keep } from '#shared/model/node.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Unmet, Wait } from '#shared/model/wait.ts';
import type { Topic } from '#shared/rpc/contract.ts';
import type { Plan } from '#master/core/action.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';

/**
 * Time for which a template must lack services before this is reported (ms), so that short waits do not fill the log.
 */
const TOLD_AFTER_MS = 3_000;

interface Lack {
  readonly reason: Wait['reason'];
  readonly since: number;
  readonly reported: boolean;
}

/**
 * The requests, orders and releases that the latest plan could not make, with the reasons. The app displays them
 * between rounds.
 */
export class PlanStatus {
  #unmet: Plan['unmet'] = new Map();
  #kept: Plan['kept'] = new Map();
  #noOrder: Wait | null = null;
  #lacks = new Map<TemplateId, Lack>();

  /**
   * Returns how many services of a template the rules require but cannot request, and why. Null if no service is
   * missing.
   */
  unmetOf(template: TemplateId): Unmet | null {
    return this.#unmet.get(template) ?? null;
  }

  /** Returns why a cloud node is not released. Null if it is released, or if it is not a cloud node. */
  keepOf(node: NodeId): Keep | null {
    return this.#kept.get(node) ?? null;
  }

  /** Reason why no node is ordered although one is needed; null otherwise. */
  get noOrder(): Wait | null {
    return this.#noOrder;
  }

  /**
   * Stores the results of a new plan.
   *
   * @returns the topics that are stale
   */
  update({ unmet, kept, noOrder }: Omit<Plan, 'actions' | 'waiting'>): Topic[] {
    const sameUnmet = isSameMap(
      this.#unmet,
      unmet,
      (a, b) => a.missing === b.missing && isSameWait(a.wait, b.wait),
    );
    const sameKept = isSameMap(this.#kept, kept, (a, b) => a.reason === b.reason && a.message === b.message);
    const sameOrder = isSameWait(this.#noOrder, noOrder);
    this.#unmet = unmet;
    this.#kept = kept;
    this.#noOrder = noOrder;
    return [
      ...(sameUnmet ? [] : ['templates' as const]),
      ...(sameKept && sameOrder ? [] : ['nodes' as const]),
    ];
  }

  /**
   * Returns the templates that have lacked services for at least 3 s for the same reason, each with that reason. A
   * template is returned only once, until its reason changes or it lacks no services any more.
   *
   * @param now ms since epoch
   */
  newLacks(now: number): { readonly template: TemplateId; readonly unmet: Unmet }[] {
    const lacks = new Map<TemplateId, Lack>();
    const reports: { template: TemplateId; unmet: Unmet }[] = [];
    for (const [template, unmet] of this.#unmet) {
      const { reason } = unmet.wait;
      const before = this.#lacks.get(template);
      const lack = before?.reason === reason ? before : { reason, since: now, reported: false };
      const due = !lack.reported && now - lack.since >= TOLD_AFTER_MS;
      if (due) reports.push({ template, unmet });
      lacks.set(template, due ? { ...lack, reported: true } : lack);
    }
    this.#lacks = lacks;
    return reports;
  }
}

function isSameMap<V>(
  a: ReadonlyMap<string, V>,
  b: ReadonlyMap<string, V>,
  isSame: (a: V, b: V) => boolean,
): boolean {
  if (a.size !== b.size) return false;
  for (const [key, value] of a) {
    const other = b.get(key);
    if (other === undefined || !isSame(value, other)) return false;
  }
  return true;
}

/** Reports whether two waits have equal content. */
export function isSameWait(a: Wait | null, b: Wait | null): boolean {
  return a?.reason === b?.reason && a?.message === b?.message && a?.until === b?.until;
}
