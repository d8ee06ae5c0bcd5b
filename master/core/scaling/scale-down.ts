import type { ActionOf } from '../action.ts';
import type { SnapshotIndex, TemplateIndex } from '../snapshot/snapshot-index.ts';
import { whyTemplateWaits } from '../placement/placement.ts';
import {
  answers,
  isEndingToRestart,
  isReady,
  isUp,
  playersOn,
  type ServiceSnapshot,
  type TemplateSnapshot,
} from '../snapshot/snapshot.ts';
import { inStopOrder } from './stop-order.ts';
import { withoutService, type Counts } from '../snapshot/counts.ts';
import { missingForCapacity, type Spare } from './desired-services.ts';

interface Stops {
  readonly stops: readonly ActionOf<'stop'>[];
  /** The numbers of what is then left: neither stopping nor leaving. */
  readonly left: Counts;
  /** The same with what is leaving and still serves. */
  readonly serving: Counts;
}

/**
 * Rules 4 and 6, requests that nothing needs any more, and what is leaving: a draining node, its template, or as it is
 * replaced. Order: not ready first, then empty; of those the one whose end helps most to empty a node. Nothing in use or
 * held is chosen.
 */
export function planStops(template: TemplateSnapshot, index: SnapshotIndex, spare: Spare): Stops {
  const round = new StopRound(template, index, spare);
  round.stopOverCap();
  round.withdrawRequests();
  round.stopUnused();
  round.stopLeaving();
  round.makeRoomUnderCap();
  return round;
}

/** The stops of one template in one round: each changes what the next may take. */
class StopRound implements Stops {
  readonly stops: ActionOf<'stop'>[] = [];
  left: Counts;
  readonly #template: TemplateSnapshot;
  readonly #index: SnapshotIndex;
  readonly #spare: Spare;
  /** As the round began. */
  readonly #there: TemplateIndex;
  readonly #stopped = new Set<ServiceSnapshot>();
  /** Empty, joinable services that are leaving: they serve until others are ready. */
  #leavingReady = 0;
  /** Slots of all that are leaving and answer; what does not goes as soon as nobody is on it. */
  #leavingSlotsUp = 0;

