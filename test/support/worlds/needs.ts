import {
  isOnItsWay,
  isReady,
  type ServiceSnapshot,
  type Snapshot,
  type TemplateSnapshot,
} from '#master/core/snapshot/snapshot.ts';
import { standingOf } from './standing.ts';

/** So many services of a template may wait for their start (docs/adr/0010, bounds). */
const MOST_WAITING = 1_000;

/**
 * How many services of a template rules 1–4 of docs/scaling.md want beside those that stay, found by trying: 0, 1, 2 … Those who
 * play on what goes still want a place; what exists counts towards the maximum, whatever becomes of it. None of a
 * template that is held, or being deleted.
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
  const spare = stays.filter((service) => isReady(service) || isOnItsWay(service)).length + more;
  // Who came through a proxy is on it and on a game server, and is one player.
  const everybody = snapshot.playersOnProxies ?? sum(snapshot.services.map((service) => service.players));

  const { startNewServiceAtGlobalCapacity: global, startNewServiceAtTemplateCapacity: own } = config;
  const networkIsFull =
    global > 0 && snapshot.maxOnlinePlayers > 0 && everybody * 100 >= global * snapshot.maxOnlinePlayers;
  const wantedSpare = config.minimumRunningServers + (networkIsFull ? 1 : 0);
  const belowThreshold = own === 0 || players === 0 || players * 100 < own * slots;
  return spare >= wantedSpare && belowThreshold;
}

/**
 * How many services take the place of these at most, by whatever rule wants them: one for each that was ready, and as many
 * slots as they had. Nothing for none.
 */
export function placesOf(goers: readonly ServiceSnapshot[], { config }: TemplateSnapshot): number {
  const slots = sum(goers.map((service) => service.maxPlayers));
  return Math.max(goers.filter(isReady).length, Math.ceil(slots / config.maxPlayers));
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
