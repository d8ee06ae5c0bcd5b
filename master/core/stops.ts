import { serviceNumber } from '#shared/model/service.ts';
import type { ActionOf } from './action.ts';
import type { Census } from './census.ts';
import { isReady, isReleasable, playersOn, type ServiceSnapshot, type TemplateSnapshot } from './snapshot.ts';
import { tally, without, type Counts } from './tally.ts';
import { missingForCapacity, type Spare } from './wants.ts';

interface Stops {
  readonly stops: readonly ActionOf<'stop'>[];
  /** The numbers of what is then left: neither stopping nor leaving its node. */
  readonly left: Counts;
}

/**
 * Rules 4 and 6, requests that nothing needs any more, and what leaves a draining node. Order: not ready first, then
 * empty; of those the one whose end helps most to empty a node. Nothing in use or held is chosen.
 */
export function planStops(template: TemplateSnapshot, census: Census, spare: Spare): Stops {
  const round = new StopRound(template, census, spare);
  round.stopOverCap();
  round.withdrawRequests();
  round.stopUnused();
  round.stopLeaving();
  return round;
}

/** The stops of one template in one round: each changes what the next may take. */
class StopRound implements Stops {
  readonly stops: ActionOf<'stop'>[] = [];
  left: Counts;
  readonly #template: TemplateSnapshot;
  readonly #census: Census;
  readonly #spare: Spare;
  /** Not stopping when the round began, staying where they are or leaving. */
  readonly #active: readonly ServiceSnapshot[];
  readonly #stopped = new Set<ServiceSnapshot>();
  #leaving = 0;
  /** Empty, joinable services on nodes that are being emptied: they serve until others are ready. */
  #leavingReady: number;

  constructor(template: TemplateSnapshot, census: Census, spare: Spare) {
    this.#template = template;
    this.#census = census;
    this.#spare = spare;
    this.#active = census.ofTemplate(template.id).filter((service) => !service.stopping);
    const staying: ServiceSnapshot[] = [];
    let playersLeaving = 0;
    this.#leavingReady = 0;
    for (const service of this.#active) {
      if (!census.isLeaving(service)) staying.push(service);
      // What is on a lost node serves nobody, and nobody plays there any more.
      else if (this.#isDraining(service)) {
        this.#leaving += 1;
        playersLeaving += playersOn(service);
        if (isReady(service)) this.#leavingReady += 1;
      }
    }
    const counts = tally(staying);
    // Those who play on a node that is being emptied have no place elsewhere yet, and others like them still come.
    this.left = { ...counts, players: counts.players + playersLeaving };
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
      if (this.#census.isLeaving(service) || !this.#isSuperfluous(service)) continue;
      const seconds = Math.round(unusedMs(service, now) / 1000);
      const rule = `killUnusedTooManyServersAfter is ${killAfter} ms`;
      this.#stop(service, `unused for ${seconds} s (${rule}); no rule needs it`);
    }
  }

  /** Replaced elsewhere, or on its way to where it is not wanted. Never before the minimum is ready without it. */
  stopLeaving(): void {
    if (this.#leaving === 0) return;
    for (const service of this.#stoppable((one) => one.state !== 'IN_USE' && this.#isDraining(one))) {
      const readyWithout = this.left.ready + this.#leavingReady - 1;
      if (isReady(service) && readyWithout < this.#spare.count) continue;
      this.#stop(service, `node ${service.node ?? ''} is being emptied`);
    }
  }

  #isDraining({ node }: ServiceSnapshot): boolean {
    return node !== null && this.#census.node(node)?.state === 'DRAINING';
  }

  /** True when rules 1–3 stay satisfied without the service. What is only on its way never replaces what is ready. */
  #isSuperfluous(service: ServiceSnapshot): boolean {
    const others = without(service, this.left);
    const kept = others.ready + (service.state === 'REQUESTED' ? others.onTheWay : 0);
    const spareHolds = service.unresponsive || kept >= this.#spare.count;
    return spareHolds && missingForCapacity(this.#template, others) === 0;
  }

  #stoppable(mayStop: (service: ServiceSnapshot) => boolean): ServiceSnapshot[] {
    const candidates = this.#active.filter((service) => !service.held && mayStop(service));
    const left = this.#stopped.size === 0 ? candidates : candidates.filter((one) => !this.#stopped.has(one));
    return inStopOrder(left, this.#census);
  }

  #stop(service: ServiceSnapshot, cause: string): void {
    this.stops.push({ kind: 'stop', service: service.id, cause });
    this.#stopped.add(service);
    if (!this.#census.isLeaving(service)) this.left = without(service, this.left);
    else if (isReady(service) && this.#isDraining(service)) this.#leavingReady -= 1;
  }
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

/** Not ready first; then those on nodes that are being emptied; then by {@link emptyingRank}; then the newest. */
function inStopOrder(services: readonly ServiceSnapshot[], census: Census): ServiceSnapshot[] {
  if (services.length < 2) return [...services];
  const ranked = services.map((service) => ({ service, rank: emptyingRank(service, census) }));
  ranked.sort(
    (a, b) =>
      STOP_RANK[a.service.state] - STOP_RANK[b.service.state] ||
      Number(census.isLeaving(b.service)) - Number(census.isLeaving(a.service)) ||
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
