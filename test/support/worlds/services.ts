import fc from 'fast-check';
import type { NodeSnapshot, ServiceSnapshot } from '#master/core/snapshot/snapshot.ts';
import { serviceRamMb } from '#shared/config/template.ts';
import { NOW } from '../master/snapshots.ts';
import { never, oneIn } from './chance.ts';
import type { WishedTemplate } from './templates.ts';

/** Service that has no ID yet. `node` is the index of the node on which it should run if this node has room. */
export interface WishedService {
  readonly state: ServiceSnapshot['state'];
  readonly node: number;
  readonly players: number;
  readonly unusedForMs: number;
  readonly ageMs: number;
  /** Whether the service has been up for such a short time that it does not count as a replacement yet. */
  readonly isNew: boolean;
  readonly stopping: boolean;
  readonly unresponsive: boolean;
  readonly manual: boolean;
  readonly held: boolean;
  readonly retiring: boolean;
  readonly restarting: boolean;
  /** Whether the service was started with earlier settings for memory and slots than its template has now. */
  readonly oldConfig: boolean;
}

/**
 * Generates a service.
 *
 * @param troubles whether services may be stopping, unresponsive, paused, retiring or restarting
 */
export function arbitraryService(troubles: boolean): fc.Arbitrary<WishedService> {
  const rarely = troubles ? oneIn : never;
  return fc.record<WishedService>({
    state: fc.constantFrom('RUNNING', 'IN_USE', 'STARTING', 'PREPARING', 'REQUESTED'),
    node: fc.nat({ max: 4 }),
    players: fc.nat({ max: 20 }),
    unusedForMs: fc.oneof(fc.constantFrom(0, 60_000, 120_000), fc.nat({ max: 200_000 })),
    ageMs: fc.nat({ max: 100_000 }),
    isNew: rarely(6),
    stopping: rarely(8),
    unresponsive: rarely(8),
    manual: oneIn(4),
    held: rarely(6),
    retiring: rarely(5),
    restarting: rarely(10),
    oldConfig: rarely(6),
  });
}

interface Surroundings {
  readonly id: string;
  /** The service's template. Null if it was deleted. */
  readonly template: WishedTemplate | null;
  readonly nodes: readonly NodeSnapshot[];
  /** Free RAM on each node (MB). */
  readonly free: ReadonlyMap<NodeSnapshot['id'], number>;
}

/** States of nodes that can have services. Nodes in the states ORDERED and BOOTING have no services yet. */
const INHABITED: readonly NodeSnapshot['state'][] = ['READY', 'CORDONED', 'DRAINING', 'DELETING', 'LOST'];

/**
 * Returns the service on the wanted node, or on the next node with room. If no node has room, the service is
 * REQUESTED.
 */
export function toService(wished: WishedService, around: Surroundings): ServiceSnapshot {
  const { id, template } = around;
  const ramMb = template === null ? 1_399 : serviceRamMb(template.config);
  const placedMb = wished.oldConfig ? 1_000 : ramMb;
  const node = wished.state === 'REQUESTED' ? null : findNode(wished, { ...around, ramMb: placedMb });
  const state = node === null ? 'REQUESTED' : wished.state;
  const maxPlayers = slotsOf(wished, template, node);
  return {
    id,
    template: id.slice(0, id.lastIndexOf('-')),
    state,
    node,
    ramMb: node === null ? ramMb : placedMb,
    requestedAt: NOW - wished.ageMs,
    unusedSince: state === 'RUNNING' ? NOW - wished.unusedForMs : null,
    availableAt: isUp(state) ? NOW + (wished.isNew ? 10_000 : 0) : null,
    unresponsive: isUp(state) && wished.unresponsive,
    // An IN_USE service may have 0 players, because a plugin can declare an empty service in use.
    players: state === 'IN_USE' ? Math.min(wished.players, maxPlayers) : 0,
    maxPlayers,
    held: wished.held,
    draining: false,
    ...wantedGone(wished, node),
  };
}

function isUp(state: ServiceSnapshot['state']): boolean {
  return state === 'RUNNING' || state === 'IN_USE';
}

/**
 * Returns the fields that describe a stop, a restart and a replacement. A restarting service is neither stopping nor
 * retiring.
 */
function wantedGone(
  { stopping, restarting, retiring, manual }: WishedService,
  node: string | null,
): Pick<ServiceSnapshot, 'stopping' | 'restarting' | 'retiring' | 'manual'> {
  return {
    stopping: stopping && !restarting,
    restarting,
    retiring: retiring && node !== null && !restarting,
    manual: manual || restarting,
  };
}

function slotsOf({ oldConfig }: WishedService, template: WishedTemplate | null, node: string | null): number {
  const slots = template?.config.maxPlayers ?? 10;
  return node !== null && oldConfig ? slots + 3 : slots;
}

function findNode(
  { node }: WishedService,
  { nodes, free, ramMb }: Surroundings & { readonly ramMb: number },
): string | null {
  const inTurn = nodes.map((_, i) => nodes[(node + i) % nodes.length]);
  const fitting = inTurn.find(
    (one) => one !== undefined && INHABITED.includes(one.state) && (free.get(one.id) ?? 0) >= ramMb,
  );
  return fitting?.id ?? null;
}
