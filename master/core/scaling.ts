import { serviceIdOf, serviceNumber } from '#shared/model/service.ts';
import type { Action } from './action.ts';
import { utilisationPercent } from './capacity.ts';
import {
  isOnItsWay,
  isReady,
  servicesOf,
  type ServiceSnapshot,
  type Snapshot,
  type TemplateSnapshot,
} from './snapshot.ts';

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
export function planScaling(template: TemplateSnapshot, snapshot: Snapshot): Scaling {
  const services = servicesOf(snapshot, template.id);
  const spare = computeSpare(template, snapshot);
  const stops = planStops(template, services, { spare, now: snapshot.now });
  const stopped = new Set(stops.map((stop) => stop.service));
  const staying = services.filter((service) => !stopped.has(service.id));
  return { requests: planRequests(template, staying, { spare, existing: services.length }), stops };
}

/** Rules 1 and 3: the minimum, and one more while the whole network is full enough. */
function computeSpare({ config }: TemplateSnapshot, snapshot: Snapshot): Spare {
  const minimum = config.minimumRunningServers;
  const threshold = config.startNewServiceAtGlobalCapacity;
  const players = snapshot.services.reduce((sum, service) => sum + service.players, 0);
  const percent = utilisationPercent(players, snapshot.maxOnlinePlayers);
  if (threshold > 0 && percent >= threshold) {
    const numbers = `${players} of ${snapshot.maxOnlinePlayers} players on the network, ${Math.floor(percent)} % ≥ ${threshold} %`;
    return { count: minimum + 1, because: `startNewServiceAtGlobalCapacity: ${numbers}` };
  }
  return { count: minimum, because: `minimumRunningServers is ${minimum}` };
}

function planRequests(
  template: TemplateSnapshot,
  staying: readonly ServiceSnapshot[],
  { spare, existing }: { readonly spare: Spare; readonly existing: number },
): Scaling['requests'] {
  const active = staying.filter((service) => !service.stopping);
  const ready = active.filter(isReady).length;
  const onTheWay = active.filter(isOnItsWay).length;
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
function missingForCapacity({ config }: TemplateSnapshot, active: readonly ServiceSnapshot[]): number {
  const threshold = config.startNewServiceAtTemplateCapacity;
  const players = sumPlayers(active);
  if (threshold === 0 || players === 0) return 0;
  // Smallest k with players / (slots + k · maxPlayers) < threshold / 100.
  const slotsNeeded = (players * 100) / threshold;
  const slots = sumSlots(active);
  return slots > slotsNeeded ? 0 : Math.floor((slotsNeeded - slots) / config.maxPlayers) + 1;
}

function capacityNumbers({ config }: TemplateSnapshot, active: readonly ServiceSnapshot[]): string {
  const [players, slots] = [sumPlayers(active), sumSlots(active)];
  const percent = Math.floor(utilisationPercent(players, slots));
  return `${players} of ${slots} players, ${percent} % ≥ ${config.startNewServiceAtTemplateCapacity} %`;
}

/** Rules 4 and 6, and requests that nothing needs any more. Order: not ready first, then empty; the newest first. */
function planStops(
  template: TemplateSnapshot,
  services: readonly ServiceSnapshot[],
  { spare, now }: { readonly spare: Spare; readonly now: number },
): Scaling['stops'] {
  const stops: Extract<Action, { kind: 'stop' }>[] = [];
  let left = services.filter((service) => !service.stopping);
  const stop = (service: ServiceSnapshot, cause: string): void => {
    stops.push({ kind: 'stop', service: service.id, cause });
    left = left.filter((other) => other !== service);
  };
  const maximum = template.config.maximumOnlineServers;
  for (const service of byStopOrder(left)) {
    if (maximum === -1 || left.length <= maximum) break;
    if (service.state !== 'IN_USE') stop(service, `maximumOnlineServers is ${maximum}`);
  }
  for (const service of byStopOrder(left)) {
    if (
      service.state === 'REQUESTED' &&
      !service.manual &&
      isSuperfluous(service, template, { left, spare })
    ) {
      stop(service, `${spare.because}; it is no longer needed`);
    }
  }
  const killAfter = template.config.killUnusedTooManyServersAfter;
  for (const service of byStopOrder(left)) {
    if (killAfter === -1 || service.state !== 'RUNNING' || service.unusedSince === null) continue;
    if (now - service.unusedSince < killAfter) continue;
    if (isSuperfluous(service, template, { left, spare })) {
      const seconds = Math.round((now - service.unusedSince) / 1000);
      stop(
        service,
        `unused for ${seconds} s (killUnusedTooManyServersAfter is ${killAfter} ms); no rule needs it`,
      );
    }
  }
  return stops;
}

/** True when rules 1–3 stay satisfied without the service. What is only on its way never replaces what is ready. */
function isSuperfluous(
  service: ServiceSnapshot,
  template: TemplateSnapshot,
  { left, spare }: { readonly left: readonly ServiceSnapshot[]; readonly spare: Spare },
): boolean {
  const others = left.filter((other) => other !== service);
  const kept =
    others.filter(isReady).length + (service.state === 'REQUESTED' ? others.filter(isOnItsWay).length : 0);
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

function sumPlayers(services: readonly ServiceSnapshot[]): number {
  return services.reduce((sum, service) => sum + service.players, 0);
}

function sumSlots(services: readonly ServiceSnapshot[]): number {
  return services.reduce((sum, service) => sum + service.maxPlayers, 0);
}
