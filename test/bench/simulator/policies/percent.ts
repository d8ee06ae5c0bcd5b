import type { ActionOf } from '#master/core/action.ts';
import type { ServiceSnapshot, TemplateSnapshot } from '#master/core/snapshot/snapshot.ts';
import { utilisationPercent } from '#master/core/snapshot/capacity.ts';
import { byTemplate, leavingNodes, requests, type ServiceRules } from './parts.ts';

/** Settings with the names of CloudNet's module. Times are in ms. */
export interface PercentSettings {
  readonly percentOfPlayersForANewServiceByInstance: number;
  readonly forAnewInstanceDelayMs: number;
  readonly autoStopUnusedMs: number;
}

/** Default values of CloudNet's module: 100 %, 300 s, 180 s. */
export const PERCENT_DEFAULTS: PercentSettings = {
  percentOfPlayersForANewServiceByInstance: 100,
  forAnewInstanceDelayMs: 300_000,
  autoStopUnusedMs: 180_000,
};

/**
 * Starts and stops services like CloudNet's smart module according to its documentation (sources: README.md):
 *
 * - If a percentage of the slots on a template's online services is taken, starts one more service, and then no other
 *   service for some time.
 * - Stops services that were unused for some time, down to the minimum number. Services with players count towards
 *   the minimum.
 */
export function percentRules(settings: PercentSettings): ServiceRules {
  const blockedUntil = new Map<string, number>();
  return (snapshot) => {
    const { now } = snapshot;
    const groups = byTemplate(snapshot);
    const leaving = leavingNodes(snapshot);
    return snapshot.templates.flatMap((template) => {
      const services = groups.get(template.id) ?? [];
      const dead = services.filter(({ unresponsive }) => unresponsive);
      const alive = services.filter(
        ({ unresponsive, state, node }) => !unresponsive && (state === 'IN_USE' || !leaving.has(node)),
      );
      const { stops, left } = autoStop(template, alive, { now, unusedMs: settings.autoStopUnusedMs });
      const missing = template.config.minimumRunningServers - left.length;
      const actions = [...dead.map(({ id }) => stop(id)), ...stops];
      if (missing > 0) return [...actions, ...requests(template, missing, 'minServiceCount')];
      if (now < (blockedUntil.get(template.id) ?? 0)) return actions;
      if (percentOf(left) < settings.percentOfPlayersForANewServiceByInstance) return actions;
      blockedUntil.set(template.id, now + settings.forAnewInstanceDelayMs);
      return [...actions, ...requests(template, 1, `${Math.floor(percentOf(left))} % of players`)];
    });
  };
}

function autoStop(
  { config }: TemplateSnapshot,
  alive: readonly ServiceSnapshot[],
  { now, unusedMs }: { readonly now: number; readonly unusedMs: number },
): { readonly stops: ActionOf<'stop'>[]; readonly left: readonly ServiceSnapshot[] } {
  const unused = alive.filter(({ unusedSince }) => unusedSince !== null && now - unusedSince >= unusedMs);
  const ended = new Set(unused.slice(0, Math.max(0, alive.length - config.minimumRunningServers)));
  return {
    stops: [...ended].map(({ id }) => stop(id)),
    left: alive.filter((service) => !ended.has(service)),
  };
}

/**
 * Returns the share of slots on online services that are taken (percent). Starting services do not count. Returns -1
 * without players.
 */
function percentOf(services: readonly ServiceSnapshot[]): number {
  const online = services.filter(({ state }) => state === 'RUNNING' || state === 'IN_USE');
  const players = online.reduce((sum, service) => sum + service.players, 0);
  const slots = online.reduce((sum, service) => sum + service.maxPlayers, 0);
  return players === 0 ? -1 : utilisationPercent(players, slots);
}

function stop(service: ServiceSnapshot['id']): ActionOf<'stop'> {
  return { kind: 'stop', service, cause: 'unused' };
}
