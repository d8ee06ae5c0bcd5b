import { createFirstNetwork } from '#test/support/app/first-network.ts';
import { joinAsPlayer } from '#test/support/players/player.ts';
import { Keys } from './pages/keys.ts';
import { expect, test } from './support/app.ts';

const MAX_CLICKS = 5;

test('a new user creates a network with five clicks, and a player joins its lobby @smoke', async ({
  app,
  window,
}) => {
  const { clicks, address } = await createFirstNetwork(window);
  expect(clicks).toBeLessThanOrEqual(MAX_CLICKS);

  const [host = '', port = '25565'] = address.split(':');
  const player = await joinAsPlayer({ host, port: Number(port), username: 'Alex' });
  await window.getByRole('dialog').getByRole('button', { name: 'Close' }).first().click();
  await app.goTo('Players');
  const row = window.getByRole('grid').getByRole('row').filter({ hasText: 'Alex' });
  await expect(row).toContainText('lobby-1');
  await player.leave();

  await app.goTo('Templates');
  const grid = window.getByRole('grid', { name: 'Templates' });
  for (const id of ['proxy', 'lobby', 'game']) {
    await expect(grid.getByRole('row').filter({ hasText: id }).first()).toContainText('Ready');
  }
});

test('a user creates a second network with the keyboard alone, and its templates get unused ids', async ({
  setup,
  window,
}) => {
  await setup.template('lobby');
  const keys = new Keys(window);
  await keys.palette('create a network');
  const dialog = window.getByRole('dialog', { name: 'Create a network' });
  await expect(dialog.getByText('Id: lobby-2')).toBeVisible();
  await keys.tabTo('button', 'Add game mode');
  await keys.press('Enter');
  await keys.expectFocus('textbox', 'Name of the game mode');
  await window.keyboard.type('Bed Wars');
  await expect(dialog.getByText('Id: bed-wars')).toBeVisible();
  await keys.press('Enter');
  await expect(window.getByRole('dialog', { name: 'Your network is running' })).toBeVisible({
    timeout: 120_000,
  });
  const made = await setup.call('templates.list', {});
  expect(made.map(({ id, config }) => [id, config.isProxy, config.minimumRunningServers])).toEqual([
    ['bed-wars', false, 1],
    ['game', false, 1],
    ['lobby', false, 0],
    ['lobby-2', false, 1],
    ['proxy', true, 1],
  ]);
});
