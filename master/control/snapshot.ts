import { serviceRamMb } from '#shared/config/template.ts';
import type { ServiceSnapshot, Snapshot, TemplateSnapshot } from '#master/core/snapshot.ts';
import type { Parts } from './parts.ts';
import type { ServiceRecord } from './records.ts';

type Known = Pick<Parts, 'now' | 'config' | 'templates' | 'provider' | 'records' | 'setbacks'>;

/** Puts what is known into the planner's words. Services of a deleted template are left out: their stop is under way. */
export function takeSnapshot(known: Known): Snapshot {
  const templates = toTemplates(known);
  const byId = new Map(templates.map((template) => [template.id, template]));
  const master = known.config.master.config;
  return {
    now: known.now(),
    templates,
    services: known.records.all.map((record) => toService(record, byId.get(record.template))),
    nodes: known.provider.nodes(),
    maxOnlinePlayers: master.max_online_players,
    configureMode: master.provider.configure_mode,
  };
}

function toTemplates(known: Known): TemplateSnapshot[] {
  return [...known.config.templates].map(([id, { state }]) => {
    const files = known.templates.state(id);
    return {
      id,
      config: state.config,
      revision: files.revision,
      changing: files.changing,
      hasJar: files.jar !== null,
      bringsJava: files.bringsJava,
      problem: files.problem,
      nextNumber: known.records.nextNumber(id),
      retryAt: known.setbacks.retryAt(id),
    };
  });
}

function toService(record: ServiceRecord, template: TemplateSnapshot | undefined): ServiceSnapshot {
  const { config } = template ?? {};
  return {
    id: record.id,
    template: record.template,
    state: record.state,
    node: record.node,
    ramMb: record.placed?.ramMb ?? (config === undefined ? 0 : serviceRamMb(config)),
    requestedAt: record.requestedAt,
    unusedSince: record.unusedSince,
    unresponsive: record.unresponsive,
    stopping: record.stopping !== null,
    players: record.players.online,
    maxPlayers: record.placed?.maxPlayers ?? config?.maxPlayers ?? 0,
    manual: record.manual,
  };
}
