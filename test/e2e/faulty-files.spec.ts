import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './support/app.ts';

test('a user corrects a faulty template file with the keyboard alone', async ({ app, setup, window }) => {
  await setup.templateWithoutJar('lobby');
  await setup.templateWithoutJar('arena');
  const file = setup.configFile('lobby');
  await writeFile(file, '{\n  "name": "Lobby",\n  "maxPlayers": 30\n  "priority": 2\n}\n');
  await app.goTo('Overview');
  const open = window.getByRole('button', { name: 'Open lobby.json' });
  await open.focus();
  await window.keyboard.press('Enter');

  const json = window.getByRole('textbox', { name: 'JSON of template lobby' });
  await expect(json, 'the cursor waits at the mistake').toBeFocused();
  await expect(window.getByText('Line 4, column')).toBeVisible();
  await expect(window.locator('.cm-lintRange-error')).toHaveText('"priority": 2');
  const bar = window.getByRole('region', { name: 'Unsaved changes' });
  await expect(bar).toContainText('a comma is missing between two entries (column 3)');
  await window.keyboard.press('Control+s');
  await expect(bar, 'a faulty text is not saved').toBeVisible();
  expect(await readFile(file, 'utf8')).toContain('30\n  "priority"');

  await window.keyboard.press('ArrowUp');
  await window.keyboard.press('End');
  await window.keyboard.type(',');
  await expect(bar).toContainText('6 changes');
  await window.keyboard.press('Control+s');
  await expect(bar).toBeHidden();
  await expect(window.getByText('The file on disk is faulty')).toBeHidden();
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ maxPlayers: 30, priority: 2 });
  const lobby = (await setup.call('templates.list', {})).find(({ id }) => id === 'lobby');
  expect(lobby).toMatchObject({ config: { name: 'Lobby', maxPlayers: 30 }, problems: [] });
});

test('if a faulty file was corrected meanwhile, saving shows both versions and does not overwrite the file', async ({
  setup,
  template,
  window,
}) => {
  await setup.templateWithoutJar('lobby');
  await template.open('lobby');
  await writeFile(setup.configFile('lobby'), '{ "maxPlayers": 0 }\n');
  await window.getByRole('button', { name: 'Open file', exact: true }).click();
  const json = window.getByRole('textbox', { name: 'JSON of template lobby' });
  await expect(json).toBeFocused();
  await writeFile(setup.configFile('lobby'), '{ "maxPlayers": 7 }\n');
  await window.keyboard.press('Control+a');
  await window.keyboard.insertText('{ "maxPlayers": 30 }\n');
  await window.keyboard.press('Control+s');
  const compare = template.dialog('Changed by someone else');
  await compare.getByRole('radio', { name: 'Maximum players: Yours: 30 players' }).click();
  await expect(compare).toContainText('7 players');
  await compare.getByRole('button', { name: 'Decide later' }).click();
  expect(await readFile(setup.configFile('lobby'), 'utf8')).toBe('{ "maxPlayers": 7 }\n');
});

test('the app hides the API token while the user corrects a faulty master.json, and keeps the token', async ({
  app,
  data,
  setup,
  window,
}) => {
  const token = 'a1B2'.repeat(16);
  const { config, configRevision: basedOn } = await setup.call('config.get', {});
  const provider = { ...config.provider, api_token: token };
  await setup.call('config.update', { config: { ...config, provider }, basedOn });
  const file = join(data, 'master', 'config', 'master.json');
  const text = `{\n  "provider": { "api_token": "${token}" },\n  "max_online_playrs": 55\n}\n`;
  await writeFile(file, text);
  await app.goTo('Configuration');
  await window.getByRole('button', { name: 'Open file', exact: true }).click();
  const json = window.getByRole('textbox', { name: 'JSON of the master configuration' });
  await expect(json).toContainText('"api_token": "••••"');
  await expect(json).not.toContainText(token);
  await expect(json).toBeFocused();
  await window.keyboard.press('Control+a');
  await window.keyboard.insertText('{ "provider": { "api_token": "••••" }, "max_online_players": 55 }');
  await window.keyboard.press('Control+s');
  await expect(window.getByText('The file on disk is faulty')).toBeHidden();
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({
    max_online_players: 55,
    provider: { api_token: token },
  });
});
