import { isPersistent } from '#shared/config/template.ts';
import type { ActionOf } from '../action.ts';
import type { SnapshotIndex, TemplateIndex } from '../snapshot/snapshot-index.ts';
import { whyTemplateWaits } from '../placement/choose-node.ts';
import {
  answers,
  isAvailable,
  isStoppingForRestart,
  isReady,
  isUp,
  playersOn,
  type ServiceSnapshot,
  type TemplateSnapshot,
} from '../snapshot/snapshot.ts';
import { highestNumberFirst, inStopOrder } from './stop-order.ts';
import { withoutService, type Counts } from '../snapshot/counts.ts';
import { computeMissing, missingForCapacity, type Spare } from './desired-services.ts';
import type { ReplacementRoom } from './replacement-room.ts';
import { whichSaveDelays } from './save-wait.ts';
import { batchSizeOf } from './surge-batch.ts';

interface Needs {
  readonly spare: Spare;
  /** Room for replacements of services that stop early; changes as the templates of a round are planned. */
  readonly room: ReplacementRoom;
}

interface Stops {
  readonly stops: readonly ActionOf<'stop'>[];
  /** Counts of the services that remain: those that neither stop nor leave. */
  readonly left: Counts;
  /** {@link left} as it will be once another service leaves. */
  readonly leftForDrain: Counts;
  /** Counts of the services that remain, plus leaving services that still serve players. */
  readonly serving: Counts;
}

/**
 * Stops services above the maximum, unused services, requests that are no longer needed, and leaving services
 * (draining node, deleted template, replacement). Services that are not ready stop first, then empty ones. Among the
 * empty services, the first to stop is the one whose stop helps most to empty its node. Services in use, paused
 * services and services whose data cannot be saved are never stopped.
 *
 * Example: a maximum of 1 with lobby-1 and lobby-3 IN_USE and lobby-2 RUNNING → stops lobby-2.
 */
export function planStops(template: TemplateSnapshot, index: SnapshotIndex, needs: Needs): Stops {
  const round = new StopRound(template, index, needs);
  round.stopOverCap();
  // With too few known players, services that are needed would seem superfluous.
  if (!index.snapshot.awaitsReports) {
    round.withdrawRequests();
    round.stopUnused();
  }
  round.stopLeaving();
  round.makeRoomUnderCap();
  return round;
}

/**
 * Collects the stops of one template in one round. Each step takes into account what the previous steps have
 * stopped.
 */
class StopRound implements Stops {
  readonly stops: ActionOf<'stop'>[] = [];
  left: Counts;
  readonly #template: TemplateSnapshot;
  readonly #index: SnapshotIndex;
  readonly #spare: Spare;
  readonly #room: ReplacementRoom;
  /** Services and counts of the template, as they are before the round stops anything. */
  readonly #there: TemplateIndex;
  readonly #stopped = new Set<ServiceSnapshot>();
  /**
   * Services that this round would stop if their data could be saved. They keep running and still count, but no other
   * service stops in their place.
   */
  readonly #postponed = new Set<ServiceSnapshot>();
  /**
   * Whether leaving services count like the others. True for a template with persistent paths: after a stop, its
   * service starts again under the same number with the same data, and no other service can replace it.
   */
  readonly #comeBack: boolean;
  /**
   * Paused services that have stopped. They count while all services stay. But no rule starts them, so they cannot
   * replace a leaving service. They do not count while services leave, so that other services start instead.
   */
  readonly #paused: readonly ServiceSnapshot[];
  /** Number of empty, joinable services that are leaving. They serve players until other services are ready. */
  #leavingReady = 0;
  /**
   * Number of player slots of leaving services that answer status pings. A leaving service that does not answer
   * stops as soon as no player is on it.
   */
  #leavingSlotsUp = 0;

