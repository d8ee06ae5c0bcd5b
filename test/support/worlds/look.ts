import type { Action, ActionOf, Plan } from '#master/core/action.ts';
import type {
  NodeSnapshot,
  ServiceSnapshot,
  Snapshot,
  TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';

/** A world beside the plan made for it, sorted by what promises ask for. */
export interface Look {
  readonly snapshot: Snapshot;
  readonly planned: Plan;
  readonly services: ReadonlyMap<string, ServiceSnapshot>;
  readonly templates: ReadonlyMap<string, TemplateSnapshot>;
  readonly nodes: ReadonlyMap<string, NodeSnapshot>;
  /** The plan's actions of one kind. */
  readonly of: <K extends Action['kind']>(kind: K) => readonly ActionOf<K>[];
  /** RAM of all services on a node before the plan, MB. */
  readonly allocatedMb: (node: NodeSnapshot) => number;
}

export function lookAt(snapshot: Snapshot, planned: Plan): Look {
  const allocated = new Map<string, number>();
  for (const { node, ramMb } of snapshot.services) {
    if (node !== null) allocated.set(node, (allocated.get(node) ?? 0) + ramMb);
  }
  return {
    snapshot,
    planned,
    services: byId(snapshot.services),
    templates: byId(snapshot.templates),
    nodes: byId(snapshot.nodes),
    of: (kind) => planned.actions.filter((action) => isOf(action, kind)),
    allocatedMb: ({ id }) => allocated.get(id) ?? 0,
  };
}

function isOf<K extends Action['kind']>(action: Action, kind: K): action is ActionOf<K> {
  return action.kind === kind;
}

function byId<T extends { readonly id: string }>(all: readonly T[]): ReadonlyMap<string, T> {
  return new Map(all.map((one) => [one.id, one]));
}

/** A breach for each of `all` of which `breaks` holds. */
export function each<T>(
  all: readonly T[],
  breaks: (one: T) => boolean,
  words: (one: T) => string,
): readonly string[] {
  return all.filter(breaks).map(words);
}

/** What it takes from a node is held by a process, or may be, that answers to nobody: its node is lost or going. */
export function isCutOff({ nodes }: Pick<Look, 'nodes'>, { node }: ServiceSnapshot): boolean {
  const state = node === null ? undefined : nodes.get(node)?.state;
  return node !== null && (state === undefined || state === 'LOST' || state === 'DELETING');
}

/** Serves until it is replaced: on a node that is being emptied, retiring, or deleted with its template. */
export function isLeaving(
  { nodes, templates }: Pick<Look, 'nodes' | 'templates'>,
  { node, template, retiring, held, restarting }: ServiceSnapshot,
): boolean {
  if (templates.get(template)?.leaving === true) return true;
  const isEmptied = node !== null && nodes.get(node)?.state === 'DRAINING';
  // One that begins again does that elsewhere.
  return !restarting && (isEmptied || (retiring && !held));
}

/** With what the plan requests as many exist as the cap allows: one has to end before another one comes. */
export function isCapped(
  { snapshot, templates, of }: Pick<Look, 'snapshot' | 'templates' | 'of'>,
  template: string,
): boolean {
  const cap = templates.get(template)?.config.maximumOnlineServers ?? -1;
  const existing = snapshot.services.filter((one) => one.template === template).length;
  const requested = of('request').filter((one) => one.template === template).length;
  return cap !== -1 && existing + requested >= cap;
}

/** A person wants it gone from where it is: only for such the rules go below the minimum, and only under a cap. */
export function isAskedToLeave(look: Look, one: ServiceSnapshot): boolean {
  const node = look.nodes.get(one.node ?? '');
  return isLeaving(look, one) && (one.retiring || node?.drainedByRules === false);
}
