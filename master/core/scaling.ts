import { serviceIdOf, serviceNumber } from '#shared/model/service.ts';
import type { Action } from './action.ts';
import { utilisationPercent } from './capacity.ts';
import type { Census } from './census.ts';
import type { ServiceSnapshot, TemplateSnapshot } from './snapshot.ts';
import { tally, without, type Counts } from './tally.ts';

/** What the rules of design 5 want of one template, before RAM is looked at. */
export interface Scaling {
  readonly requests: readonly Extract<Action, { kind: 'request' }>[];
  readonly stops: readonly Extract<Action, { kind: 'stop' }>[];
}

/** How many empty services a template is to keep ready, and the rule that says so. */
interface Spare {
  readonly count: number;
  readonly because: string;
}

/**
 * Plans how many services of one template to request and which to stop (spec 2.1; design 5, rules 1–4 and 6).
 *
 * A service that is requested, prepared or started already counts as capacity, so that one event causes at most
 * the starts it needs. Nothing in use is ever stopped here, and nothing that a rule needs.
 */
export function planScaling(template: TemplateSnapshot, census: Census): Scaling {
  const services = census.ofTemplate(template.id);
  const spare = computeSpare(template, census);
  const { stops, left } = planStops(template, services, { spare, now: census.snapshot.now });
  return { requests: planRequests(template, left, { spare, existing: services.length }), stops };
}

/** Rules 1 and 3: the minimum, and one more while the whole network is full enough. */
function computeSpare({ config }: TemplateSnapshot, { snapshot, players }: Census): Spare {
  const minimum = config.minimumRunningServers;
  const threshold = config.startNewServiceAtGlobalCapacity;
  const percent = utilisationPercent(players, snapshot.maxOnlinePlayers);
  if (threshold > 0 && percent >= threshold) {
    const numbers = `${players} of ${snapshot.maxOnlinePlayers} players on the network, ${Math.floor(percent)} % ≥ ${threshold} %`;
    return { count: minimum + 1, because: `startNewServiceAtGlobalCapacity: ${numbers}` };
  }
  return { count: minimum, because: `minimumRunningServers is ${minimum}` };
}

function planRequests(
  template: TemplateSnapshot,
  active: Counts,
  { spare, existing }: { readonly spare: Spare; readonly existing: number },
): Scaling['requests'] {
  const { ready, onTheWay } = active;
  const forSpare = Math.max(0, spare.count - ready - onTheWay);
  const forCapacity = missingForCapacity(template, active);
  const capacityCause = `startNewServiceAtTemplateCapacity: ${capacityNumbers(template, active)}`;
  const [count, cause] =
    forCapacity > forSpare
      ? [forCapacity, capacityCause]
      : [forSpare, `${spare.because}; ${ready} ready, ${onTheWay} on the way`];
  // A stopping service is still online until it is gone: the cap holds for what exists, not for what is meant.
  const maximum = template.config.maximumOnlineServers;
  const allowed = maximum === -1 ? count : Math.min(count, Math.max(0, maximum - existing));
  return Array.from({ length: allowed }, (_, i) => ({
    kind: 'request',
    service: serviceIdOf(template.id, template.nextNumber + i),
    template: template.id,
    cause,
  }));
}

/**
 * Rule 2: how many more services bring the template below its threshold, at once.
 *
 * Example: 50 % and 2 services of 10 slots with 12 players: 12/20 = 60 %; one more gives 12/30 = 40 % → 1.
 */
function missingForCapacity({ config }: TemplateSnapshot, { players, slots }: Counts): number {
  const threshold = config.startNewServiceAtTemplateCapacity;
  if (threshold === 0 || players === 0) return 0;
  // Smallest k with players / (slots + k · maxPlayers) < threshold / 100.
  const slotsNeeded = (players * 100) / threshold;
  return slots > slotsNeeded ? 0 : Math.floor((slotsNeeded - slots) / config.maxPlayers) + 1;
}

function capacityNumbers({ config }: TemplateSnapshot, { players, slots }: Counts): string {
  const percent = Math.floor(utilisationPercent(players, slots));
  return `${players} of ${slots} players, ${percent} % ≥ ${config.startNewServiceAtTemplateCapacity} %`;
}

/**
 * Rules 4 and 6, and requests that nothing needs any more. Order: not ready first, then empty; the newest first.
 *
 * @returns the stops, and the numbers of the services that are then left and not stopping
 */
function planStops(
  template: TemplateSnapshot,
  services: readonly ServiceSnapshot[],
  { spare, now }: { readonly spare: Spare; readonly now: number },
): { readonly stops: Scaling['stops']; readonly left: Counts } {
  const stops: Extract<Action, { kind: 'stop' }>[] = [];
  const stopped = new Set<ServiceSnapshot>();
  const active = services.filter((service) => !service.stopping);
  let left = tally(active);
  const stop = (service: ServiceSnapshot, cause: string): void => {
    stops.push({ kind: 'stop', service: service.id, cause });
    stopped.add(service);
    left = without(service, left);
  };
  const stoppable = (mayStop: (service: ServiceSnapshot) => boolean): ServiceSnapshot[] =>
    byStopOrder(active.filter((service) => !stopped.has(service) && mayStop(service)));

  const maximum = template.config.maximumOnlineServers;
  if (maximum !== -1 && left.count > maximum) {
    for (const service of stoppable(({ state }) => state !== 'IN_USE')) {
      if (left.count <= maximum) break;
      stop(service, `maximumOnlineServers is ${maximum}`);
    }
  }
  for (const service of stoppable(({ state, manual }) => state === 'REQUESTED' && !manual)) {
    if (isSuperfluous(service, template, { left, spare })) {
      stop(service, `${spare.because}; it is no longer needed`);
    }
  }
  const killAfter = template.config.killUnusedTooManyServersAfter;
  for (const service of stoppable((one) => killAfter !== -1 && unusedMs(one, now) >= killAfter)) {
    if (isSuperfluous(service, template, { left, spare })) {
      const seconds = Math.round(unusedMs(service, now) / 1000);
      stop(
        service,
        `unused for ${seconds} s (killUnusedTooManyServersAfter is ${killAfter} ms); no rule needs it`,
      );
    }
  }
  return { stops, left };
}

/** How long a service has been joinable and empty, ms; less than any limit when it is not. */
function unusedMs({ state, unusedSince }: ServiceSnapshot, now: number): number {
  return state !== 'RUNNING' || unusedSince === null ? -Infinity : now - unusedSince;
}

/** True when rules 1–3 stay satisfied without the service. What is only on its way never replaces what is ready. */
function isSuperfluous(
  service: ServiceSnapshot,
  template: TemplateSnapshot,
  { left, spare }: { readonly left: Counts; readonly spare: Spare },
): boolean {
  const others = without(service, left);
  const kept = others.ready + (service.state === 'REQUESTED' ? others.onTheWay : 0);
  const spareHolds = service.unresponsive || kept >= spare.count;
  return spareHolds && missingForCapacity(template, others) === 0;
}

const STOP_RANK: Readonly<Record<ServiceSnapshot['state'], number>> = {
  REQUESTED: 0,
  PREPARING: 1,
  STARTING: 2,
  RUNNING: 3,
  IN_USE: 4,
};

function byStopOrder(services: readonly ServiceSnapshot[]): ServiceSnapshot[] {
  return [...services].sort(
    (a, b) => STOP_RANK[a.state] - STOP_RANK[b.state] || serviceNumber(b.id) - serviceNumber(a.id),
  );
}
