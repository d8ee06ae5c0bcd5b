import { serviceNumber } from '#shared/model/service.ts';
import type { Market, NodeSnapshot, ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { aMarket, aRentedNode, aService, aSnapshot, aTemplate, NOW } from '#test/support/master/snapshots.ts';

/** One worked example of docs/scaling.md: a situation, from which the page shows what `plan` makes of it. */
export interface Example {
  /** Stands behind the opening fence of its block. */
  readonly name: string;
  readonly snapshot: Snapshot;
  /** The node of which the page shows why it stays. */
  readonly stays?: string;
}

export const MINUTE_MS = 60_000;

/** Numbers of new services go on where those that exist end, as in a real network. */
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

/** The same with rented nodes, and a provider that sells more. */
export function aRentedNetwork(fields: Partial<Snapshot>, market: Partial<Market> = {}): Snapshot {
  const nextNumber = (fields.nodes ?? []).length + 1;
  return aNetwork({ configureMode: false, market: aMarket({ nextNumber, ...market }), ...fields });
}

/** A node of 7,168 MB that is so many minutes into an hour that is paid for. */
export function nodeInMinute(id: string, minute: number, fields: Partial<NodeSnapshot> = {}): NodeSnapshot {
  const rental = { type: 'cpx32', since: NOW - minute * MINUTE_MS, hourlyPrice: 0.02 };
  return aRentedNode(id, { rental, ...fields });
}

export const LOBBY = aTemplate('lobby', { minimumRunningServers: 1 });
export const SURVIVAL = aTemplate('survival', { maxJvmMemory: 4096, maxPlayers: 40 });

/** In use by 30 of 40 players, 4096 + 375 MB. */
export function aSurvival(number: number, node: string): ServiceSnapshot {
  return aService(`survival-${number}`, { state: 'IN_USE', players: 30, maxPlayers: 40, ramMb: 4471, node });
}
