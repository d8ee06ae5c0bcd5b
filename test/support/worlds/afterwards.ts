import { serviceRamMb } from '#shared/config/template.ts';
import { serviceNumber } from '#shared/model/service.ts';
import type { ActionOf, Plan } from '#master/core/action.ts';
import type { Market, NodeSnapshot, ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { aNode, aService } from '../master/snapshots.ts';

/**
 * What happens to services whose node is deleted: they are removed (`gone`), or requested again under their ID
 * (`requested`).
 */
export type Fate = 'gone' | 'requested';

/**
 * Returns the network after the actions of a plan and all operations in progress have finished. Players and time do
 * not change. This function is written from the specification and not from `master/core`, so that its results can be
 * compared with those of `master/core`.
 */
export function afterwards(snapshot: Snapshot, planned: Plan, fate: Fate = 'gone'): Snapshot {
  const nodes = nodesAfterwards(snapshot, planned);
  const services = servicesAfterwards(snapshot, planned, { nodes, fate });
  const next = (id: string): number =>
    Math.max(0, ...services.filter((one) => one.template === id).map((one) => serviceNumber(one.id) + 1));
  return {
    ...snapshot,
    nodes,
    services,
    templates: snapshot.templates
      .filter(({ id, leaving }) => !leaving || services.some(({ template }) => template === id))
      .map((template) => ({
        ...template,
        nextNumber: Math.max(template.nextNumber, next(template.id)),
      })),
    market: marketAfterwards(snapshot.market, planned),
  };
}

function nodesAfterwards(snapshot: Snapshot, { actions }: Plan): NodeSnapshot[] {
  const did = new Map(actions.flatMap((action) => ('node' in action ? [[action.node, action.kind]] : [])));
  const bought = actions.flatMap((action) => (action.kind === 'order' ? [newNode(action, snapshot)] : []));
  const old = snapshot.nodes
    .filter((node) => node.state !== 'DELETING' && did.get(node.id) !== 'release')
    .map((node): NodeSnapshot => {
      const act = did.get(node.id);
      if (act === 'drain') return { ...node, state: 'DRAINING', drainedByRules: true };
      if (act === 'resume') return { ...node, state: 'READY', drainedByRules: false };
      const comes = node.state === 'ORDERED' || node.state === 'BOOTING';
      return comes ? { ...node, state: 'READY' } : node;
    });
  return [...old, ...bought];
}

function newNode(order: ActionOf<'order'>, { now, market }: Snapshot): NodeSnapshot {
  const offer = market?.offers.find(
    ({ type, location }) => type === order.type && location === order.location,
  );
  const rental = { type: order.type, since: now, hourlyPrice: offer?.hourlyPrice ?? 0 };
  return aNode({ id: order.node, ramMb: order.ramMb, rental, startBudget: 4 });
}

function servicesAfterwards(
  snapshot: Snapshot,
  { actions }: Plan,
  { nodes, fate }: { readonly nodes: readonly NodeSnapshot[]; readonly fate: Fate },
): ServiceSnapshot[] {
  const states = new Map(nodes.map((node) => [node.id, node.state]));
  const stopped = new Set(actions.flatMap((action) => (action.kind === 'stop' ? [action.service] : [])));
  const started = new Map(
    actions.flatMap((action) => (action.kind === 'start' ? [[action.service, action.node]] : [])),
  );
  const old = snapshot.services.flatMap((service): ServiceSnapshot[] => {
    const stopping = service.stopping || stopped.has(service.id);
    const node = started.get(service.id) ?? service.node;
    const nodeState = node === null ? null : (states.get(node) ?? 'gone');
    if (nodeState === 'gone') return outlivesNode({ ...service, stopping }, fate);
    // The master cannot reach a lost node, so it keeps the records of the node's services until the node is deleted.
    if (nodeState === 'LOST') return [{ ...service, stopping }];
    if (stopping) return service.held && service.node !== null ? [requestedAgain(service)] : [];
    if (service.restarting && service.node !== null) return [requestedAgain(service)];
    return [node === null ? service : arrived(service, node, snapshot.now)];
  });
  return [...old, ...requestedBy(snapshot, actions)];
}

function isUp({ state }: ServiceSnapshot): boolean {
  return state === 'RUNNING' || state === 'IN_USE';
}

function arrived(service: ServiceSnapshot, node: string, now: number): ServiceSnapshot {
  const isRunning = isUp(service)
    ? service
    : ({ ...service, node, state: 'RUNNING', unusedSince: now, restarting: false } as const);
  return { ...isRunning, availableAt: now };
}

function requestedBy({ templates, now }: Snapshot, actions: Plan['actions']): ServiceSnapshot[] {
  return actions.flatMap((action) => {
    const template = action.kind === 'request' ? templates.find(({ id }) => id === action.template) : null;
    if (action.kind !== 'request' || template === undefined || template === null) return [];
    const { maxPlayers } = template.config;
    const ramMb = serviceRamMb(template.config);
    return [aService(action.service, { state: 'REQUESTED', ramMb, maxPlayers, requestedAt: now })];
  });
}

function outlivesNode(service: ServiceSnapshot, fate: Fate): ServiceSnapshot[] {
  if (service.held || (service.restarting && !service.stopping)) return [requestedAgain(service)];
  return fate === 'requested' && !service.stopping ? [requestedAgain(service)] : [];
}

/** Returns a service without its process, as the control loop requests it again. */
export function requestedAgain(service: ServiceSnapshot): ServiceSnapshot {
  return {
    ...service,
    state: 'REQUESTED',
    node: null,
    players: 0,
    unusedSince: null,
    availableAt: null,
    unresponsive: false,
    stopping: false,
    retiring: false,
    draining: false,
  };
}

function marketAfterwards(market: Market | null, { actions }: Plan): Market | null {
  const numbers = actions.flatMap((action) => (action.kind === 'order' ? [numberOf(action.node) + 1] : []));
  return market === null ? null : { ...market, nextNumber: Math.max(market.nextNumber, ...numbers) };
}

function numberOf(node: string): number {
  return Number(node.slice(node.lastIndexOf('-') + 1));
}
