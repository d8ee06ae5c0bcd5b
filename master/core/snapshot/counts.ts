import { answers, isPending, isReady, isUp, playersOn, type ServiceSnapshot } from './snapshot.ts';

/** Counts of a group of services, as the scaling rules compare them. */
export interface Counts {
  readonly count: number;
  /** Number of services that are joinable and empty. */
  readonly ready: number;
  /** Number of services that are requested, prepared or starting. */
  readonly onTheWay: number;
  /** Number of services that are up (empty or in use) and answer their status pings. */
  readonly answering: number;
  readonly players: number;
  readonly slots: number;
  /** Number of player slots of services that are up. Players can take these slots immediately. */
  readonly slotsUp: number;
}

/** Counts that are still being added up. */
export type MutableCounts = { -readonly [K in keyof Counts]: Counts[K] };

/** Returns the counts of an empty group. */
export function zeroCounts(): MutableCounts {
  return { count: 0, ready: 0, onTheWay: 0, answering: 0, players: 0, slots: 0, slotsUp: 0 };
}

/** Adds one service to the counts. Changes `counts`. */
export function countService(service: ServiceSnapshot, counts: MutableCounts): void {
  counts.count += 1;
  if (isReady(service)) counts.ready += 1;
  if (isPending(service)) counts.onTheWay += 1;
  if (answers(service)) counts.answering += 1;
  counts.players += playersOn(service);
  counts.slots += service.maxPlayers;
  if (isUp(service)) counts.slotsUp += service.maxPlayers;
}

/** Returns the counts of the group without one of its services. Does not change `counts`. */
export function withoutService(service: ServiceSnapshot, counts: Counts): Counts {
  return {
    count: counts.count - 1,
    ready: counts.ready - (isReady(service) ? 1 : 0),
    onTheWay: counts.onTheWay - (isPending(service) ? 1 : 0),
    answering: counts.answering - (answers(service) ? 1 : 0),
    players: counts.players - playersOn(service),
    slots: counts.slots - service.maxPlayers,
    slotsUp: counts.slotsUp - (isUp(service) ? service.maxPlayers : 0),
  };
}
