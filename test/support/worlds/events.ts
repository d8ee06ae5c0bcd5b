import fc from 'fast-check';
import type { Action } from '#master/core/action.ts';
import { serviceNumber } from '#shared/model/service.ts';
import { serviceRamMb } from '#shared/config/template.ts';
import type { ServiceSnapshot, Snapshot } from '#master/core/snapshot/snapshot.ts';
import { aService } from '../master/snapshots.ts';
import { requestedAgain } from './afterwards.ts';

/** Event that happens to one service between two rounds of the control loop. */
export interface Happening {
  readonly kind: 'joins' | 'leaves' | 'crashes' | 'ends' | 'declares itself in use';
  /** Index into the list of services to which the event can happen, modulo the length of this list. */
  readonly which: number;
}

export const arbitraryHappening: fc.Arbitrary<Happening> = fc.record<Happening>({
  kind: fc.constantFrom('joins', 'declares itself in use', 'leaves', 'crashes', 'ends'),
  which: fc.nat({ max: 20 }),
});

const possible: Readonly<Record<Happening['kind'], (service: ServiceSnapshot) => boolean>> = {
  joins: (one) => isUp(one) && one.players < one.maxPlayers,
  'declares itself in use': ({ state }) => state === 'RUNNING',
  leaves: ({ players }) => players > 0,
  crashes: isUp,
  ends: isUp,
};

/**
 * Returns the network after the event, and the service to which the event happens. Null if the event can happen to no
 * service.
 */
export function happens(
  snapshot: Snapshot,
  { kind, which }: Happening,
): { readonly snapshot: Snapshot; readonly to: ServiceSnapshot } | null {
  const candidates = snapshot.services.filter(
    (service) => !service.stopping && !service.restarting && possible[kind](service),
  );
  const to = candidates[which % Math.max(1, candidates.length)];
  if (to === undefined) return null;
  const services = snapshot.services.flatMap((one) =>
    one === to ? changed(one, kind, snapshot.now) : [one],
  );
  return { snapshot: { ...snapshot, services }, to };
}

function changed(one: ServiceSnapshot, kind: Happening['kind'], now: number): ServiceSnapshot[] {
  switch (kind) {
    case 'joins':
      return [{ ...one, state: 'IN_USE', players: one.players + 1, unusedSince: null }];
    case 'declares itself in use':
      return [{ ...one, state: 'IN_USE', unusedSince: null }];
    case 'leaves':
      return one.players > 1
        ? [{ ...one, players: one.players - 1 }]
        : [{ ...one, players: 0, state: 'RUNNING', unusedSince: now }];
    case 'crashes':
      return [requestedAgain(one)];
    case 'ends':
      return [];
  }
}

function isUp({ state }: ServiceSnapshot): boolean {
  return state === 'RUNNING' || state === 'IN_USE';
}

/**
 * Returns the network after the actions of a plan have started: requests are recorded, services to start are
 * PREPARING, and services to stop are being stopped.
 */
export function begun(snapshot: Snapshot, actions: readonly Action[]): Snapshot {
  const stopped = new Set(actions.flatMap((one) => (one.kind === 'stop' ? [one.service] : [])));
  const started = new Map(actions.flatMap((one) => (one.kind === 'start' ? [[one.service, one.node]] : [])));
  const services = snapshot.services.map((one): ServiceSnapshot => {
    if (stopped.has(one.id)) return { ...one, stopping: true };
    const node = started.get(one.id);
    return node === undefined ? one : { ...one, node, state: 'PREPARING', restarting: false };
  });
  return withRequests({ ...snapshot, services }, actions);
}

/** Returns the network after the requests of a plan have been recorded. */
export function withRequests(snapshot: Snapshot, actions: readonly Action[]): Snapshot {
  const requested = actions.flatMap((action) => {
    const template = snapshot.templates.find(({ id }) => action.kind === 'request' && id === action.template);
    if (action.kind !== 'request' || template === undefined) return [];
    const { config } = template;
    const fields = { ramMb: serviceRamMb(config), maxPlayers: config.maxPlayers, requestedAt: snapshot.now };
    return [aService(action.service, { state: 'REQUESTED', ...fields })];
  });
  const templates = snapshot.templates.map((template) => ({
    ...template,
    nextNumber: Math.max(
      template.nextNumber,
      ...requested.filter((one) => one.template === template.id).map((one) => serviceNumber(one.id) + 1),
    ),
  }));
  return { ...snapshot, templates, services: [...snapshot.services, ...requested] };
}
