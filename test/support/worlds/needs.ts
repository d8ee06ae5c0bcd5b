import { isOnItsWay, isReady, type Snapshot, type TemplateSnapshot } from '#master/core/snapshot.ts';

/**
 * How many services of a template rules 1–4 of design 5 want beside those that are there, found by trying: 0, 1, 2 …
 * For worlds in which nothing is held, silent, or on a node that goes.
 */
export function servicesNeeded(template: TemplateSnapshot, snapshot: Snapshot): number {
  let more = 0;
  while (!isEnough(template, snapshot, more)) more += 1;
  const cap = template.config.maximumOnlineServers;
  const existing = snapshot.services.filter((service) => service.template === template.id).length;
  return cap === -1 ? more : Math.min(more, Math.max(0, cap - existing));
}

function isEnough({ id, config }: TemplateSnapshot, snapshot: Snapshot, more: number): boolean {
  const online = snapshot.services.filter((service) => service.template === id && !service.stopping);
  const players = sum(online.map((service) => service.players));
  const slots = sum(online.map((service) => service.maxPlayers)) + more * config.maxPlayers;
  const spare = online.filter((service) => isReady(service) || isOnItsWay(service)).length + more;
  const everybody = sum(snapshot.services.map((service) => service.players));

  const { startNewServiceAtGlobalCapacity: global, startNewServiceAtTemplateCapacity: own } = config;
  const networkIsFull =
    global > 0 && snapshot.maxOnlinePlayers > 0 && everybody * 100 >= global * snapshot.maxOnlinePlayers;
  const wantedSpare = config.minimumRunningServers + (networkIsFull ? 1 : 0);
  const belowThreshold = own === 0 || players === 0 || players * 100 < own * slots;
  return spare >= wantedSpare && belowThreshold;
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
