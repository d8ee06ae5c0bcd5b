import type { TemplateId } from '#shared/model/template.ts';
import { findLeaving, type Leaving } from './leaving.ts';
import {
  isPlaced,
  playersOn,
  type NodeId,
  type NodeSnapshot,
  type ServiceSnapshot,
  type Snapshot,
} from './snapshot.ts';
import { countService, zeroCounts, type MutableCounts, type Counts } from './counts.ts';

/** What there is of one template; lists in the snapshot's order. */
export interface TemplateIndex {
  /** All that exist: stopping services count until they are gone. */
  readonly services: readonly ServiceSnapshot[];
  /** Those that are not stopping, and their numbers. */
  readonly active: readonly ServiceSnapshot[];
  readonly counts: Counts;
  /** Of the active ones those that are REQUESTED. */
  readonly requested: readonly ServiceSnapshot[];
  /** Of the active ones those that are RUNNING, whether or not they answer. */
  readonly empty: readonly ServiceSnapshot[];
  /** Of the active ones those that a person has replaced or drained; not those that are held or begin again anyway. */
  readonly retiring: readonly ServiceSnapshot[];
  /** Of the active ones those that have to go now. */
  readonly leaving: readonly ServiceSnapshot[];
}

/** What is on one node. Stopping services count until they are gone. */
export interface NodeIndex {
  readonly services: readonly ServiceSnapshot[];
  /** RAM its services take, MB. */
  readonly allocatedMb: number;
  readonly inUse: number;
  /** Being prepared or started. */
  readonly starting: number;
  readonly players: number;
}

/** A snapshot's services looked through once and sorted by what the rules ask for, so that no rule does it again. */
export interface SnapshotIndex {
  readonly snapshot: Snapshot;
  /** Players on the whole network: each once, though one who came through a proxy is on it and on a game server. */
  readonly players: number;
  /** Services of templates that are gone; not those that are stopping. */
  readonly deserted: readonly ServiceSnapshot[];
  ofTemplate(id: TemplateId): TemplateIndex;
  onNode(id: NodeId): NodeIndex;
  node(id: NodeId): NodeSnapshot | undefined;
  /** Why a service has to go, and is no capacity any more; null for one that stays. */
  leaving(service: ServiceSnapshot): Leaving | null;
}

/** Counts and sorts; takes as long as there are services, however many templates and nodes they belong to. */
export function indexSnapshot(snapshot: Snapshot): SnapshotIndex {
  const byTemplate = new Map<TemplateId, TemplateCount>();
  const byNode = new Map<NodeId, NodeCount>();
  let players = 0;
  for (const service of snapshot.services) {
    players += playersOn(service);
    countOfTemplate(service, byTemplate);
    if (isPlaced(service)) countOnNode(service, byNode);
  }
  const nodes = new Map(snapshot.nodes.map((node) => [node.id, node]));
  const templates = new Map(snapshot.templates.map((template) => [template.id, template]));
  const deleted = snapshot.templates.filter(({ leaving }) => leaving);
  const leaving = findLeaving({
    nodes: snapshot.nodes,
    onNode: (id) => byNode.get(id)?.services ?? [],
    rolling: byTemplate,
    deleted: deleted.flatMap(({ id }) => byTemplate.get(id)?.services ?? []),
  });
  for (const service of leaving.keys()) {
    if (!service.stopping) byTemplate.get(service.template)?.leaving.push(service);
  }
  return {
    snapshot,
    players: snapshot.playersOnProxies ?? players,
    deserted: [...byTemplate].flatMap(([id, { active }]) => (templates.has(id) ? [] : active)),
    ofTemplate: (id) => byTemplate.get(id) ?? NO_SERVICES,
    onNode: (id) => byNode.get(id) ?? EMPTY_NODE,
    node: (id) => nodes.get(id),
    leaving: (service) => leaving.get(service) ?? null,
  };
}

const NO_SERVICES: TemplateIndex = {
  services: [],
  active: [],
  counts: zeroCounts(),
  requested: [],
  empty: [],
  retiring: [],
  leaving: [],
};

interface TemplateCount extends TemplateIndex {
  readonly services: ServiceSnapshot[];
  readonly active: ServiceSnapshot[];
  readonly counts: MutableCounts;
  readonly requested: ServiceSnapshot[];
  readonly empty: ServiceSnapshot[];
  readonly retiring: ServiceSnapshot[];
  readonly leaving: ServiceSnapshot[];
}

function countOfTemplate(service: ServiceSnapshot, byTemplate: Map<TemplateId, TemplateCount>): void {
  let tally = byTemplate.get(service.template);
  if (tally === undefined) {
    tally = {
      services: [],
      active: [],
      counts: zeroCounts(),
      requested: [],
      empty: [],
      retiring: [],
      leaving: [],
    };
    byTemplate.set(service.template, tally);
  }
  tally.services.push(service);
  if (service.stopping) return;
  tally.active.push(service);
  countService(service, tally.counts);
  if (service.state === 'REQUESTED') tally.requested.push(service);
  if (service.state === 'RUNNING') tally.empty.push(service);
  if ((service.retiring || service.draining) && !service.held && !service.restarting)
    tally.retiring.push(service);
}

const EMPTY_NODE: NodeIndex = { services: [], allocatedMb: 0, inUse: 0, starting: 0, players: 0 };

type NodeCount = { -readonly [K in keyof NodeIndex]: NodeIndex[K] } & { services: ServiceSnapshot[] };

function countOnNode(
  service: ServiceSnapshot & { readonly node: NodeId },
  byNode: Map<NodeId, NodeCount>,
): void {
  let tally = byNode.get(service.node);
  if (tally === undefined) {
    tally = { services: [], allocatedMb: 0, inUse: 0, starting: 0, players: 0 };
    byNode.set(service.node, tally);
  }
  tally.services.push(service);
  tally.allocatedMb += service.ramMb;
  tally.players += playersOn(service);
  if (service.state === 'IN_USE') tally.inUse += 1;
  if (service.state === 'PREPARING' || service.state === 'STARTING') tally.starting += 1;
}
