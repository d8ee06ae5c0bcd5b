import { answers, isOnItsWay, isReady, isUp, playersOn, type ServiceSnapshot } from './snapshot.ts';

/** Numbers of a group of services that the scaling rules compare. */
export interface Counts {
  readonly count: number;
  /** Joinable and empty. */
  readonly ready: number;
  /** Requested, prepared or started. */
  readonly onTheWay: number;
  /** Up, empty or in use, and not silent. */
  readonly answering: number;
  readonly players: number;
  readonly slots: number;
  /** Of these slots those that can be taken now: of what is up. */
  readonly slotsUp: number;
}

/** Numbers that are still being counted. */
export type MutableCounts = { -readonly [K in keyof Counts]: Counts[K] };

/** The numbers of no service at all. */
export function zeroCounts(): MutableCounts {
  return { count: 0, ready: 0, onTheWay: 0, answering: 0, players: 0, slots: 0, slotsUp: 0 };
}

/** Counts one service more. */
export function countService(service: ServiceSnapshot, counts: MutableCounts): void {
  counts.count += 1;
  if (isReady(service)) counts.ready += 1;
  if (isOnItsWay(service)) counts.onTheWay += 1;
  if (answers(service)) counts.answering += 1;
  counts.players += playersOn(service);
  counts.slots += service.maxPlayers;
  if (isUp(service)) counts.slotsUp += service.maxPlayers;
}

/** The numbers of the same group without one of its services. */
export function withoutService(service: ServiceSnapshot, counts: Counts): Counts {
  return {
    count: counts.count - 1,
    ready: counts.ready - (isReady(service) ? 1 : 0),
    onTheWay: counts.onTheWay - (isOnItsWay(service) ? 1 : 0),
    answering: counts.answering - (answers(service) ? 1 : 0),
    players: counts.players - playersOn(service),
    slots: counts.slots - service.maxPlayers,
    slotsUp: counts.slotsUp - (isUp(service) ? service.maxPlayers : 0),
  };
}
