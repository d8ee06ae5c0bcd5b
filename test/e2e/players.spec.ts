import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locator, Page } from 'playwright/test';
import { freePort } from '#test/support/free-port.ts';
import { joinAsPlayer, type Player } from '#test/support/players/player.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { askApp } from '#test/support/app/open-app.ts';
import { expect, launch, liveWindow, test } from './support/app.ts';
import { barriers, loadAxe } from './support/barriers.ts';
import type { Setup } from './support/setup.ts';

/** Maximum time until a network runs (ms). On a small machine, its three JVMs start one after the other. */
const READY_WITHIN_MS = 90_000;

test.beforeEach(async ({ data }) => {
  // The first start creates the master and its key. For the second start, set a free port for the plugin link,
  // because another master may use the default port.
  const first = await launch(data);
  await liveWindow(first);
  await first.close();
  const config = { communication: { hostname: '127.0.0.1', port: await freePort() }, max_online_players: 20 };
  await writeFile(join(data, 'master', 'config', 'master.json'), JSON.stringify(config));
});

/**
 * Creates the network of docs/getting-started.md: a practice proxy and two practice servers. Waits until the network
 * runs.
 */
async function givenNetwork(setup: Setup): Promise<{ readonly host: string; readonly port: number }> {
  await setup.template('lobby', { isFallback: true, minimumRunningServers: 1 });
  await setup.template('arena', { minimumRunningServers: 1 });
  await setup.proxyTemplate('proxy', { minimumRunningServers: 1, maximumOnlineServers: 1 });
  return waitFor(
    async () => {
      const { link, join: addresses } = await setup.call('wayIn.get', {});
      const { services } = await setup.call('services.list', {});
      const up = services.filter(({ state }) => state === 'RUNNING');
      if (link.error !== null) throw new Error(link.error.message);
      return link.plugins === 1 && up.length === 3 ? (addresses[0] ?? null) : null;
    },
    { what: 'a proxy that is linked and two game servers', timeoutMs: READY_WITHIN_MS },
  );
}

/** Verifies that the screen has no accessibility barriers in light and dark theme. */
async function expectNoBarriers(window: Page, what: string): Promise<void> {
  for (const theme of ['light', 'dark'] as const) {
    await askApp(window, 'app.setPreferences', { theme });
    await expect(window.locator('html')).toHaveAttribute('data-theme', theme);
    expect.soft(await barriers(window), `${what}, ${theme}`).toEqual([]);
  }
}

async function boxOf(locator: Locator): Promise<{ readonly y: number; readonly height: number }> {
  const box = await locator.boundingBox();
  if (box === null) throw new Error('cannot be seen');
  return box;
}

const table = (window: Page) => window.getByRole('grid', { name: 'Players' });
const row = (window: Page, name: string) =>
  table(window)
    .getByRole('row')
    .filter({ has: window.getByText(name, { exact: true }) });

