import type { TemplateId } from '#shared/model/template.ts';
import { isPlaced, type NodeSnapshot, type ServiceSnapshot, type Snapshot } from './snapshot.ts';

/** A snapshot's services looked through once and sorted by what the rules ask for, so that no rule does it again. */
export interface Census {
  readonly snapshot: Snapshot;
  /** Players on the whole network. */
  readonly players: number;
  /** Services of one template, in the snapshot's order. */
  ofTemplate(id: TemplateId): readonly ServiceSnapshot[];
  /** Services placed on one node. */
  onNode(id: NodeSnapshot['id']): readonly ServiceSnapshot[];
}

/** Counts and sorts; takes as long as there are services, however many templates and nodes they belong to. */
export function takeCensus(snapshot: Snapshot): Census {
  const byTemplate = new Map<TemplateId, ServiceSnapshot[]>();
  const byNode = new Map<NodeSnapshot['id'], ServiceSnapshot[]>();
  let players = 0;
  for (const service of snapshot.services) {
    players += service.players;
    addTo(byTemplate, service.template, service);
    if (isPlaced(service)) addTo(byNode, service.node, service);
  }
  return {
    snapshot,
    players,
    ofTemplate: (id) => byTemplate.get(id) ?? [],
    onNode: (id) => byNode.get(id) ?? [],
  };
}

function addTo(groups: Map<string, ServiceSnapshot[]>, key: string, service: ServiceSnapshot): void {
  const group = groups.get(key);
  if (group === undefined) groups.set(key, [service]);
  else group.push(service);
}
