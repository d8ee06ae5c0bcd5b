import type { TemplateId } from '#shared/model/template.ts';
import {
  isPlaced,
  playersOn,
  type NodeId,
  type NodeSnapshot,
  type ServiceSnapshot,
  type Snapshot,
} from './snapshot.ts';

/** What is on one node. Stopping services count until they are gone. */
export interface NodeTally {
  readonly services: readonly ServiceSnapshot[];
  /** RAM its services take, MB. */
  readonly allocatedMb: number;
  readonly inUse: number;
  /** Being prepared or started. */
  readonly starting: number;
  readonly players: number;
}

/** A snapshot's services looked through once and sorted by what the rules ask for, so that no rule does it again. */
export interface Census {
  readonly snapshot: Snapshot;
  /** Players on the whole network. */
  readonly players: number;
  /** Services of one template, in the snapshot's order. */
  ofTemplate(id: TemplateId): readonly ServiceSnapshot[];
  onNode(id: NodeId): NodeTally;
  node(id: NodeId): NodeSnapshot | undefined;
  /** Why a service has to go, and is no capacity any more; null for one that stays. */
  leaving(service: ServiceSnapshot): Leaving | null;
}

/**
 * Why a service has to go. What is on a `lost` node (or one that is being deleted) serves nobody any more; all others
 * serve until they are replaced: on a node that a person (`drained`) or a rule (`spared`) empties, `retiring` as a
 * person has it replaced, or `deleted` with its template.
 */
export type Leaving = 'lost' | 'drained' | 'spared' | 'retiring' | 'deleted';

const EMPTY: NodeTally = { services: [], allocatedMb: 0, inUse: 0, starting: 0, players: 0 };

/** Counts and sorts; takes as long as there are services, however many templates and nodes they belong to. */
export function takeCensus(snapshot: Snapshot): Census {
  const byTemplate = new Map<TemplateId, ServiceSnapshot[]>();
  const byNode = new Map<NodeId, Tallying>();
  let players = 0;
  for (const service of snapshot.services) {
    players += playersOn(service);
    const ofTemplate = byTemplate.get(service.template);
    if (ofTemplate === undefined) byTemplate.set(service.template, [service]);
    else ofTemplate.push(service);
    if (isPlaced(service)) count(service, byNode);
  }
  const beingLeft = new Map(snapshot.nodes.flatMap((node) => leftNode(node)));
  const deleted = new Set(snapshot.templates.filter(({ leaving }) => leaving).map(({ id }) => id));
  const nodes = new Map(snapshot.nodes.map((node) => [node.id, node]));
  return {
    snapshot,
    players,
    ofTemplate: (id) => byTemplate.get(id) ?? [],
    onNode: (id) => byNode.get(id) ?? EMPTY,
    node: (id) => nodes.get(id),
    leaving: (service) => {
      // Asked of every service in every round, and hardly any is.
      if (!service.retiring && beingLeft.size === 0 && deleted.size === 0) return null;
      const { node, template } = service;
      const ofNode = node === null ? undefined : beingLeft.get(node);
      if (ofNode === 'lost') return 'lost';
      if (deleted.has(template)) return 'deleted';
      // Once it has ended it is started elsewhere, from the newest.
      if (service.restarting) return null;
      return service.retiring && !service.held ? 'retiring' : (ofNode ?? null);
    },
  };
}

function leftNode({ id, state, drainedByRules }: NodeSnapshot): [NodeId, Leaving][] {
  if (state === 'LOST' || state === 'DELETING') return [[id, 'lost']];
  return state === 'DRAINING' ? [[id, drainedByRules ? 'spared' : 'drained']] : [];
}

type Tallying = { -readonly [K in keyof NodeTally]: NodeTally[K] } & { services: ServiceSnapshot[] };

function count(service: ServiceSnapshot & { readonly node: NodeId }, byNode: Map<NodeId, Tallying>): void {
  let tally = byNode.get(service.node);
  if (tally === undefined) {
    tally = { ...EMPTY, services: [] };
    byNode.set(service.node, tally);
  }
  tally.services.push(service);
  tally.allocatedMb += service.ramMb;
  tally.players += playersOn(service);
  if (service.state === 'IN_USE') tally.inUse += 1;
  if (service.state === 'PREPARING' || service.state === 'STARTING') tally.starting += 1;
}
