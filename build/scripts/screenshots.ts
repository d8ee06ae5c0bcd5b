/** Makes the README's pictures: fills a fresh app with a small network, lets players join, photographs each screen. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright';
import { methods, type MethodName } from '#shared/rpc/contract.ts';
import type { Service } from '#shared/model/service.ts';
import { joinAsPlayer, type Player } from '#test/support/player.ts';
import { askApp, openApp } from '#test/support/open-app.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { root } from './paths.mjs';

const themes = ['dark', 'light'] as const;

const screens = [
  { name: 'overview', place: 'overview' },
  { name: 'services', place: 'services' },
  { name: 'template', place: 'templates/lobby' },
  { name: 'files', place: 'files/templates/lobby' },
  { name: 'activity', place: 'activity' },
];

/** Small memory limits, so that the network fits on any machine. */
const memory = {
  minJvmMemory: 32,
  maxJvmMemory: 128,
  isProxy: false,
  killUnusedTooManyServersAfter: 600_000,
};

const templates = [
  {
    id: 'lobby',
    config: { ...memory, name: 'Lobby', minimumRunningServers: 1, maxPlayers: 100, isFallback: true },
  },
  { id: 'bedwars', config: { ...memory, name: 'Bed Wars', minimumRunningServers: 2, maxPlayers: 16 } },
  { id: 'survival', config: { ...memory, name: 'Survival', minimumRunningServers: 1, maxPlayers: 60 } },
];

/** Who plays where. A service in use calls for another one, as the minimum counts empty ones. */
const visitors = [
  { template: 'lobby', players: ['Ada', 'Grace', 'Linus', 'Margaret', 'Dennis'] },
  { template: 'bedwars', players: ['Barbara', 'Edsger', 'Frances'] },
];

/** JVMs start one after the other on a small machine. */
const startTimeoutMs = 180_000;

async function call(window: Page, method: MethodName, params: unknown): Promise<unknown> {
  return methods[method].result.parse(await askApp(window, 'rpc.call', { method, params }));
}

async function listServices(window: Page): Promise<readonly Service[]> {
  return methods['services.list'].result.parse(await call(window, 'services.list', {})).services;
}

/** Waits until as many services are joinable and empty as the templates want. */
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

/** Creates the templates and gives each the practice server, by the app's own upload. */
async function fillNetwork(window: Page): Promise<void> {
  for (const template of templates) {
    await call(window, 'templates.create', template);
    const { plan } = await askApp(window, 'files.planPracticeServer', {
      folder: `/templates/${template.id}`,
    });
    if (plan === null) throw new Error('the practice server is not bundled');
    await askApp(window, 'transfers.start', { plan, onConflict: 'overwrite' });
  }
}

async function letPlayersJoin(services: readonly Service[]): Promise<readonly Player[]> {
  const joined = [];
  for (const { template, players } of visitors) {
    const port = services.find((service) => service.template === template)?.address?.port;
    if (port === undefined) throw new Error(`no service of ${template} can be joined`);
    for (const username of players) joined.push(await joinAsPlayer({ port, username }));
  }
  return joined;
}

async function photograph(window: Page): Promise<void> {
  const folder = join(root, 'docs', 'screenshots');
  mkdirSync(folder, { recursive: true });
  for (const theme of themes) {
    await askApp(window, 'app.setPreferences', { theme });
    await window.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
    for (const { name, place } of screens) {
      await window.evaluate((address) => {
        // Runs in the page; scripts are checked without the DOM's types.
        (globalThis as unknown as { location: { hash: string } }).location.hash = `#/${address}`;
      }, place);
      await window.getByRole('main').waitFor();
      await window.waitForLoadState('networkidle');
      const file = join(folder, `${name}-${theme}.png`);
      await window.screenshot({ path: file, animations: 'disabled' });
      console.log(file);
    }
  }
}

const dataFolder = mkdtempSync(join(tmpdir(), 'overworld-screenshots-'));
try {
  const { electron, window } = await openApp({
    dataFolder,
    switches: ['--window=1440x900', '--on-quit=stop'],
  });
  let players: readonly Player[] = [];
  try {
    await fillNetwork(window);
    players = await letPlayersJoin(await waitForRunning(window));
    // The players are seen, and empty services have taken the place of those in use.
    await waitFor(
      async () => (await listServices(window)).filter(({ state }) => state === 'IN_USE').length === 2,
      {
        what: 'players seen by the master',
      },
    );
    await waitForRunning(window);
    await photograph(window);
  } finally {
    await Promise.all(players.map((player) => player.leave()));
    await call(window, 'master.shutdown', { services: 'stop' }).catch(() => undefined);
    await electron.close();
  }
} finally {
  rmSync(dataFolder, { recursive: true, force: true });
}
