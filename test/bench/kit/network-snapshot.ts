import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import type {
  Market,
  NodeSnapshot,
  ServiceSnapshot,
  Snapshot,
  TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';
import { requestedAgain } from '#test/support/worlds/afterwards.ts';

const SERVICES_PER_NODE = 10;
const NODES_PER_TEMPLATE = 10;
const NOW = 1_800_000_000_000;
const PLAYER_SLOTS = 20;
const RAM_MB = 1024;

/** Number of empty services among twenty services of a template. The other services have players. */
const EMPTY_OF_TWENTY = 2;

/**
 * Returns a network at rest: each template has its empty services, all other services have players, and the plan is
 * empty. For the same size, the network is always the same.
 *
 * Neighbouring services on a node are of different templates. Some cloud nodes are protected, paused or cordoned, and
 * their paid hours end at different times. The network needs all nodes: without one of them, the other nodes would be
 * too full.
 */
export function aNetwork(nodeCount: number): Snapshot {
  const serviceCount = nodeCount * SERVICES_PER_NODE;
  const templateCount = Math.max(1, Math.round(nodeCount / NODES_PER_TEMPLATE));
  const services = Array.from({ length: serviceCount }, (_, i) => aService(i, { templateCount, nodeCount }));
  return {
    now: NOW,
    templates: Array.from({ length: templateCount }, (_, i) => aTemplate(i, services)),
    services,
    nodes: Array.from({ length: nodeCount }, (_, i) => aNode(i)),
    volumes: [],
    maxOnlinePlayers: serviceCount * PLAYER_SLOTS,
    playersOnProxies: null,
    awaitsReports: false,
    configureMode: false,
    upscalingAtPercent: 80,
    limits: masterConfigSchema.parse({}).limits,
    month: { spent: 0, endsAt: Infinity },
    market: aMarket(nodeCount),
  };
}

/**
 * Returns the network after a fifth of its services have changed at once:
 *
 * - In half of the templates, many players join. Of twenty services, two have become full, and one has crashed and is
 *   requested again. Two more services are requested. They do not fit on the nodes.
 * - In the other templates, players leave. Of twenty services, three have been empty for too long.
 * - Of a hundred nodes, one is lost and one is draining.
 */
export function aStorm(network: Snapshot): Snapshot {
  const flooded = new Set(network.templates.filter((_, i) => i % 2 === 0).map(({ id }) => id));
  const change = (service: ServiceSnapshot): readonly ServiceSnapshot[] =>
    flooded.has(service.template) ? inFlood(service, network) : [inEbb(service)];
  const nodes = network.nodes.map((node, i): NodeSnapshot => {
    if (i % 100 === 5) return { ...node, state: 'LOST' };
    return i % 100 === 6 ? { ...node, state: 'DRAINING', drainedByRules: true } : node;
  });
  const services = network.services.flatMap(change);
  const templates = network.templates.map((one) => ({ ...one, nextNumber: 2 * one.nextNumber }));
  return { ...network, templates, nodes, services };
}

/**
 * Returns the network after a fifth of its services have stopped. The network needs far fewer nodes, and a third of
 * the nodes may be released now.
 */
export function aNight(network: Snapshot): Snapshot {
  const services = network.services.filter((service) => placeInTemplate(service) % 5 !== 4);
  return { ...network, services };
}

/** Returns the network at the start of a rolling restart of all templates. */
export function aRollout(network: Snapshot): Snapshot {
  return { ...network, services: network.services.map((service) => ({ ...service, retiring: true })) };
}

function inFlood(service: ServiceSnapshot, { services }: Snapshot): readonly ServiceSnapshot[] {
  const place = placeInTemplate(service) % 20;
  const requested = requestedAgain(service);
  if (place === 2) return [requested];
  const number = services.length + placeInTemplate(service);
  if (place === 4 || place === 5) return [service, { ...requested, id: `${service.template}-${number}` }];
  return [place === 0 || place === 1 ? filledUp(service) : service];
}

function inEbb(service: ServiceSnapshot): ServiceSnapshot {
  if (![4, 5, 6].includes(placeInTemplate(service) % 20)) return service;
  return { ...service, state: 'RUNNING', players: 0, unusedSince: NOW - 600_000 };
}

function filledUp(service: ServiceSnapshot): ServiceSnapshot {
  return { ...service, state: 'IN_USE', players: PLAYER_SLOTS, unusedSince: null };
}

function aService(
  i: number,
  { templateCount, nodeCount }: { readonly templateCount: number; readonly nodeCount: number },
): ServiceSnapshot {
  const template = templateId(i % templateCount);
  const place = Math.floor(i / templateCount);
  const empty = place % 20 < EMPTY_OF_TWENTY;
  return {
    id: `${template}-${place + 1}`,
    template,
    state: empty ? 'RUNNING' : 'IN_USE',
    node: nodeId(Math.floor(i / SERVICES_PER_NODE) % nodeCount),
    ramMb: RAM_MB + 375,
    requestedAt: NOW - 86_400_000 + i,
    unusedSince: empty ? NOW - 1_000 : null,
    availableAt: NOW - 86_300_000,
    unresponsive: false,
    stopping: false,
    players: empty ? 0 : 4 + (place % 8),
    maxPlayers: PLAYER_SLOTS,
    manual: false,
    held: false,
    retiring: false,
    draining: false,
    restarting: false,
  };
}

function placeInTemplate({ id }: ServiceSnapshot): number {
  return Number(id.slice(id.lastIndexOf('-') + 1)) - 1;
}

function aTemplate(i: number, services: readonly ServiceSnapshot[]): TemplateSnapshot {
  const id = templateId(i);
  const empty = services.filter((service) => service.template === id && service.state === 'RUNNING').length;
  return {
    id,
    config: templateConfigSchema.parse({
      maxJvmMemory: RAM_MB,
      maxPlayers: PLAYER_SLOTS,
      priority: 1 + (i % 5),
      minimumRunningServers: empty,
      startNewServiceAtTemplateCapacity: 80,
      startNewServiceAtGlobalCapacity: 90,
      isProxy: false,
    }),
    revision: 'r1',
    changing: false,
    hasJar: true,
    bringsJava: false,
    problem: null,
    nextNumber: services.length + 1,
    held: false,
    leaving: false,
    retryAt: null,
  };
}

/**
 * Returns a node with room for two and a half more services. 79.4 % of its RAM are allocated. At 80 %, another node
 * would be ordered.
 */
function aNode(i: number): NodeSnapshot {
  const ramMb = Math.round((RAM_MB + 375) * (SERVICES_PER_NODE + 2.6));
  return {
    id: nodeId(i),
    state: i % 100 === 2 ? 'CORDONED' : 'READY',
    drainedByRules: false,
    held: i % 100 === 3,
    locked: i % 100 === 4,
    leaving: false,
    // The orders are 97 s apart, so that some nodes are always in the last minutes of a paid hour.
    rental: { type: 'cpx42', since: NOW - 3_600_000 - i * 97_000, hourlyPrice: 0.04 },
    ramMb,
    startBudget: 4,
    silent: false,
    hasJava: true,
    startBackoffs: [],
    unsaved: [],
  };
}

/** Returns a dozen server types in two locations. Four of the types may be ordered. */
function aMarket(nodeCount: number): Market {
  const types = ['cpx12', 'cpx22', 'cpx32', 'cpx42', 'cpx52', 'cpx62'];
  const offers = [...types, ...types.map((type) => type.replace('cpx', 'cax'))].flatMap((type, i) =>
    ['nbg1', 'fsn1'].map((location) => ({
      type,
      location,
      ramMb: 2_048 * 2 ** (i % 6) - 512,
      hourlyPrice: 0.008 * 2 ** (i % 6),
      deprecated: type === 'cpx12',
      soldOutUntil: type === 'cpx52' ? NOW + 60_000 : null,
    })),
  );
  return {
    offers,
    locations: ['nbg1'],
    serverType: 'cpx',
    blockedServers: [],
    paused: null,
    nextNumber: nodeCount,
  };
}

function templateId(i: number): string {
  return `template${String(i).padStart(4, '0')}`;
}

function nodeId(i: number): string {
  return `node-${i}`;
}
