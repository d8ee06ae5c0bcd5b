import type { Handlers } from '#master/admin/api.ts';
import { ServiceFeed } from '#master/control/feed/service-feed.ts';
import type { Player } from '#shared/model/player.ts';
import type { PlayerEntry } from '#shared/model/player-entry.ts';
import { API_VERSION } from '#shared/rpc/contract.ts';
import { startAdminMaster, type AdminMaster } from '#test/support/master/admin-master.ts';
import { aMasterDocument } from '#test/support/app/models.ts';
import { aCrowd, changed, CROWD_LIMIT, sumPlayers } from './crowd.ts';

/** Interval of the master's notifications at their maximum rate (ms). */
const TICK_MS = 100;

/** Admin API with thousands of services. Some of the services can change all the time. */
export interface CrowdedMaster extends AdminMaster {
  /**
   * Changes this number of services ten times a second.
   *
   * @returns a function that stops the changes
   */
  stir(changes: number): () => void;
  /** The initial player entry. */
  readonly playerEntry: PlayerEntry;
  /** Replaces the player entry. */
  setPlayerEntry(playerEntry: PlayerEntry): void;
}

/**
 * Starts the master's real SSH server, admin API and service feed with a generated network, because no single
 * machine can run thousands of servers.
 */
export async function startCrowdedMaster(count: number): Promise<CrowdedMaster> {
  const { services, templates, nodes, events, costs, history, ...crowd } = aCrowd(count);
  let { playerEntry } = crowd;
  /** All players of the network. The list of players returns only the first 20,000, as in the real master. */
  let sessions: readonly Player[] | null = null;
  const board = new ServiceFeed();
  board.update(services);
  const handlers: Partial<Handlers> = {
    'master.info': (_params, { name, role }) => ({
      version: '0.1.0',
      apiVersion: API_VERSION,
      cluster: 'bench',
      hostname: 'bench',
      hostKey: '',
      platform: 'linux x64',
      java: '17.0.12',
      startedAt: 1,
      you: { name, role, readsFiles: true, templates: null },
    }),
    'services.list': ({ since }) => ({
      ...board.since(since),
      network: { players: sumPlayers(services), limit: CROWD_LIMIT },
    }),
    'templates.list': () => [...templates],
    'nodes.list': () => [...nodes],
    'plan.noOrder': () => null,
    'nodes.provider': () => ({ trouble: null }),
    'nodes.foreign': () => [],
    'backup.get': () => ({
      ...{ repository: null, schedule: null, running: null },
      ...{ last: null, lastComplete: null, problem: null },
    }),
    'activity.list': () => [...events],
    'players.list': () => {
      sessions ??= crowd.players();
      return { total: sessions.length, limit: CROWD_LIMIT, players: sessions.slice(0, 20_000) };
    },
    'wayIn.get': () => playerEntry,
    'history.get': ({ range }) => history(range),
    'costs.get': () => costs,
    'config.get': () => aMasterDocument(),
    'services.followLog': () => [],
    'services.unfollowLog': () => ({}),
  };
  const master = await startAdminMaster({ handlers });
  return {
    ...master,
    playerEntry: crowd.playerEntry,
    setPlayerEntry(next) {
      playerEntry = next;
      for (const caller of master.callers) caller.notify('stale', { topics: ['way-in'] });
    },
    stir(changes) {
      let at = 0;
      const timer = setInterval(() => {
        for (let n = 0; n < changes; n += 1) {
          // The step has no common divisor with the number of services, so that each service is reached.
          at = (at + 7919) % services.length;
          const service = services[at];
          if (service !== undefined) services[at] = changed(service);
        }
        board.update(services);
        for (const caller of master.callers) caller.notify('stale', { topics: ['services'] });
      }, TICK_MS);
      return () => clearInterval(timer);
    },
  };
}