  constructor(template: TemplateSnapshot, index: SnapshotIndex, { spare, room }: Needs) {
    this.#template = template;
    this.#index = index;
    this.#spare = spare;
    this.#room = room;
    this.#there = index.ofTemplate(template.id);
    this.#comeBack = isPersistent(template.config) && !template.leaving;
    this.#paused = this.#comeBack ? [] : this.#there.requested.filter((one) => isPaused(one, index));
    const { counts } = this.#there;
    const leaving = this.#comeBack ? [] : this.#there.leaving;
    this.left = leaving.length === 0 ? counts : withoutServices([...leaving, ...this.#paused], counts);
    let playersLeaving = 0;
    for (const service of leaving) {
      // A service on a lost node has no players and accepts none.
      if (index.leaving(service) === 'lost') continue;
      playersLeaving += playersOn(service);
      if (!this.#serves(service)) continue;
      if (isReady(service)) this.#leavingReady += 1;
      if (answers(service)) this.#leavingSlotsUp += service.maxPlayers;
    }
    // Players on leaving services still need slots elsewhere, so they keep counting.
    this.left = { ...this.left, players: this.left.players + playersLeaving };
  }

  get leftForDrain(): Counts {
    return this.#there.leaving.length > 0 ? this.left : withoutServices(this.#paused, this.left);
  }

  get serving(): Counts {
    const { ready, slots } = this.left;
    return { ...this.left, ready: ready + this.#leavingReady, slots: slots + this.#leavingSlotsUp };
  }

  /** Stops services above `maximumOnlineServers`, for example after it was lowered. */
  stopOverCap(): void {
    const maximum = this.#template.config.maximumOnlineServers;
    // A service that has ended keeps its place until its data is saved. No other service stops instead of it.
    const counted = this.#there.active.filter(
      (one) => !(this.#comesBack(one) && this.#index.unsavable(one) !== null),
    );
    let excess = maximum === -1 ? 0 : counted.length - maximum;
    if (excess <= 0) return;
    for (const service of this.#stoppable(this.#there.active, ({ state }) => state !== 'IN_USE')) {
      if (excess <= 0) return;
      excess -= 1;
      this.#stop(service, `maximumOnlineServers is ${maximum}`);
    }
  }

  withdrawRequests(): void {
    if (this.left.onTheWay === 0) return;
    for (const service of this.#stoppable(this.#there.requested, ({ manual }) => !manual)) {
      if (this.#isSuperfluous(service)) this.#stop(service, `${this.#spare.because}; it is no longer needed`);
    }
  }

  /** Stops services that have been unused for `killUnusedTooManyServersAfter` and that no rule needs. */
  stopUnused(): void {
    const killAfter = this.#template.config.killUnusedTooManyServersAfter;
    if (killAfter === -1) return;
    const { now } = this.#index.snapshot;
    for (const service of this.#stoppable(this.#there.empty, (one) => unusedMs(one, now) >= killAfter)) {
      if (this.#index.leaving(service) !== null || !this.#isSuperfluous(service)) continue;
      const seconds = Math.round(unusedMs(service, now) / 1000);
      const rule = `killUnusedTooManyServersAfter is ${killAfter} ms`;
      this.#stop(service, `unused for ${seconds} s (${rule}); no rule needs it`);
    }
  }

  /**
   * Stops leaving services that have no players. A leaving service that is ready stops only if the services that are
   * available meet the spare rule and the capacity rule without it. No service stops if its stop would have to wait for
   * a save that fails ({@link whichSaveDelays}).
   */
  stopLeaving(): void {
    for (const service of this.#stoppable(this.#there.leaving, (one) => !isInUse(one) && this.#serves(one))) {
      // The data of a service can be used on another node only after the service has stopped.
      if (isReady(service) && (this.#comeBack ? this.#mayNotBeAway(service) : this.#isStillNeeded(service)))
        continue;
      if (whichSaveDelays(service, this.#template, this.#index) !== null) continue;
      const isReplaced = this.#comeBack && !this.#isSuperfluous(service);
      this.#stop(service, this.#whyItLeaves(service));
      if (isReplaced) this.#reserveRoom(service);
    }
  }

  /**
   * Reports whether a service of a template with persistent paths must keep running now. If false, it may stop, and
   * starts again afterwards if a rule needs it. At most one batch of services is away at the same time. If the data of
   * the batch cannot be saved, or the services of the batch cannot start, the other services keep running.
   */
  #mayNotBeAway(service: ServiceSnapshot): boolean {
    const { services } = this.#there;
    if (this.#countAway() >= batchSizeOf(services.length) || this.#cannotStart()) return true;
    // A service that no rule needs does not have to start again.
    return !this.#isSuperfluous(service) && !this.#room.existsFor(service, this.#template);
  }

  /**
   * Returns the number of services that are away: they stop, have stopped and will be requested again, are starting, or
   * have just come up. Services on unreachable nodes do not count, because they may be away for a long time.
   */
  #countAway(): number {
    const { services, active, counts } = this.#there;
    const missing = computeMissing(this.#template, counts, this.#spare);
    const maximum = this.#template.config.maximumOnlineServers;
    const room = maximum === -1 ? Infinity : Math.max(0, maximum - services.length);
    const stopped = Math.min(room, Math.max(0, missing - (services.length - active.length)));
    return services.filter((one) => this.#isAway(one)).length + this.stops.length + stopped;
  }

  #isAway(service: ServiceSnapshot): boolean {
    // A requested service may have to wait for a node or a person for a long time. It then does not count.
    if (service.node === null) return this.#room.startsSoon(service);
    return (service.stopping || this.#isAwaited(service)) && this.#isReachable(service);
  }

  #isReachable({ node }: ServiceSnapshot): boolean {
    const own = node === null ? undefined : this.#index.node(node);
    return own?.silent === false && own.state !== 'LOST';
  }

  /** Reports whether no service of the template could start now. A stopped service would then not start again. */
  #cannotStart(): boolean {
    return whyTemplateWaits(this.#template, this.#index.snapshot.now) !== null;
  }

  /**
   * Stops one service that a person asked to leave, before its replacement is ready. This is necessary if
   * `maximumOnlineServers` leaves no room for both. The stop waits until all services of the template are up, so only
   * one stops at a time. No service stops while its replacement could not start.
   */
  makeRoomUnderCap(): void {
    const maximum = this.#template.config.maximumOnlineServers;
    const { services, leaving } = this.#there;
    if (this.#comeBack || leaving.length === 0 || services.length !== maximum || !this.#isStill()) return;
    if (this.#cannotStart()) return;
    const mayLeave = this.#stoppable(leaving, (one) => isReady(one) && this.#isAskedToLeave(one));
    const first = mayLeave.find((one) => this.#room.existsFor(one, this.#template));
    if (first === undefined) return;
    const why = `maximumOnlineServers is ${maximum}, so there is no room to have another one ready first`;
    this.#stop(first, `${this.#whyItLeaves(first)}; ${why}`);
    this.#reserveRoom(first);
  }

  /** Reserves room for the replacement of a service, unless its stop is postponed. */
  #reserveRoom(service: ServiceSnapshot): void {
    if (this.#stopped.has(service)) this.#room.reserve(service, this.#template);
  }

  /** Reports whether all services are available: none is stopping, starting, just up, or on a lost node. */
  #isStill(): boolean {
    if (this.stops.length > 0) return false;
    return this.#there.services.every(
      (one) => !this.#isAwaited(one) && !one.stopping && this.#index.leaving(one) !== 'lost',
    );
  }

  /** Reports whether a leaving service still accepts players. */
  #serves(service: ServiceSnapshot): boolean {
    const leaving = this.#index.leaving(service);
    return leaving !== null && leaving !== 'lost' && leaving !== 'draining';
  }

  /**
   * Reports whether a person asked for the service to leave. Only such services may take the template below its
   * minimum; services that a rule drains to save money may not.
   */
  #isAskedToLeave(service: ServiceSnapshot): boolean {
    const leaving = this.#index.leaving(service);
    return leaving === 'drained' || (service.retiring && leaving !== 'draining');
  }

  /**
   * Reports whether the spare rule or the capacity rule still needs a leaving service. Only services that are up now
   * count, whether they stay or leave. Those that stay must be available, because others may still crash.
   */
  #isStillNeeded(service: ServiceSnapshot): boolean {
    if (this.left.available + this.#leavingReady - 1 < this.#spare.count) return true;
    const slots = this.left.slotsAvailable + this.#leavingSlotsUp - service.maxPlayers;
    return missingForCapacity(this.#template, { players: this.left.players, slots }) > 0;
  }

  /**
   * Reports whether a service still has to become available before others may stop. A leaving proxy whose plugin is
   * not linked may never become available, so it must not prevent its own replacement.
   */
  #isAwaited(service: ServiceSnapshot): boolean {
    if (isUp(service) && service.availableAt === null && this.#index.leaving(service) !== null) return false;
    return !isAvailable(service, this.#index.snapshot.now);
  }

  #whyItLeaves(service: ServiceSnapshot): string {
    switch (this.#index.leaving(service)) {
      case 'retiring':
        return 'it is being replaced and is empty';
      case 'deleted':
        return `template ${this.#template.id} is being deleted`;
      default:
        return `node ${service.node ?? ''} is being drained`;
    }
  }

  /**
   * Reports whether the spare rule and the capacity rule are met without the service. A service that is still
   * starting, or has just come up, does not count as a substitute for a ready one.
   */
  #isSuperfluous(service: ServiceSnapshot): boolean {
    const others = withoutServices([service, ...this.#postponed], this.left);
    const kept = service.state === 'REQUESTED' ? others.ready + others.onTheWay : others.available;
    const spareHolds = service.unresponsive || kept >= this.#spare.count;
    return spareHolds && missingForCapacity(this.#template, others) === 0;
  }

  /** Returns those of the given services that may be stopped, in the sequence in which to stop them. */
  #stoppable(
    services: readonly ServiceSnapshot[],
    mayStop: (service: ServiceSnapshot) => boolean,
  ): ServiceSnapshot[] {
    const candidates = services.filter(
      (one) => !one.held && !this.#isChosen(one) && !this.#comesBack(one) && mayStop(one),
    );
    return isPersistent(this.#template.config)
      ? highestNumberFirst(candidates)
      : inStopOrder(candidates, this.#index);
  }

  /**
   * Reports whether the service is stopping for a restart and will be back. A service of a template that is being
   * deleted does not return.
   */
  #comesBack(service: ServiceSnapshot): boolean {
    return isStoppingForRestart(service) && !this.#template.leaving;
  }

  #isChosen(service: ServiceSnapshot): boolean {
    return this.#stopped.has(service) || this.#postponed.has(service);
  }

  #stop(service: ServiceSnapshot, cause: string): void {
    if (this.#index.unsavable(service) !== null) {
      this.#postponed.add(service);
      return;
    }
    this.stops.push({ kind: 'stop', service: service.id, cause });
    this.#stopped.add(service);
    if (this.#comeBack || this.#index.leaving(service) === null)
      this.left = withoutService(service, this.left);
    else if (this.#serves(service)) {
      if (isReady(service)) this.#leavingReady -= 1;
      if (answers(service)) this.#leavingSlotsUp -= service.maxPlayers;
    }
  }
}

function withoutServices(services: readonly ServiceSnapshot[], counts: Counts): Counts {
  return services.reduce((left, service) => withoutService(service, left), counts);
}

/** Reports whether a requested service stays, and starts only after a person has resumed its automation. */
function isPaused(service: ServiceSnapshot, index: SnapshotIndex): boolean {
  return service.held && !service.restarting && index.leaving(service) === null;
}

/**
 * Reports whether players may be on the service. A service that is restarting does not count, as it loses its
 * players anyway.
 */
function isInUse({ state, restarting }: ServiceSnapshot): boolean {
  return state === 'IN_USE' && !restarting;
}

/**
 * Returns how long a service has been joinable and empty (ms). Returns -Infinity if it is not joinable, or not empty.
 */
function unusedMs({ state, unusedSince }: ServiceSnapshot, now: number): number {
  return state !== 'RUNNING' || unusedSince === null ? -Infinity : now - unusedSince;
}
