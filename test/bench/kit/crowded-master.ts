import type { Handlers } from '#master/admin/api.ts';
import { Board } from '#master/control/board.ts';
import type { Service } from '#shared/model/service.ts';
import { API_VERSION } from '#shared/rpc/contract.ts';
import { startAdminMaster, type AdminMaster } from '#test/support/admin-master.ts';
import { aCosts, aHistory, aMasterDocument, aNode, aService, aTemplate } from '#test/support/models.ts';

const TEMPLATES = 20;
const NODES = 60;
/** So often the master says that something has changed: the most it ever does. */
const TICK_MS = 100;

/** An admin API with very many services on its books, of which some change all the time. */
export interface CrowdedMaster extends AdminMaster {
  /** Changes so many services ten times a second from now on. @returns stops it */
  stir(changes: number): () => void;
}

/**
 * The master's own SSH server, admin API and board, as the app meets them; only what they tell of is made up: no one
 * machine runs thousands of servers.
 */
export async function startCrowdedMaster(count: number): Promise<CrowdedMaster> {
  const services = Array.from({ length: count }, (_, n) => aCrowdedService(n));
  const board = new Board();
  board.update(services);
  const templates = Array.from({ length: TEMPLATES }, (_, n) => aTemplate(templateName(n)));
  const nodes = Array.from({ length: NODES }, (_, n) => aNode(nodeName(n)));
  const players = (): number => services.reduce((sum, service) => sum + service.players.online, 0);
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
      you: { name, role },
    }),
    'services.list': ({ since }) => ({
      ...board.since(since),
      network: { players: players(), limit: 200_000 },
    }),
    'templates.list': () => templates,
    'nodes.list': () => nodes,
    'plan.noOrder': () => null,
    'nodes.provider': () => ({ trouble: null }),
    'activity.list': () => [],
    'history.get': ({ range }) => aHistory(range),
    'costs.get': () => aCosts(),
    'config.get': () => aMasterDocument(),
    'services.followLog': () => [],
    'services.unfollowLog': () => ({}),
  };
  const master = await startAdminMaster({ handlers });
  return {
    ...master,
    stir(changes) {
      let at = 0;
      const timer = setInterval(() => {
        for (let n = 0; n < changes; n += 1) {
          // A step that shares no divisor with the count: in time every service has its turn.
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

const templateName = (n: number): string => `template-${n % TEMPLATES}`;
const nodeName = (n: number): string => `node-${(n % NODES) + 1}`;

function aCrowdedService(n: number): Service {
  const number = Math.floor(n / TEMPLATES) + 1;
  const online = n % 3 === 0 ? 0 : n % 40;
  return aService(templateName(n), number, {
    node: nodeName(n),
    state: online === 0 ? 'RUNNING' : 'IN_USE',
    players: { online, max: 50 },
    unusedSince: null,
    since: Date.now() - n * 1000,
    outdated: n % 11 === 0 ? ['files'] : [],
  });
}

/** Somebody joins, or all have left. */
function changed(service: Service): Service {
  const online = (service.players.online + 1) % 50;
  const state = online === 0 ? 'RUNNING' : 'IN_USE';
  const since = state === service.state ? service.since : Date.now();
  return { ...service, state, since, players: { ...service.players, online } };
}
