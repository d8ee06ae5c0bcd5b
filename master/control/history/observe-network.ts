import { isUp } from '#shared/model/service.ts';
import { cloudNodes } from '#master/state/costs/cloud-nodes.ts';
import { viewNodes } from '#master/state/nodes/node-view.ts';
import type { Documents } from '#master/state/context/documents.ts';
import type { Environment } from '#master/state/context/environment.ts';
import type { NodeAccess } from '#master/state/context/node-access.ts';
import type { ServiceStores } from '#master/state/context/service-stores.ts';
import type { IngressAccess } from '#master/ingress/ingress-access.ts';
import { knownPlayers } from '#master/ingress/presence.ts';
import type { Sample } from './time-series.ts';

type Known = Pick<Documents, 'config' | 'overrides'> &
  Pick<Environment, 'now'> &
  Pick<NodeAccess, 'registry'> &
  Pick<ServiceStores, 'records'> &
  Pick<IngressAccess, 'link' | 'proxies'>;

/**
 * Returns the current players, services, RAM (MB) and cost (EUR per hour, without VAT) of the network. Null while the
 * number of players is unknown.
 */
export function observeNetwork(known: Known): Sample | null {
  const players = knownPlayers(known);
  if (players === null) return null;
  const nodes = viewNodes(known);
  const ids = new Set(nodes.map(({ id }) => id));
  let [servicesUp, ramAllocatedMb] = [0, 0];
  for (const record of known.records.all) {
    if (isUp(record)) servicesUp += 1;
    if (record.node !== null && ids.has(record.node)) ramAllocatedMb += record.placed?.ramMb ?? 0;
  }
  return {
    players,
    playerLimit: known.config.master.config.max_online_players,
    servicesUp,
    services: known.records.all.length,
    ramAllocatedMb,
    ramTotalMb: nodes.reduce((sum, { ramMb }) => sum + ramMb, 0),
    costPerHour: cloudNodes(known).reduce((sum, { rental }) => sum + rental.hourlyPrice, 0),
  };
}
