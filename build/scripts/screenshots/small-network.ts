import type { Page } from 'playwright';
import { methods, type MethodName } from '#shared/rpc/contract.ts';
import type { Service } from '#shared/model/service.ts';
import { joinAsPlayer, type Player } from '#test/support/players/player.ts';
import { askApp } from '#test/support/app/open-app.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Small memory limits, so that the network fits on any machine. */
const memory = {
  minJvmMemory: 32,
  maxJvmMemory: 128,
  isProxy: false,
  killUnusedTooManyServersAfter: 600_000,
};

/** The proxy through which players join. */
const PROXY = 'proxy';

/** The proxy's template is created first, because game servers are configured for a proxy when they start. */
const templates = [
  {
    id: PROXY,
    config: {
      ...memory,
      name: 'Proxy',
      isProxy: true,
      maxPlayers: 100,
      minimumRunningServers: 1,
      maximumOnlineServers: 2,
    },
  },
  {
    id: 'lobby',
    config: { ...memory, name: 'Lobby', minimumRunningServers: 1, maxPlayers: 100, isFallback: true },
  },
  { id: 'bedwars', config: { ...memory, name: 'Bed Wars', minimumRunningServers: 2, maxPlayers: 16 } },
  {
    id: 'survival',
    config: {
      ...memory,
      name: 'Survival',
      minimumRunningServers: 1,
      maxPlayers: 60,
      persistentPaths: ['world*/', 'whitelist.json'],
    },
  },
];

/**
 * Players and the templates on which they play. Each service with players causes the start of another one, because only
 * empty services count for the minimum.
 */
const visitors = [
  { template: 'lobby', players: ['Ada', 'Grace', 'Linus', 'Margaret', 'Dennis'] },
  { template: 'bedwars', players: ['Barbara', 'Edsger', 'Frances'] },
];

/** Time limit for the network to start (ms). JVMs start one after the other on a small machine. */
const startTimeoutMs = 180_000;

async function call(window: Page, method: MethodName, params: unknown): Promise<unknown> {
  return methods[method].result.parse(await askApp(window, 'rpc.call', { method, params }));
}

async function listServices(window: Page): Promise<readonly Service[]> {
  return methods['services.list'].result.parse(await call(window, 'services.list', {})).services;
}

/** Waits until as many services are joinable and empty as the templates require. */
async function waitForRunning(window: Page): Promise<readonly Service[]> {
  const wanted = templates.reduce((sum, { config }) => sum + config.minimumRunningServers, 0);
  return waitFor(
    async () => {
      const services = await listServices(window);
      const running = services.filter(({ state }) => state === 'RUNNING');
      return running.length >= wanted ? services : null;
    },
    { timeoutMs: startTimeoutMs, what: `${wanted} empty services` },
  );
}

/** A text file in the lobby's folder, shown in the editor. */
const properties = [
  '# What all lobbies have in common',
  'motd=Welcome to the lobby',
  'view-distance=8',
  'spawn-protection=0',
  'enable-command-block=false',
  '',
].join('\n');

/** Number of characters in each file of the world of survival. */
const REGION_SIZE = 400_000;

/** Gives the template with persistent paths a world, because practice servers have none. */
async function addWorld(window: Page, template: string): Promise<void> {
  const world = `/templates/${template}/world`;
  for (const path of [world, `${world}/region`]) await askApp(window, 'files.makeFolder', { path });
  for (const region of ['r.0.0.mca', 'r.0.1.mca', 'r.1.0.mca']) {
    const path = `${world}/region/${region}`;
    await askApp(window, 'files.save', { path, text: region.padEnd(REGION_SIZE), version: null });
  }
}

/** Creates the templates and adds the practice server to each, with the app's own upload. */
async function fillNetwork(window: Page): Promise<void> {
  for (const template of templates) {
    await call(window, 'templates.create', template);
    if (template.id === 'lobby') {
      const path = '/templates/lobby/server.properties';
      await askApp(window, 'files.save', { path, text: properties, version: null });
    }
    if (template.id === 'survival') await addWorld(window, template.id);
    const request = template.id === PROXY ? 'files.planPracticeProxy' : 'files.planPracticeServer';
    const { plan } = await askApp(window, request, { folder: `/templates/${template.id}` });
    if (plan === null) throw new Error('practice server and proxy are not bundled');
    await askApp(window, 'transfers.start', { plan, onConflict: 'overwrite' });
    await waitForJar(window, template.id);
  }
}

/** Waits until services can start from the template's files. */
async function waitForJar(window: Page, id: string): Promise<void> {
  await waitFor(
    async () => {
      const list = methods['templates.list'].result.parse(await call(window, 'templates.list', {}));
      const files = list.find((template) => template.id === id)?.files;
      return Boolean(files?.jar) && Boolean(files?.revision);
    },
    { what: `${id} to have its server.jar` },
  );
}

/**
 * Lets all players join through the proxy, which sends them to the lobby. Then moves the players who play elsewhere
 * to their server.
 */
async function letPlayersJoin(window: Page, services: readonly Service[]): Promise<readonly Player[]> {
  const { port } = await waitFor(
    async () => {
      const { join, link } = methods['wayIn.get'].result.parse(await call(window, 'wayIn.get', {}));
      return link.plugins > 0 ? (join[0] ?? null) : null;
    },
    { timeoutMs: startTimeoutMs, what: 'a proxy that is linked' },
  );
  const joined = [];
  for (const { players } of visitors) {
    for (const username of players) joined.push(await joinAsPlayer({ port, username }));
  }
  for (const { template, players } of visitors) {
    const service = services.find((one) => one.template === template)?.id;
    if (service === undefined) throw new Error(`no service of ${template} can be joined`);
    for (const { uuid, name, server } of await listPlayers(window, joined.length)) {
      if (players.includes(name) && server !== service) await call(window, 'players.send', { uuid, service });
    }
  }
  return joined;
}

/** Waits until the master lists this many players, each on a game server, and returns them. */
async function listPlayers(window: Page, count: number) {
  return waitFor(
    async () => {
      const answer = await call(window, 'players.list', {});
      const { players } = methods['players.list'].result.parse(answer);
      return players.length === count && players.every(({ server }) => server !== null) ? players : null;
    },
    { what: `${count} players on game servers` },
  );
}

/** Creates a small network in a running app: a proxy, three templates of game servers, eight players. */
export async function growSmallNetwork(window: Page): Promise<readonly Player[]> {
  await fillNetwork(window);
  const players = await letPlayersJoin(window, await waitForRunning(window));
  // Waits until the three services with players (a lobby, a game and the proxy) are IN_USE, then until empty ones
  // replace them.
  await waitFor(
    async () => (await listServices(window)).filter(({ state }) => state === 'IN_USE').length === 3,
    {
      what: 'players seen by the master',
    },
  );
  await waitForRunning(window);
  await call(window, 'volumes.save', { id: 'survival/1' });
  return players;
}

/** Stops the network with its master. */
export async function endSmallNetwork(window: Page, players: readonly Player[]): Promise<void> {
  await Promise.all(players.map((player) => player.leave()));
  await call(window, 'master.shutdown', { services: 'stop' }).catch(() => undefined);
}
