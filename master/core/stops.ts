import { serviceNumber } from '#shared/model/service.ts';
import type { ActionOf } from './action.ts';
import type { Census } from './census.ts';
import { whyTemplateWaits } from './placement.ts';
import {
  isEndingToRestart,
  isReady,
  isReleasable,
  isUp,
  playersOn,
  type ServiceSnapshot,
  type TemplateSnapshot,
} from './snapshot.ts';
import { tally, without, type Counts } from './tally.ts';
import { missingForCapacity, type Spare } from './wants.ts';

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
export function planStops(template: TemplateSnapshot, census: Census, spare: Spare): Stops {
  const round = new StopRound(template, census, spare);
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
  readonly #census: Census;
  readonly #spare: Spare;
  /** Not stopping when the round began, staying or leaving. */
  readonly #active: readonly ServiceSnapshot[];
  readonly #stopped = new Set<ServiceSnapshot>();
  #leaving = 0;
  /** Empty, joinable services that are leaving: they serve until others are ready. */
  #leavingReady = 0;
  /** Slots of all that are up; counted once something is leaving. Slots of those of them that are. */
  #slotsUp = 0;
  #leavingSlotsUp = 0;

  constructor(template: TemplateSnapshot, census: Census, spare: Spare) {
    this.#template = template;
    this.#census = census;
    this.#spare = spare;
    this.#active = census.ofTemplate(template.id).filter((service) => !service.stopping);
    const staying: ServiceSnapshot[] = [];
    let playersLeaving = 0;
    for (const service of this.#active) {
      const leaving = census.leaving(service);
      if (leaving === null) staying.push(service);
      // What is on a lost node serves nobody, and nobody plays there any more.
      else if (leaving !== 'lost') {
        this.#leaving += 1;
        playersLeaving += playersOn(service);
        if (isReady(service)) this.#leavingReady += 1;
        if (isUp(service)) this.#leavingSlotsUp += service.maxPlayers;
      }
    }
    const counts = tally(staying);
    // Those who play on what is leaving have no place elsewhere yet, and others like them still come.
    this.left = { ...counts, players: counts.players + playersLeaving };
  }

  get serving(): Counts {
    const { ready, slots, ...rest } = this.left;
    return { ...rest, ready: ready + this.#leavingReady, slots: slots + this.#leavingSlotsUp };
  }

  /** Rule 4: as when the maximum was lowered. */
  stopOverCap(): void {
    const maximum = this.#template.config.maximumOnlineServers;
    let excess = maximum === -1 ? 0 : this.#active.length - maximum;
    if (excess <= 0) return;
    for (const service of this.#stoppable(({ state }) => state !== 'IN_USE')) {
      if (excess <= 0) return;
      excess -= 1;
      this.#stop(service, `maximumOnlineServers is ${maximum}`);
    }
  }

  withdrawRequests(): void {
    if (this.left.onTheWay === 0) return;
    for (const service of this.#stoppable(({ state, manual }) => state === 'REQUESTED' && !manual)) {
      if (this.#isSuperfluous(service)) this.#stop(service, `${this.#spare.because}; it is no longer needed`);
    }
  }

  /** Rule 6. */
  stopUnused(): void {
    const killAfter = this.#template.config.killUnusedTooManyServersAfter;
    if (killAfter === -1) return;
    const { now } = this.#census.snapshot;
    for (const service of this.#stoppable((one) => unusedMs(one, now) >= killAfter)) {
      if (this.#census.leaving(service) !== null || !this.#isSuperfluous(service)) continue;
      const seconds = Math.round(unusedMs(service, now) / 1000);
      const rule = `killUnusedTooManyServersAfter is ${killAfter} ms`;
      this.#stop(service, `unused for ${seconds} s (${rule}); no rule needs it`);
    }
  }

  /** Replaced, or on its way to where it is not wanted. Never before rules 1–3 hold with what is up without it. */
  stopLeaving(): void {
    if (this.#leaving === 0) return;
    this.#slotsUp = this.#countSlotsUp();
    for (const service of this.#stoppable((one) => !isInUse(one) && this.#serves(one))) {
      if (isReady(service) && this.#isStillNeeded(service)) continue;
      this.#stop(service, this.#whyItLeaves(service));
    }
  }

  /**
   * The cap leaves no room to have another one ready first, and nothing else is about to make room: one that a person
   * wants replaced goes before its replacement comes. One at a time, and none while no other could start.
   */
  makeRoomUnderCap(): void {
    const { id, config } = this.#template;
    const maximum = config.maximumOnlineServers;
    const existing = this.#census.ofTemplate(id).length;
    const changing = this.stops.length > 0 || this.#active.length < existing || this.left.onTheWay > 0;
    if (this.#leaving === 0 || existing !== maximum || changing) return;
    if (whyTemplateWaits(this.#template, this.#census.snapshot.now) !== null) return;
    const [first] = this.#stoppable((one) => isReady(one) && this.#isAskedToLeave(one));
    if (first === undefined) return;
    const why = `maximumOnlineServers is ${maximum}, so there is no room to have another one ready first`;
    this.#stop(first, `${this.#whyItLeaves(first)}; ${why}`);
  }

  #countSlotsUp(): number {
    const up = this.#active.filter(
      (one) => isUp(one) && !this.#stopped.has(one) && this.#census.leaving(one) !== 'lost',
    );
    return up.reduce((slots, { maxPlayers }) => slots + maxPlayers, 0);
  }

  /** It leaves, and still serves. */
  #serves(service: ServiceSnapshot): boolean {
    const leaving = this.#census.leaving(service);
    return leaving !== null && leaving !== 'lost';
  }

  /** By a person: a rule that saves money never goes below the minimum for it. */
  #isAskedToLeave(service: ServiceSnapshot): boolean {
    const leaving = this.#census.leaving(service);
    return leaving === 'retiring' || leaving === 'drained';
  }

  /** Without it rules 1–3 would not hold with what is up now, staying or leaving. */
  #isStillNeeded(service: ServiceSnapshot): boolean {
    if (this.left.ready + this.#leavingReady - 1 < this.#spare.count) return true;
    const slots = this.#slotsUp - service.maxPlayers;
    return missingForCapacity(this.#template, { players: this.left.players, slots }) > 0;
  }

  #whyItLeaves(service: ServiceSnapshot): string {
    switch (this.#census.leaving(service)) {
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
    const others = without(service, this.left);
    const kept = others.ready + (service.state === 'REQUESTED' ? others.onTheWay : 0);
    const spareHolds = service.unresponsive || kept >= this.#spare.count;
    return spareHolds && missingForCapacity(this.#template, others) === 0;
  }

  #stoppable(mayStop: (service: ServiceSnapshot) => boolean): ServiceSnapshot[] {
    const candidates = this.#active.filter(
      (service) => !service.held && !this.#comesBack(service) && mayStop(service),
    );
    const left = this.#stopped.size === 0 ? candidates : candidates.filter((one) => !this.#stopped.has(one));
    return inStopOrder(left, this.#census);
  }

  /** It ends anyway, and begins again; with its template it goes for good. */
  #comesBack(service: ServiceSnapshot): boolean {
    return isEndingToRestart(service) && !this.#template.leaving;
  }

  #stop(service: ServiceSnapshot, cause: string): void {
    this.stops.push({ kind: 'stop', service: service.id, cause });
    this.#stopped.add(service);
    const leaving = this.#census.leaving(service);
    if (isUp(service) && leaving !== 'lost') this.#slotsUp -= service.maxPlayers;
    if (leaving === null) this.left = without(service, this.left);
    else if (leaving !== 'lost') {
      if (isReady(service)) this.#leavingReady -= 1;
      if (isUp(service)) this.#leavingSlotsUp -= service.maxPlayers;
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

const STOP_RANK: Readonly<Record<ServiceSnapshot['state'], number>> = {
  REQUESTED: 0,
  PREPARING: 1,
  STARTING: 2,
  RUNNING: 3,
  IN_USE: 4,
};

/** Not ready first; then those that are leaving; then by {@link emptyingRank}; then the newest. */
function inStopOrder(services: readonly ServiceSnapshot[], census: Census): ServiceSnapshot[] {
  if (services.length < 2) return [...services];
  const ranked = services.map((service) => ({ service, rank: emptyingRank(service, census) }));
  ranked.sort(
    (a, b) =>
      STOP_RANK[a.service.state] - STOP_RANK[b.service.state] ||
      Number(census.leaving(b.service) !== null) - Number(census.leaving(a.service) !== null) ||
      a.rank.inUse - b.rank.inUse ||
      a.rank.allocatedMb - b.rank.allocatedMb ||
      serviceNumber(b.service.id) - serviceNumber(a.service.id),
  );
  return ranked.map(({ service }) => service);
}

interface EmptyingRank {
  readonly inUse: number;
  readonly allocatedMb: number;
}

const NEVER_EMPTIED: EmptyingRank = { inUse: Number.MAX_SAFE_INTEGER, allocatedMb: Number.MAX_SAFE_INTEGER };

/** The less is used and placed on a rented node, the sooner it can be given back (design 5, rule 6). */
function emptyingRank({ node }: ServiceSnapshot, census: Census): EmptyingRank {
  const machine = node === null ? undefined : census.node(node);
  return machine !== undefined && isReleasable(machine) ? census.onNode(machine.id) : NEVER_EMPTIED;
}
