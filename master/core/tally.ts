import { isOnItsWay, isReady, playersOn, type ServiceSnapshot } from './snapshot.ts';

/** Numbers of a group of services that the scaling rules compare. */
export interface Counts {
  readonly count: number;
  /** Joinable and empty. */
  readonly ready: number;
  /** Requested, prepared or started. */
  readonly onTheWay: number;
  readonly players: number;
  readonly slots: number;
}

/** Counts a group of services. */
export function tally(services: readonly ServiceSnapshot[]): Counts {
  let [ready, onTheWay, players, slots] = [0, 0, 0, 0];
  for (const service of services) {
    if (isReady(service)) ready += 1;
    if (isOnItsWay(service)) onTheWay += 1;
    players += playersOn(service);
    slots += service.maxPlayers;
  }
  return { count: services.length, ready, onTheWay, players, slots };
}

/** The numbers of the same group without one of its services. */
export function without(service: ServiceSnapshot, counts: Counts): Counts {
  return {
    count: counts.count - 1,
    ready: counts.ready - (isReady(service) ? 1 : 0),
    onTheWay: counts.onTheWay - (isOnItsWay(service) ? 1 : 0),
    players: counts.players - playersOn(service),
    slots: counts.slots - service.maxPlayers,
  };
}
