import { serviceNumber } from '#shared/model/service.ts';
import type { Action, Plan } from '../action.ts';
import { ramOf } from './capacity.ts';
import {
  isStoppingForRestart,
  type NodeId,
  type NodeSnapshot,
  type ServiceSnapshot,
  type Snapshot,
  type TemplateSnapshot,
} from './snapshot.ts';

/**
 * Returns the snapshot as it would be after the plan is carried out and everything in progress has finished. Stopping
 * services are then removed if their data can be saved, starting services are joinable and count as replacements, and
 * ordered nodes are ready. The time stays the same, and so do the players of the services that stay. Does not change
 * the given snapshot.
 */
export function apply(snapshot: Snapshot, { actions }: Pick<Plan, 'actions'>): Snapshot {
  const changes = sortActions(actions);
  const released = new Set([...changes.released, ...nodesIn('DELETING', snapshot)]);
  const services = servicesAfter(snapshot, changes, released);
  const left = new Set(services.map(({ template }) => template));
  return {
    ...snapshot,
    services,
    templates: templatesAfter(snapshot, changes).filter(({ id, leaving }) => !leaving || left.has(id)),
    nodes: nodesAfter(snapshot, changes, released),
    volumes: volumesAfter(snapshot, services, released),
    market: marketAfter(snapshot, changes),
  };
}

interface Changes {
  readonly requests: readonly Extract<Action, { kind: 'request' }>[];
  readonly orders: readonly Extract<Action, { kind: 'order' }>[];
  readonly started: ReadonlyMap<string, NodeId>;
  readonly stopped: ReadonlySet<string>;
  readonly drained: ReadonlySet<NodeId>;
  readonly resumed: ReadonlySet<NodeId>;
  readonly released: ReadonlySet<NodeId>;
}

function sortActions(actions: readonly Action[]): Changes {
  const of = <K extends Action['kind']>(kind: K) =>
    actions.filter((action): action is Extract<Action, { kind: K }> => action.kind === kind);
  return {
    requests: of('request'),
    orders: of('order'),
    started: new Map(of('start').map(({ service, node }) => [service, node])),
    stopped: new Set(of('stop').map(({ service }) => service)),
    drained: new Set(of('drain').map(({ node }) => node)),
    resumed: new Set(of('resume').map(({ node }) => node)),
    released: new Set(of('release').map(({ node }) => node)),
  };
}

function nodesIn(state: NodeSnapshot['state'], { nodes }: Snapshot): NodeId[] {
  return nodes.filter((node) => node.state === state).map(({ id }) => id);
}

function servicesAfter(
  snapshot: Snapshot,
  { requests, started, stopped }: Changes,
  released: ReadonlySet<NodeId>,
): ServiceSnapshot[] {
  const { services, templates, now } = snapshot;
  const byId = new Map(templates.map((template) => [template.id, template]));
  const lost = new Set(nodesIn('LOST', snapshot));
  const unsavable = new Set(
    snapshot.volumes.flatMap((volume) => (volume.unsavable === null ? [] : [volume.service])),
  );
  /** Reports whether the service stays recorded on its node, although it may be stopping. */
  const isBound = (service: ServiceSnapshot, node: NodeId, stopping: boolean): boolean => {
    // The master cannot reach a lost node until the node is removed.
    if (lost.has(node)) return true;
    // The files of the service stay on the node until they are saved, which may need a person.
    return unsavable.has(service.id) && (stopping || isStoppingForRestart(service));
  };
  const stay = services.flatMap((service): ServiceSnapshot[] => {
    const stopping = service.stopping || stopped.has(service.id);
    const { node } = service;
    const comesBack = service.held || (service.restarting && !stopped.has(service.id));
    if (node !== null && released.has(node)) return comesBack ? [asRequested(service)] : [];
    if (node !== null && isBound(service, node, stopping)) return [{ ...service, stopping }];
    if (stopping) return service.held && node !== null ? [asRequested(service)] : [];
    if (isStoppingForRestart(service)) return [asRequested(service)];
    return [arrived(service, started.get(service.id), now)];
  });
  const asked = requests.flatMap((request) => {
    const template = byId.get(request.template);
    return template === undefined ? [] : [requestedService(request.service, template, now)];
  });
  return [...stay, ...asked];
}

