import type { Action, ActionOf, Plan } from '#master/core/action.ts';
import type {
  NodeSnapshot,
  ServiceSnapshot,
  Snapshot,
  TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';

/** A snapshot and its plan, in the format that the guarantees use. */
export interface Look {
  readonly snapshot: Snapshot;
  readonly planned: Plan;
  readonly services: ReadonlyMap<string, ServiceSnapshot>;
  readonly templates: ReadonlyMap<string, TemplateSnapshot>;
  readonly nodes: ReadonlyMap<string, NodeSnapshot>;
  /** Returns the plan's actions of one kind. */
  readonly of: <K extends Action['kind']>(kind: K) => readonly ActionOf<K>[];
  /** Returns the RAM that existing services take on a node (MB). Does not include services that the plan starts. */
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

/** Returns a description of each element for which `breaks` is true. */
export function each<T>(
  all: readonly T[],
  breaks: (one: T) => boolean,
  words: (one: T) => string,
): readonly string[] {
  return all.filter(breaks).map(words);
}

/**
 * Returns whether a service is on a node that is lost or being deleted. The service may still run there and take
 * RAM, but it cannot be reached.
 */
export function isCutOff({ nodes }: Pick<Look, 'nodes'>, { node }: ServiceSnapshot): boolean {
  const state = node === null ? undefined : nodes.get(node)?.state;
  return node !== null && (state === undefined || state === 'LOST' || state === 'DELETING');
}

/**
 * Returns whether a service runs only until it is replaced: on a draining node, in a rolling restart, or with a
 * template that is being deleted.
 */
export function isLeaving(
  { nodes, templates }: Pick<Look, 'nodes' | 'templates'>,
  { node, template, retiring, held, restarting }: ServiceSnapshot,
): boolean {
  if (templates.get(template)?.leaving === true) return true;
  const isEmptied = node !== null && nodes.get(node)?.state === 'DRAINING';
  // If a person restarts a service, it starts again on another node.
  return !restarting && (isEmptied || (retiring && !held));
}

/**
 * Returns whether a template has reached its maximum, including the plan's requests. If it has, a service must stop
 * before another service can start.
 */
export function isCapped(
  { snapshot, templates, of }: Pick<Look, 'snapshot' | 'templates' | 'of'>,
  template: string,
): boolean {
  const cap = templates.get(template)?.config.maximumOnlineServers ?? -1;
  const existing = snapshot.services.filter((one) => one.template === template).length;
  const requested = of('request').filter((one) => one.template === template).length;
  return cap !== -1 && existing + requested >= cap;
}

/**
 * Returns whether a person wants to replace or remove the service. Only for these services, and only at the maximum,
 * may the rules go below the minimum.
 */
export function isAskedToLeave(look: Look, one: ServiceSnapshot): boolean {
  const node = look.nodes.get(one.node ?? '');
  return isLeaving(look, one) && (one.retiring || node?.drainedByRules === false);
}
