import { serviceNumber } from '#shared/model/service.ts';
import type { Market, NodeSnapshot, ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { aMarket, aRentedNode, aService, aSnapshot, aTemplate, NOW } from '#test/support/master/snapshots.ts';

/** A worked example of the scaling rules. A page shows the situation and its plan. */
export interface Example {
  /** Name after the opening fence of the example's block. */
  readonly name: string;
  readonly snapshot: Snapshot;
  /** Node that is kept. The page shows the reason. */
  readonly stays?: string;
}

export const MINUTE_MS = 60_000;

/** Creates a snapshot in which new services get the numbers after the existing ones, as in a real network. */
export function aNetwork(fields: Partial<Snapshot>): Snapshot {
  const snapshot = aSnapshot(fields);
  const templates = snapshot.templates.map((template) => {
    const numbers = snapshot.services
      .filter((service) => service.template === template.id)
      .map(({ id }) => serviceNumber(id));
    return { ...template, nextNumber: Math.max(0, ...numbers) + 1 };
  });
  return { ...snapshot, templates };
}

/** Creates a snapshot with cloud nodes and a provider that offers several types. */
export function aRentedNetwork(fields: Partial<Snapshot>, market: Partial<Market> = {}): Snapshot {
  const nextNumber = (fields.nodes ?? []).length + 1;
  return aNetwork({ configureMode: false, market: aMarket({ nextNumber, ...market }), ...fields });
}

/** Creates a node of 7,168 MB that is the given number of minutes into a paid hour. */
export function nodeInMinute(id: string, minute: number, fields: Partial<NodeSnapshot> = {}): NodeSnapshot {
  const rental = { type: 'cpx32', since: NOW - minute * MINUTE_MS, hourlyPrice: 0.02 };
  return aRentedNode(id, { rental, ...fields });
}

export const LOBBY = aTemplate('lobby', { minimumRunningServers: 1 });
export const SURVIVAL = aTemplate('survival', { maxJvmMemory: 4096, maxPlayers: 40 });

/** Creates a service with 4096 + 375 MB of RAM and 30 players on 40 slots. */
export function aSurvival(number: number, node: string): ServiceSnapshot {
  return aService(`survival-${number}`, { state: 'IN_USE', players: 30, maxPlayers: 40, ramMb: 4471, node });
}
