import type { TemplateId } from '#shared/model/template.ts';
import type { ServiceId } from '#shared/model/service.ts';
import { findLeaving, type LeavingReason } from './leaving.ts';
import {
  isPlaced,
  playersOn,
  type NodeId,
  type NodeSnapshot,
  type ServiceSnapshot,
  type Snapshot,
  type VolumeSnapshot,
} from './snapshot.ts';
import { countService, zeroCounts, type MutableCounts, type Counts } from './counts.ts';

/** Services of one template. All lists except `leaving` are in the sequence of the snapshot. */
export interface TemplateIndex {
  /** All services that exist. Stopping services count until they have exited. */
  readonly services: readonly ServiceSnapshot[];
  /** Services that are not stopping. `counts` are the counts of these services. */
  readonly active: readonly ServiceSnapshot[];
  readonly counts: Counts;
  /** Active services that are REQUESTED. */
  readonly requested: readonly ServiceSnapshot[];
  /** Active services that are RUNNING, whether or not they answer status pings. */
  readonly empty: readonly ServiceSnapshot[];
  /** Active services that a person replaces or drains, except paused and restarting ones. */
  readonly retiring: readonly ServiceSnapshot[];
  /** Active services that have to leave now. */
  readonly leaving: readonly ServiceSnapshot[];
}

/** Services on one node. Stopping services count until they have exited. */
export interface NodeIndex {
  readonly services: readonly ServiceSnapshot[];
  /** RAM that the node's services take (MB). */
  readonly allocatedMb: number;
  readonly inUse: number;
  /** Number of services that are being prepared or started. */
  readonly starting: number;
  readonly players: number;
}

/** The services of a snapshot, grouped once so that the rules need not search for them. */
export interface SnapshotIndex {
  readonly snapshot: Snapshot;
  /** Number of players on the network. A player who is on a proxy and on a game server counts once. */
  readonly players: number;
  /** Services whose template no longer exists; stopping ones are left out. */
  readonly deserted: readonly ServiceSnapshot[];
  ofTemplate(id: TemplateId): TemplateIndex;
  onNode(id: NodeId): NodeIndex;
  node(id: NodeId): NodeSnapshot | undefined;
  /** Returns the volume of a service. Undefined if it has none yet. */
  volumeOf(id: ServiceId): VolumeSnapshot | undefined;
  /**
   * Returns why the data of a service on its node cannot be saved now, so that no rule stops the service. Null if
   * nothing prevents its stop.
   */
  unsavable(service: ServiceSnapshot): string | null;
  /** Returns the volumes that may have unsaved data on a node. */
  unsavedOn(id: NodeId): readonly VolumeSnapshot[];
  /** Returns why a service has to leave and therefore does not count as capacity. Null if the service stays. */
  leaving(service: ServiceSnapshot): LeavingReason | null;
}

/** Groups the services of a snapshot by template and by node, and counts them. */
export function indexSnapshot(snapshot: Snapshot): SnapshotIndex {
  const byTemplate = new Map<TemplateId, TemplateCount>();
  const byNode = new Map<NodeId, NodeCount>();
  let players = 0;
  for (const service of snapshot.services) {
    players += playersOn(service);
    countOfTemplate(service, byTemplate, snapshot.now);
    if (isPlaced(service)) countOnNode(service, byNode);
  }
  const nodes = new Map(snapshot.nodes.map((node) => [node.id, node]));
  const templates = new Map(snapshot.templates.map((template) => [template.id, template]));
  const volumes = new Map(snapshot.volumes.map((volume) => [volume.service, volume]));
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
    volumeOf: (id) => volumes.get(id),
    unsavable: ({ id, node }) => {
      const volume = volumes.get(id);
      return node !== null && volume?.attachedTo === node ? volume.unsavable : null;
    },
    unsavedOn: (id) =>
      snapshot.volumes.filter(({ attachedTo, mayBeUnsaved }) => mayBeUnsaved && attachedTo === id),
    leaving: (service) => leaving.get(service) ?? null,
  };
}

const NO_SERVICES: TemplateIndex = {
  services: [],
  active: [],
  counts: zeroCounts(0),
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

function countOfTemplate(
  service: ServiceSnapshot,
  byTemplate: Map<TemplateId, TemplateCount>,
  now: number,
): void {
  let entry = byTemplate.get(service.template);
  if (entry === undefined) {
    entry = {
      services: [],
      active: [],
      counts: zeroCounts(now),
      requested: [],
      empty: [],
      retiring: [],
      leaving: [],
    };
    byTemplate.set(service.template, entry);
  }
  entry.services.push(service);
  if (service.stopping) return;
  entry.active.push(service);
  countService(service, entry.counts);
  if (service.state === 'REQUESTED') entry.requested.push(service);
  if (service.state === 'RUNNING') entry.empty.push(service);
  if ((service.retiring || service.draining) && !service.held && !service.restarting)
    entry.retiring.push(service);
}

const EMPTY_NODE: NodeIndex = { services: [], allocatedMb: 0, inUse: 0, starting: 0, players: 0 };

type NodeCount = { -readonly [K in keyof NodeIndex]: NodeIndex[K] } & { services: ServiceSnapshot[] };

function countOnNode(
  service: ServiceSnapshot & { readonly node: NodeId },
  byNode: Map<NodeId, NodeCount>,
): void {
  let entry = byNode.get(service.node);
  if (entry === undefined) {
    entry = { services: [], allocatedMb: 0, inUse: 0, starting: 0, players: 0 };
    byNode.set(service.node, entry);
  }
  entry.services.push(service);
  entry.allocatedMb += service.ramMb;
  entry.players += playersOn(service);
  if (service.state === 'IN_USE') entry.inUse += 1;
  if (service.state === 'PREPARING' || service.state === 'STARTING') entry.starting += 1;
}
