import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import type {
  Market,
  NodeSnapshot,
  Offer,
  ServiceSnapshot,
  Snapshot,
  TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';

/**
 * These functions build input for the planner. A test sets only the fields that matter to it. All other fields have
 * ordinary values.
 */

export const NOW = 1_000_000_000;

/** Limits for orders with the schema's defaults. */
export const NO_LIMITS = masterConfigSchema.parse({}).limits;

export function aTemplate(
  id: string,
  config: Partial<TemplateConfig> = {},
  rest: Partial<Omit<TemplateSnapshot, 'id' | 'config'>> = {},
): TemplateSnapshot {
  return {
    id,
    config: templateConfigSchema.parse({ maxPlayers: 10, isProxy: false, ...config }),
    revision: 'r1',
    changing: false,
    hasJar: true,
    bringsJava: false,
    problem: null,
    nextNumber: 100,
    held: false,
    leaving: false,
    retryAt: null,
    ...rest,
  };
}

/**
 * Returns a service that is RUNNING on the local node, has just become empty, and counts as a replacement.
 *
 * Example: `aService('lobby-1')`.
 */
export function aService(id: string, fields: Partial<Omit<ServiceSnapshot, 'id'>> = {}): ServiceSnapshot {
  const state = fields.state ?? 'RUNNING';
  const players = fields.players ?? (state === 'IN_USE' ? 1 : 0);
  return {
    id,
    template: id.slice(0, id.lastIndexOf('-')),
    state,
    node: state === 'REQUESTED' ? null : 'local',
    ramMb: 1399,
    requestedAt: NOW - 1_000,
    unusedSince: state === 'RUNNING' ? NOW : null,
    availableAt: state === 'RUNNING' || state === 'IN_USE' ? NOW : null,
    unresponsive: false,
    stopping: false,
    players,
    maxPlayers: 10,
    manual: false,
    held: false,
    retiring: false,
    draining: false,
    restarting: false,
    ...fields,
  };
}

export function aNode(fields: Partial<NodeSnapshot> = {}): NodeSnapshot {
  return {
    id: 'local',
    state: 'READY',
    drainedByRules: false,
    held: false,
    locked: false,
    leaving: false,
    rental: null,
    ramMb: 100_000,
    startBudget: 100,
    silent: false,
    hasJava: true,
    startBackoffs: [],
    unsaved: [],
    ...fields,
  };
}

/**
 * Returns an offer of a server with 8 GB, minus the RAM of the operating system, in the location of {@link aMarket}.
 *
 * Example: `anOffer('cpx32')`.
 */
export function anOffer(type: string, fields: Partial<Offer> = {}): Offer {
  return {
    type,
    location: 'nbg1',
    ramMb: 7_168,
    hourlyPrice: 0.02,
    deprecated: false,
    soldOutUntil: null,
    ...fields,
  };
}

export function aMarket(fields: Partial<Market> = {}): Market {
  return {
    offers: [anOffer('cpx32')],
    locations: ['nbg1'],
    serverType: 'cpx',
    blockedServers: [],
    paused: null,
    nextNumber: 100,
    ...fields,
  };
}

/** Returns a cloud node that was ordered half an hour ago. */
export function aRentedNode(id: string, fields: Partial<NodeSnapshot> = {}): NodeSnapshot {
  const rental = { type: 'cpx32', since: NOW - 1_800_000, hourlyPrice: 0.02 };
  return aNode({ id, ramMb: 7_168, rental, ...fields });
}

export function aSnapshot(fields: Partial<Snapshot> = {}): Snapshot {
  return {
    now: NOW,
    templates: [],
    services: [],
    nodes: [aNode()],
    volumes: [],
    maxOnlinePlayers: 100,
    playersOnProxies: null,
    awaitsReports: false,
    configureMode: false,
    upscalingAtPercent: 80,
    limits: NO_LIMITS,
    month: { spent: 0, endsAt: NOW + 1_000 * 3_600_000 },
    market: null,
    ...fields,
  };
}

/** Converts minutes and seconds such as `59:30` to milliseconds. */
export function ms(clock: string): number {
  const [minutes = 0, seconds = 0] = clock.split(':').map(Number);
  return (minutes * 60 + seconds) * 1_000;
}
