import {
  isPending,
  isReady,
  type ServiceSnapshot,
  type Snapshot,
  type TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';
import { standingOf } from './standing.ts';

/** Maximum number of services of a template that are REQUESTED at the same time (docs/adr/0010). */
const MOST_WAITING = 1_000;

/**
 * Returns the number of services that the rules of docs/scaling.md want in addition to the services that stay. Finds
 * this number by trying 0, 1, 2 …. Players on services that are being replaced need slots, too. Each existing service
 * counts towards the maximum. Returns 0 for a template that is paused or being deleted.
 */
export function servicesNeeded(template: TemplateSnapshot, snapshot: Snapshot): number {
  if (template.held || template.leaving) return 0;
  let more = 0;
  while (!isEnough(template, snapshot, more)) more += 1;
  const cap = template.config.maximumOnlineServers;
  const existing = snapshot.services.filter((service) => service.template === template.id);
  const waiting = existing.filter(({ state, stopping }) => state === 'REQUESTED' && !stopping).length;
  const room = cap === -1 ? more : Math.max(0, cap - existing.length);
  return Math.min(more, room, Math.max(0, MOST_WAITING - waiting));
}

function isEnough(template: TemplateSnapshot, snapshot: Snapshot, more: number): boolean {
  const { config } = template;
  const { stays, goes } = standingOf(template, snapshot);
  const players = sum([...stays, ...goes].map((service) => service.players));
  const slots = sum(stays.map((service) => service.maxPlayers)) + more * config.maxPlayers;
  const spare = stays.filter((service) => isReady(service) || isPending(service)).length + more;
  // A player who joins through a proxy is on the proxy and on a game server, but counts only once.
  const everybody = snapshot.playersOnProxies ?? sum(snapshot.services.map((service) => service.players));

  const { startNewServiceAtGlobalCapacity: global, startNewServiceAtTemplateCapacity: own } = config;
  const networkIsFull =
    global > 0 && snapshot.maxOnlinePlayers > 0 && everybody * 100 >= global * snapshot.maxOnlinePlayers;
  const wantedSpare = config.minimumRunningServers + (networkIsFull ? 1 : 0);
  const belowThreshold = own === 0 || players === 0 || players * 100 < own * slots;
  return spare >= wantedSpare && belowThreshold;
}

/**
 * Returns the maximum number of services that may replace the given services. The number is large enough for the same
 * number of slots, and at least the number of ready services among the given services. Returns 0 for an empty list.
 */
export function placesOf(goers: readonly ServiceSnapshot[], { config }: TemplateSnapshot): number {
  const slots = sum(goers.map((service) => service.maxPlayers));
  return Math.max(goers.filter(isReady).length, Math.ceil(slots / config.maxPlayers));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