test('the app shows players at once, sends a player to another server, and kicks a player with a message', async ({
  app,
  electronApp,
  setup,
  services,
  window,
}) => {
  const { port } = await givenNetwork(setup);
  await window.emulateMedia({ reducedMotion: 'reduce', colorScheme: null });
  await loadAxe(window);
  await app.goTo('Players');
  await expect(window.getByRole('heading', { name: 'No players online' })).toBeVisible();
  await expect(window.getByText(`127.0.0.1:${port}`)).toBeVisible();

  const players: Player[] = [];
  try {
    for (const username of ['Ada', 'Grace']) players.push(await joinAsPlayer({ port, username }));
    const [ada, grace] = players;
    if (ada === undefined || grace === undefined) throw new Error('nobody joined');
    for (const name of ['Ada', 'Grace']) {
      await expect(row(window, name).getByRole('link', { name: 'lobby-1' })).toBeVisible();
      await expect(row(window, name).getByRole('link', { name: 'proxy-1' })).toBeVisible();
    }
    await expect(window.getByText('2 online, limit 20')).toBeVisible();
    await expectNoBarriers(window, 'players');

    // Send Ada to the arena from the menu of her row.
    await row(window, 'Ada').click({ button: 'right' });
    await window.getByRole('menuitem', { name: 'Send Ada to a service…' }).click();
    const sending = window.getByRole('dialog', { name: 'Send Ada to a service' });
    await expectNoBarriers(window, 'sending a player');
    await sending.getByRole('combobox', { name: 'Game server' }).fill('arena');
    await window.keyboard.press('Enter');
    await expect(sending).toBeHidden();
    await expect(row(window, 'Ada').getByRole('link', { name: 'arena-1' })).toBeVisible();
    await waitFor(() => Promise.resolve(ada.arrivals > 1), { what: 'Ada to arrive on the arena' });

    // Send Ada back to the lobby, and then to the arena again, from the command palette.
    for (const [arrivals, server] of [
      [2, 'lobby-1'],
      [3, 'arena-1'],
    ] as const) {
      await window.keyboard.press('Control+k');
      await window.getByRole('combobox', { name: /^Search screens/ }).fill('send ada');
      await expect(window.getByRole('option', { name: /^Send player Ada/ })).toBeVisible();
      await window.keyboard.press('Enter');
      await sending.getByRole('combobox', { name: 'Game server' }).fill(server);
      await window.keyboard.press('Enter');
      await expect(sending).toBeHidden();
      await expect(row(window, 'Ada').getByRole('link', { name: server })).toBeVisible();
      await waitFor(() => Promise.resolve(ada.arrivals > arrivals), { what: `Ada to arrive on ${server}` });
    }

    // The details of the service list Ada.
    await row(window, 'Ada').getByRole('link', { name: 'arena-1' }).click();
    await services.tab('Details');
    await expect(services.panel('arena-1').getByText('Players on it')).toBeVisible();
    await expect(services.panel('arena-1').getByText('Ada', { exact: true })).toBeVisible();
    await services.panel('arena-1').getByRole('button', { name: 'Show in Players' }).click();
    await expect(window.getByRole('searchbox', { name: 'Filter players' })).toHaveValue('arena-1');
    await expect(row(window, 'Grace')).toHaveCount(0);
    await window.getByRole('button', { name: 'Clear search' }).click();

    // Kick Grace only with the keyboard.
    await row(window, 'Grace').click();
    await window.keyboard.press('Delete');
    const kicking = window.getByRole('dialog', { name: 'Kick Grace?' });
    await expectNoBarriers(window, 'kicking a player');
    await kicking.getByRole('textbox', { name: 'Message' }).fill('Time for bed.');
    await window.keyboard.press('Enter');
    expect(await grace.kicked).toContain('Time for bed.');
    await expect(row(window, 'Grace')).toHaveCount(0);
    await expect(row(window, 'Ada')).toHaveCount(1);

    // The overview also shows the players, and the activity log contains the events.
    await app.goTo('Overview');
    const playerEntry = window.getByRole('region', { name: 'Join address' });
    await expect(playerEntry).toContainText(`127.0.0.1:${port}`);
    await expect(playerEntry).toContainText('directly to proxy-1');
    await expect(playerEntry).toContainText('1 plugin linked');
    // In a small window, the text wraps, and its card grows with the text.
    await electronApp.evaluate(({ BrowserWindow }) =>
      BrowserWindow.getAllWindows()[0]?.setContentSize(1024, 700),
    );
    await expect.poll(() => window.evaluate('innerWidth')).toBe(1024);
    const { y, height } = await boxOf(playerEntry);
    const details = await boxOf(playerEntry.getByRole('button', { name: 'Details' }));
    expect(details.y + details.height).toBeLessThan(y + height);
    await playerEntry.getByRole('button', { name: 'Details' }).click();
    await expect(window.getByRole('dialog', { name: 'Player entry' })).toContainText('directly to proxy-1');
    await expectNoBarriers(window, 'way in');
    await window.keyboard.press('Escape');
    await app.goTo('Activity');
    await expect(window.getByText(/Grace .*kicked|kicked.* Grace/i).first()).toBeVisible();
  } finally {
    for (const player of players) player.drop();
  }
});

test('a user adds the practice proxy to a new template, and sees which files Overworld adds to its services', async ({
  files,
  setup,
  window,
}) => {
  await setup.templateWithoutJar('proxy', { isProxy: true });
  await window.evaluate('location.hash = "#/files/templates/proxy"');
  await window.getByRole('button', { name: 'Upload practice proxy' }).click();
  await expect(files.row('server.jar')).toBeVisible();
  await window.evaluate('location.hash = "#/templates/proxy/files"');
  await expect(window.getByText(/Overworld practice proxy/)).toBeVisible();
  const added = window.getByRole('region', { name: 'What Overworld adds to each service' });
  await expect(added).toContainText('plugins/overworld.jar');
  await expect(added).toContainText('overworld-link.properties');
  await expect(added).toContainText('config.yml');
});
