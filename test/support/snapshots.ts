import { templateConfigSchema, type TemplateConfig } from '#shared/config/template.ts';
import type { NodeSnapshot, ServiceSnapshot, Snapshot, TemplateSnapshot } from '#master/core/snapshot.ts';

/** Builders of planner input: name what a case is about, the rest is ordinary. */

export const NOW = 1_000_000_000;

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
    retryAt: null,
    ...rest,
  };
}

/** `aService('lobby-1')`: RUNNING, empty, on the local node, unused since just now. */
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
    unresponsive: false,
    stopping: false,
    players,
    maxPlayers: 10,
    manual: false,
    ...fields,
  };
}

export function aNode(fields: Partial<NodeSnapshot> = {}): NodeSnapshot {
  return { id: 'local', state: 'READY', ramMb: 100_000, startBudget: 100, hasJava: true, ...fields };
}

export function aSnapshot(fields: Partial<Snapshot> = {}): Snapshot {
  return {
    now: NOW,
    templates: [],
    services: [],
    nodes: [aNode()],
    maxOnlinePlayers: 100,
    configureMode: true,
    ...fields,
  };
}