/** Returns a restarting or paused service as it is after its process has exited: REQUESTED and without a node. */
function asRequested(service: ServiceSnapshot): ServiceSnapshot {
  const { restarting, staysStopped = false } = service;
  return {
    ...service,
    restarting: restarting && !staysStopped,
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

function arrived(service: ServiceSnapshot, startedOn: NodeId | undefined, now: number): ServiceSnapshot {
  const node = startedOn ?? service.node;
  const isUp = service.state === 'RUNNING' || service.state === 'IN_USE';
  if (node === null) return service;
  if (isUp) return { ...service, availableAt: now };
  return { ...service, node, state: 'RUNNING', unusedSince: now, availableAt: now, restarting: false };
}

function requestedService(id: string, template: TemplateSnapshot, now: number): ServiceSnapshot {
  return {
    id,
    template: template.id,
    state: 'REQUESTED',
    node: null,
    ramMb: ramOf(template),
    requestedAt: now,
    unusedSince: null,
    availableAt: null,
    unresponsive: false,
    stopping: false,
    players: 0,
    maxPlayers: template.config.maxPlayers,
    manual: false,
    held: false,
    retiring: false,
    draining: false,
    restarting: false,
  };
}

/**
 * Returns the volumes after a plan. Volumes of services that have exited are saved, and volumes of services that have
 * started are attached. If the service of an attached volume has no node, the volume stays attached until its own
 * node is removed.
 */
function volumesAfter(
  { volumes, services: before }: Pick<Snapshot, 'volumes' | 'services'>,
  services: readonly ServiceSnapshot[],
  released: ReadonlySet<NodeId>,
): Snapshot['volumes'] {
  const nodes = new Map(services.map(({ id, node }) => [id, node]));
  const placed = new Set(before.filter(({ node }) => node !== null).map(({ id }) => id));
  return volumes.map((volume) => {
    const { service, cachedOn } = volume;
    const isFree = placed.has(service) || (volume.attachedTo !== null && released.has(volume.attachedTo));
    const runsOn = nodes.get(service) ?? null;
    const attachedTo = runsOn ?? (isFree ? null : volume.attachedTo);
    const mayBeUnsaved = runsOn !== null || (attachedTo !== null && volume.mayBeUnsaved);
    const unsavable = attachedTo === null ? null : volume.unsavable;
    return { ...volume, attachedTo, mayBeUnsaved, cachedOn: attachedTo ?? cachedOn, unsavable };
  });
}

function templatesAfter({ templates }: Snapshot, { requests }: Changes): TemplateSnapshot[] {
  const next = new Map<string, number>();
  for (const { template, service } of requests) {
    next.set(template, Math.max(next.get(template) ?? 0, serviceNumber(service) + 1));
  }
  return templates.map((template) => ({
    ...template,
    nextNumber: next.get(template.id) ?? template.nextNumber,
  }));
}

function nodesAfter(
  { nodes, now, market }: Snapshot,
  { orders, drained, resumed }: Changes,
  released: ReadonlySet<NodeId>,
): NodeSnapshot[] {
  const stay = nodes
    .filter(({ id }) => !released.has(id))
    .map((node): NodeSnapshot => {
      if (drained.has(node.id)) return { ...node, state: 'DRAINING', drainedByRules: true };
      if (resumed.has(node.id)) return { ...node, state: 'READY', drainedByRules: false };
      return node.state === 'ORDERED' || node.state === 'BOOTING' ? { ...node, state: 'READY' } : node;
    });
  const ordered = orders.map(({ node, type, location, ramMb }): NodeSnapshot => {
    const offer = market?.offers.find((one) => one.type === type && one.location === location);
    return {
      id: node,
      state: 'READY',
      drainedByRules: false,
      held: false,
      locked: false,
      leaving: false,
      rental: { type, since: now, hourlyPrice: offer?.hourlyPrice ?? 0 },
      ramMb,
      startBudget: NEW_NODE_START_BUDGET,
      silent: false,
      hasJava: true,
      startBackoffs: [],
      unsaved: [],
    };
  });
  return [...stay, ...ordered];
}

/** Assumed start budget of a new node until it reports its own. */
const NEW_NODE_START_BUDGET = 4;

function marketAfter({ market }: Snapshot, { orders }: Changes): Snapshot['market'] {
  return market === null ? null : { ...market, nextNumber: market.nextNumber + orders.length };
}
