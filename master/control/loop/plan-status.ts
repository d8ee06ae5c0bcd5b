import type { Keep } from '#shared/model/node.ts';
import type { TemplateId } from '#shared/model/template.ts';
import type { Unmet, Wait } from '#shared/model/wait.ts';
import type { Topic } from '#shared/rpc/contract.ts';
import type { Plan } from '#master/core/action.ts';
import type { NodeId } from '#master/core/snapshot/snapshot.ts';

/** A template that lacks services is told of once it has lasted this long: what passes by itself would only fill the log. Ms. */
const TOLD_AFTER_MS = 3_000;

interface Lack {
  readonly reason: Wait['reason'];
  readonly since: number;
  readonly told: boolean;
}

/** What the newest plan could not do, and why: for people, between the rounds. */
export class PlanStatus {
  #unmet: Plan['unmet'] = new Map();
  #kept: Plan['kept'] = new Map();
  #noOrder: Wait | null = null;
  #lacks = new Map<TemplateId, Lack>();

  /** What the rules want of a template and cannot have; null when nothing is missing. */
  unmetOf(template: TemplateId): Unmet | null {
    return this.#unmet.get(template) ?? null;
  }

  /** Why a rented node is not given back; null for one that is, or is one's own. */
  keepOf(node: NodeId): Keep | null {
    return this.#kept.get(node) ?? null;
  }

  /** Why a node that is wanted is not ordered; null when all is well. */
  get noOrder(): Wait | null {
    return this.#noOrder;
  }

  /** Takes over what a new plan says. @returns what has become stale by that */
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

  /** Templates that have lacked services for a while for a reason that nobody was told of; each is named once. */
  newLacks(now: number): { readonly template: TemplateId; readonly unmet: Unmet }[] {
    const lacks = new Map<TemplateId, Lack>();
    const news: { template: TemplateId; unmet: Unmet }[] = [];
    for (const [template, unmet] of this.#unmet) {
      const { reason } = unmet.wait;
      const before = this.#lacks.get(template);
      const lack = before?.reason === reason ? before : { reason, since: now, told: false };
      const due = !lack.told && now - lack.since >= TOLD_AFTER_MS;
      if (due) news.push({ template, unmet });
      lacks.set(template, due ? { ...lack, told: true } : lack);
    }
    this.#lacks = lacks;
    return news;
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

/** Says the same to people. */
export function isSameWait(a: Wait | null, b: Wait | null): boolean {
  return a?.reason === b?.reason && a?.message === b?.message && a?.until === b?.until;
}
