import { answers, isAvailable, isPending, isReady, playersOn, type ServiceSnapshot } from './snapshot.ts';

/** Counts of a group of services, as the scaling rules compare them. */
export interface Counts {
  /** Time at which the services are counted (ms since epoch). */
  readonly now: number;
  readonly count: number;
  /** Number of services that are joinable and empty. */
  readonly ready: number;
  /** Number of ready services that are available, so that another service may stop because of them. */
  readonly available: number;
  /** Number of services that are requested, prepared or starting. */
  readonly onTheWay: number;
  /** Number of services that are up (empty or in use) and answer their status pings. */
  readonly answering: number;
  readonly players: number;
  readonly slots: number;
  /** Number of player slots of available services. Players can take these slots immediately. */
  readonly slotsAvailable: number;
}

/** Counts that are still being added up. */
export type MutableCounts = { -readonly [K in keyof Counts]: Counts[K] };

/**
 * Returns the counts of an empty group.
 *
 * @param now ms since epoch
 */
export function zeroCounts(now: number): MutableCounts {
  return {
    now,
    count: 0,
    ready: 0,
    available: 0,
    onTheWay: 0,
    answering: 0,
    players: 0,
    slots: 0,
    slotsAvailable: 0,
  };
}

/** Adds one service to the counts. Changes `counts`. */
export function countService(service: ServiceSnapshot, counts: MutableCounts): void {
  counts.count += 1;
  if (isReady(service)) counts.ready += 1;
  if (isPending(service)) counts.onTheWay += 1;
  if (answers(service)) counts.answering += 1;
  counts.players += playersOn(service);
  counts.slots += service.maxPlayers;
  if (!isAvailable(service, counts.now)) return;
  if (isReady(service)) counts.available += 1;
  counts.slotsAvailable += service.maxPlayers;
}

/** Returns the counts of the group without one of its services. Does not change `counts`. */
export function withoutService(service: ServiceSnapshot, counts: Counts): Counts {
  const wasAvailable = isAvailable(service, counts.now);
  return {
    now: counts.now,
    count: counts.count - 1,
    ready: counts.ready - (isReady(service) ? 1 : 0),
    available: counts.available - (wasAvailable && isReady(service) ? 1 : 0),
    onTheWay: counts.onTheWay - (isPending(service) ? 1 : 0),
    answering: counts.answering - (answers(service) ? 1 : 0),
    players: counts.players - playersOn(service),
    slots: counts.slots - service.maxPlayers,
    slotsAvailable: counts.slotsAvailable - (wasAvailable ? service.maxPlayers : 0),
  };
}
