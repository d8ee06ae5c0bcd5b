import type { MasterConfig } from '#shared/config/master.ts';
import { orderLocations } from '#shared/config/order-locations.ts';
import { serviceRamMb, type TemplateConfig } from '#shared/config/template.ts';
import type { TemplateId } from '#shared/model/template.ts';
import {
  MIN_READY_MS,
  type Market,
  type NodeId,
  type ServiceSnapshot,
  type Snapshot,
  type TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';
import { cloudNodes } from '#master/state/costs/cloud-nodes.ts';
import { viewNodes } from '#master/state/nodes/node-view.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import { isRequestedAgain, type ServiceRecord } from '#master/state/services/records.ts';
import { needsLink } from '#master/ingress/proxies.ts';
import { awaitsReports, playersOnProxies, slotsOn } from '#master/ingress/presence.ts';

type Known = Documents &
  Pick<Environment, 'now'> &
  Pick<NodeAccess, 'registry' | 'nodeBackoff' | 'costs'> &
  Pick<ServiceStores, 'records' | 'startBackoffs' | 'volumes' | 'evictions'> &
  Pick<IngressAccess, 'link' | 'proxies'>;

/** Documents that replace the saved ones, for example to preview an edit. */
export interface Edits {
  /** Edited values of an existing or a new template. */
  readonly template?: { readonly id: TemplateId; readonly config: TemplateConfig };
  readonly master?: MasterConfig;
}

/**
 * Returns the planner's snapshot of the current state.
 *
 * @param edits documents to use instead of the saved ones, for a preview
 */
export function takeSnapshot(known: Known, edits: Edits = {}): Snapshot {
  const templates = toTemplates(known, edits);
  const byId = new Map(templates.map((template) => [template.id, template]));
  const master = edits.master ?? known.config.master.config;
  const unlinked = findUnlinked(known);
  return {
    now: known.now(),
    templates,
    services: known.records.all.map((record) =>
      toService(record, byId.get(record.template), {
        limit: master.max_online_players,
        isUnlinked: unlinked.has(record),
      }),
    ),
    nodes: viewNodes(known).map((node) => ({
      ...node,
      // A saved edit ends these back-offs, too (config-watch.ts).
      startBackoffs: known.nodeBackoff.of(node.id).filter(({ template }) => template !== edits.template?.id),
      unsaved: known.evictions.unsavedOn(node.id, node.leaving),
    })),
    volumes: known.volumes.snapshot((id) => lastNodeOf(known.records.get(id))),
    maxOnlinePlayers: master.max_online_players,
    playersOnProxies: playersOnProxies(known),
    awaitsReports: awaitsReports(known),
    configureMode: master.provider.configure_mode,
    upscalingAtPercent: master.provider.upscaling_at_percent_capacity,
    limits: master.limits,
    month: known.costs.month(cloudNodes(known)),
    market: toMarket(known, master),
  };
}

/** Returns the current node of a service or, if it has none, its last node. */
function lastNodeOf(record: Pick<ServiceRecord, 'node' | 'wasOn'> | undefined): NodeId | null {
  return record?.node ?? record?.wasOn ?? null;
}

function toTemplates(known: Known, { template: edit }: Edits): TemplateSnapshot[] {
  const inUse = [...known.config.templates].map(([id, { state }]) => {
    const files = known.templates.state(id);
    return {
      id,
      config: edit?.id === id ? edit.config : state.config,
      revision: files.revision,
      changing: files.changing,
      hasJar: files.jar !== null,
      bringsJava: files.bringsJava,
      problem: files.problem,
      nextNumber: known.records.nextNumber(id),
      held: known.overrides.isTemplateHeld(id),
      leaving: known.overrides.leavingOf(id) !== null,
      // A saved edit ends the back-off (config-watch.ts).
      retryAt: edit?.id === id ? null : known.startBackoffs.retryAt(id),
    };
  });
  return edit === undefined || known.config.templates.has(edit.id) ? inUse : [...inUse, toCome(edit, known)];
}

/** Returns the planner's view of a template that does not exist yet and has no files. */
function toCome({ id, config }: Required<Edits>['template'], known: Known): TemplateSnapshot {
  return {
    id,
    config,
    revision: null,
    changing: false,
    hasJar: false,
    bringsJava: false,
    problem: null,
    nextNumber: known.records.nextNumber(id),
    held: false,
    leaving: false,
    retryAt: null,
  };
}

function toService(
  record: ServiceRecord,
  template: TemplateSnapshot | undefined,
  { limit, isUnlinked }: { readonly limit: number; readonly isUnlinked: boolean },
): ServiceSnapshot {
  const { config } = template ?? {};
  return {
    id: record.id,
    template: record.template,
    node: record.node,
    ramMb: record.placed?.ramMb ?? (config === undefined ? 0 : serviceRamMb(config)),
    requestedAt: record.requestedAt,
    unusedSince: record.unusedSince,
    unresponsive: record.unresponsive,
    availableAt: record.upAt === null || isUnlinked ? null : record.upAt + MIN_READY_MS,
    players: record.players.online,
    maxPlayers: countedSlots(record, config, limit),
    manual: record.manual || record.restarting,
    wasUp: record.wasUp && !record.restarting,
    held: record.held,
    retiring: record.retiring !== null,
    draining: record.draining !== null,
    ...endOf(record),
  };
}

/**
 * Returns the proxies that cannot replace others, because they reject all players until their plugin is linked. If the
 * plugin has been linked in no proxy of a template, none of the template is returned: the plugin probably cannot run
 * in its proxies, so a rolling restart would wait for it forever.
 */
function findUnlinked(known: Known): ReadonlySet<ServiceRecord> {
  const { all } = known.records;
  const linked = new Set(all.filter(({ id }) => known.link.hasLinked(id)).map(({ template }) => template));
  return new Set(all.filter((record) => linked.has(record.template) && needsLink(record, known)));
}

/**
 * Returns how a service ends. A service that is requested again under its id (it failed, restarts or is paused) still
 * counts, so that no replacement is requested.
 */
function endOf(
  record: ServiceRecord,
): Pick<ServiceSnapshot, 'state' | 'stopping' | 'restarting' | 'staysStopped'> {
  const { state, node, stopping, restarting, hasEnded } = record;
  const ends = stopping !== null || hasEnded;
  const comesBack = ends && node !== null && (stopping === null || isRequestedAgain(record));
  return {
    // As long as the files of an exited service are on its node, the service must not be placed on another node.
    state: hasEnded ? 'RUNNING' : state,
    stopping: ends && !comesBack,
    restarting: comesBack || (restarting && node === null),
    staysStopped: comesBack && record.held && !restarting,
  };
}

/**
 * Returns the slots of a service for the scaling rules. An empty service counts with at least the slots with which it
 * was started, because a plugin may report fewer slots until players may join. Otherwise, the capacity rule would
 * request another service whenever such a service comes up.
 */
function countedSlots(record: ServiceRecord, config: TemplateConfig | undefined, limit: number): number {
  const { restarting, placed, state } = record;
  if (restarting || placed === null) return config?.maxPlayers ?? 0;
  const slots = slotsOn(record, limit);
  return state === 'RUNNING' ? Math.max(slots, placed.values.maxPlayers) : slots;
}

function toMarket(
  { registry }: Pick<Known, 'registry'>,
  { provider: rules }: Pick<MasterConfig, 'provider'>,
): Market | null {
  const supply = registry.market();
  if (supply === null) return null;
  return {
    ...supply,
    locations: orderLocations(rules),
    serverType: rules.server_type,
    blockedServers: rules.blocked_servers,
  };
}