  constructor(template: TemplateSnapshot, index: SnapshotIndex, spare: Spare) {
    this.#template = template;
    this.#index = index;
    this.#spare = spare;
    this.#there = index.ofTemplate(template.id);
    this.left = this.#there.counts;
    let playersLeaving = 0;
    for (const service of this.#there.leaving) {
      this.left = withoutService(service, this.left);
      // What is on a lost node serves nobody, and nobody plays there any more.
      if (index.leaving(service) === 'lost') continue;
      playersLeaving += playersOn(service);
      if (!this.#serves(service)) continue;
      if (isReady(service)) this.#leavingReady += 1;
      if (answers(service)) this.#leavingSlotsUp += service.maxPlayers;
    }
    // Those who play on what is leaving have no place elsewhere yet, and others like them still come.
    this.left = { ...this.left, players: this.left.players + playersLeaving };
  }

  get serving(): Counts {
    const { ready, slots } = this.left;
    return { ...this.left, ready: ready + this.#leavingReady, slots: slots + this.#leavingSlotsUp };
  }

  /** Rule 4: as when the maximum was lowered. */
  stopOverCap(): void {
    const maximum = this.#template.config.maximumOnlineServers;
    let excess = maximum === -1 ? 0 : this.#there.active.length - maximum;
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

  /** Rule 6. */
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

  /** Replaced, or on its way to where it is not wanted. Never before rules 1–3 hold with what is up without it. */
  stopLeaving(): void {
    for (const service of this.#stoppable(this.#there.leaving, (one) => !isInUse(one) && this.#serves(one))) {
      if (isReady(service) && this.#isStillNeeded(service)) continue;
      this.#stop(service, this.#whyItLeaves(service));
    }
  }

  /**
   * The cap leaves no room to have another one ready first, and nothing else is about to make room: one that a person
   * wants replaced goes before its replacement comes. One at a time, and none while no other could start.
   */
  makeRoomUnderCap(): void {
    const maximum = this.#template.config.maximumOnlineServers;
    const { services, leaving } = this.#there;
    if (leaving.length === 0 || services.length !== maximum || !this.#isStill()) return;
    if (whyTemplateWaits(this.#template, this.#index.snapshot.now) !== null) return;
    const [first] = this.#stoppable(leaving, (one) => isReady(one) && this.#isAskedToLeave(one));
    if (first === undefined) return;
    const why = `maximumOnlineServers is ${maximum}, so there is no room to have another one ready first`;
    this.#stop(first, `${this.#whyItLeaves(first)}; ${why}`);
  }

  /** All are up: none stops or is on its way, and none is on a lost node, where it is missing until it is gone. */
  #isStill(): boolean {
    if (this.stops.length > 0) return false;
    return this.#there.services.every(
      (one) => isUp(one) && !one.stopping && this.#index.leaving(one) !== 'lost',
    );
  }

  /** It leaves, and still takes players. */
  #serves(service: ServiceSnapshot): boolean {
    const leaving = this.#index.leaving(service);
    return leaving !== null && leaving !== 'lost' && leaving !== 'draining';
  }

  /** By a person: a rule that saves money never goes below the minimum for it. */
  #isAskedToLeave(service: ServiceSnapshot): boolean {
    const leaving = this.#index.leaving(service);
    return leaving === 'drained' || (service.retiring && leaving !== 'draining');
  }

  /** Without it rules 1–3 would not hold with what is up now, staying or leaving. */
  #isStillNeeded(service: ServiceSnapshot): boolean {
    if (this.left.ready + this.#leavingReady - 1 < this.#spare.count) return true;
    const slots = this.left.slotsUp + this.#leavingSlotsUp - service.maxPlayers;
    return missingForCapacity(this.#template, { players: this.left.players, slots }) > 0;
  }

  #whyItLeaves(service: ServiceSnapshot): string {
    switch (this.#index.leaving(service)) {
      case 'retiring':
        return 'it is being replaced, and nobody uses it';
      case 'deleted':
        return `template ${this.#template.id} is being deleted`;
      default:
        return `node ${service.node ?? ''} is being emptied`;
    }
  }

  /** True when rules 1–3 stay satisfied without the service. What is only on its way never replaces what is ready. */
  #isSuperfluous(service: ServiceSnapshot): boolean {
    const others = withoutService(service, this.left);
    const kept = others.ready + (service.state === 'REQUESTED' ? others.onTheWay : 0);
    const spareHolds = service.unresponsive || kept >= this.#spare.count;
    return spareHolds && missingForCapacity(this.#template, others) === 0;
  }

  /** Of these services those that may be stopped, in the order in which they are. */
  #stoppable(
    services: readonly ServiceSnapshot[],
    mayStop: (service: ServiceSnapshot) => boolean,
  ): ServiceSnapshot[] {
    const candidates = services.filter(
      (one) => !one.held && !this.#stopped.has(one) && !this.#comesBack(one) && mayStop(one),
    );
    return inStopOrder(candidates, this.#index);
  }

  /** It ends anyway, and begins again; with its template it goes for good. */
  #comesBack(service: ServiceSnapshot): boolean {
    return isEndingToRestart(service) && !this.#template.leaving;
  }

  #stop(service: ServiceSnapshot, cause: string): void {
    this.stops.push({ kind: 'stop', service: service.id, cause });
    this.#stopped.add(service);
    if (this.#index.leaving(service) === null) this.left = withoutService(service, this.left);
    else if (this.#serves(service)) {
      if (isReady(service)) this.#leavingReady -= 1;
      if (answers(service)) this.#leavingSlotsUp -= service.maxPlayers;
    }
  }
}

/** Players may be on it, and are not about to lose it anyway. */
function isInUse({ state, restarting }: ServiceSnapshot): boolean {
  return state === 'IN_USE' && !restarting;
}

/** How long a service has been joinable and empty, ms; less than any limit when it is not. */
function unusedMs({ state, unusedSince }: ServiceSnapshot, now: number): number {
  return state !== 'RUNNING' || unusedSince === null ? -Infinity : now - unusedSince;
}
