import { templateConfigSchema } from '#shared/config/template.ts';
import type { NodeSnapshot, ServiceSnapshot, Snapshot, TemplateSnapshot } from '#master/core/snapshot.ts';

const SERVICES_PER_NODE = 10;
const NODES_PER_TEMPLATE = 10;
const NOW = 1_800_000_000_000;
const PLAYER_SLOTS = 20;
const RAM_MB = 1024;

/** Of twenty services of a template so many run empty; the others are in use. */
const EMPTY_OF_TWENTY = 2;

/**
 * A network at rest: every template has the empty services it wants, everybody else plays; a plan for it is empty.
 * Neighbours on a node are of different templates. Always the same for a size.
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
    maxOnlinePlayers: serviceCount * PLAYER_SLOTS,
    configureMode: false,
    upscalingAtPercent: 80,
    market: null,
  };
}

/**
 * The same network as a fifth of its services has changed at once. In every other template players flood in: of
 * twenty services three have filled up and one has crashed and is requested anew. In the others they leave: one has
 * filled up, and three have been empty for longer than they may.
 */
export function aStorm(network: Snapshot): Snapshot {
  const flooded = new Set(network.templates.filter((_, i) => i % 2 === 0).map(({ id }) => id));
  const change = (service: ServiceSnapshot): ServiceSnapshot =>
    (flooded.has(service.template) ? inFlood : inEbb)(service);
  return { ...network, services: network.services.map(change) };
}

function inFlood(service: ServiceSnapshot): ServiceSnapshot {
  const place = placeInTemplate(service) % 20;
  if (place === 2) return { ...service, state: 'REQUESTED', node: null, players: 0, unusedSince: null };
  return [0, 1, 3].includes(place) ? filledUp(service) : service;
}

function inEbb(service: ServiceSnapshot): ServiceSnapshot {
  const place = placeInTemplate(service) % 20;
  if (place === 0) return filledUp(service);
  if (![4, 5, 6].includes(place)) return service;
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
    unresponsive: false,
    stopping: false,
    players: empty ? 0 : 4 + (place % 8),
    maxPlayers: PLAYER_SLOTS,
    manual: false,
    held: false,
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
    retryAt: null,
  };
}

/** Room for three services more than there are. */
function aNode(i: number): NodeSnapshot {
  const ramMb = (RAM_MB + 375) * (SERVICES_PER_NODE + 3);
  const ofPeople = { drainedByRules: false, held: false, locked: false };
  return { id: nodeId(i), state: 'READY', ...ofPeople, rental: null, ramMb, startBudget: 4, hasJava: true };
}

function templateId(i: number): string {
  return `template${String(i).padStart(4, '0')}`;
}

function nodeId(i: number): string {
  return `node${String(i).padStart(4, '0')}`;
}
