import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { templateConfigSchema } from '#shared/config/template.ts';
import { joinAsPlayer } from '#test/support/players/player.ts';
import { expect, test } from './support/app.ts';
import type { Setup } from './support/setup.ts';

/** Number of settings of a template. */
const SETTINGS = Object.keys(templateConfigSchema.shape).length;

async function template(setup: Setup, id: string): Promise<Record<string, unknown>> {
  const found = (await setup.call('templates.list', {})).find((other) => other.id === id);
  if (found === undefined) throw new Error(`no template ${id}`);
  return found.config;
}

test('the form and the JSON view of a template show the same changes, and the JSON view marks a mistake', async ({
  setup,
  template: page,
  window,
}) => {
  await setup.templateWithoutJar('lobby');
  await page.open('lobby');
  await page.number('Maximum players').fill('40');
  const view = window.getByRole('radiogroup', { name: 'View' });
  await view.getByText('JSON').click();
  const json = window.getByRole('textbox', { name: 'JSON of template lobby' });
  await expect(json).toContainText('"maxPlayers": 40');

  // Add a line. While the person types, the editor suggests keys.
  await json.click();
  await window.keyboard.press('Control+a');
  await window.keyboard.insertText('{\n  "name": "Lobby",\n  "maxPlayers": 41\n}\n');
  await view.getByText('Form').click();
  await expect(page.number('Maximum players')).toHaveValue('41');
  await expect(page.text('Name')).toHaveValue('Lobby');
  await expect(page.number('Maximum JVM memory'), 'a key that is left out has its default').toHaveValue(
    '1024',
  );

  await view.getByText('JSON').click();
  await json.click();
  await window.keyboard.press('Control+a');
  await window.keyboard.insertText('{\n  "maxPlayers": 42,\n  "maxPlayrs": 3\n}\n');
  await expect(window.locator('.cm-lintRange-error')).toHaveText('"maxPlayrs": 3');
  await expect(page.saveBar).toContainText('in line 3');
  await view.getByText('Form').click();
  await expect(window.getByText('The JSON has a mistake', { exact: true })).toBeVisible();
  await expect(page.number('Maximum players')).toBeDisabled();
  await expect(page.number('Maximum players')).toHaveValue('41');
  await page.saveBar.getByRole('button', { name: 'Save changes' }).click();
  await expect(json, 'saving leads to the mistake').toBeVisible();
  expect((await template(setup, 'lobby'))['maxPlayers']).toBe(5);

  await json.click();
  await window.keyboard.press('Control+a');
  await window.keyboard.insertText('{\n  "name": "Lobby",\n  "maxPlayers": 42\n}\n');
  // Leave the editor only with the keyboard: press Escape, then Tab.
  await window.keyboard.press('Escape');
  await window.keyboard.press('Tab');
  await expect(json).not.toBeFocused();
  await window.keyboard.press('Control+s');
  await expect(page.saveBar).toBeHidden();
  expect(await template(setup, 'lobby')).toMatchObject({ name: 'Lobby', maxPlayers: 42, maxJvmMemory: 1024 });
});

test('if another admin has changed the same template, its editor asks which value of each setting to keep', async ({
  setup,
  template: page,
  window,
}) => {
  await setup.templateWithoutJar('lobby');
  await page.open('lobby');
  await page.number('Maximum players').fill('7');
  await page.number('Minimum running services').fill('2');
  const [{ config, configRevision } = { config: {}, configRevision: '' }] = await setup.call(
    'templates.list',
    {},
  );
  const theirs = { ...config, maxPlayers: 9, priority: 4 };
  await setup.call('templates.update', { id: 'lobby', config: theirs, basedOn: configRevision });

  await page.saveBar.getByRole('button', { name: 'Save changes' }).click();
  const compare = page.dialog('Changed by someone else');
  const row = (name: string) => compare.getByRole('row').filter({ hasText: name });
  await expect(row('Minimum running services').getByRole('radio', { name: /Yours/ })).toBeChecked();
  await expect(row('Priority').getByRole('radio', { name: /Theirs/ })).toBeChecked();
  await row('Maximum players')
    .getByRole('radio', { name: /Theirs/ })
    .check();
  await compare.getByRole('button', { name: 'Use these values' }).click();
  expect(await template(setup, 'lobby'), 'nothing is saved by choosing').toEqual(theirs);
  await page.save();
  expect(await template(setup, 'lobby')).toEqual({ ...theirs, minimumRunningServers: 2 });
  await expect(window.getByRole('dialog')).toBeHidden();
});

test('a user changes the API token and the firewall rules with the keyboard alone', async ({
  data,
  setup,
  window,
}) => {
  const keys = async (...presses: readonly string[]): Promise<void> => {
    for (const press of presses) await window.keyboard.press(press);
  };
  await keys('g', 'c');
  await expect(window.getByRole('heading', { name: 'Configuration' })).toBeVisible();
  // The command palette finds each setting.
  await keys('Control+k');
  await window.keyboard.type('API token');
  await keys('Enter');
  const token = window.getByLabel('API token', { exact: true });
  await expect(token).toBeFocused();
  await expect(token).toHaveAttribute('placeholder', 'Not set');
  await window.keyboard.type('a-first-token');
  await keys('Control+s');
  // The provider does not answer, so the token cannot be tested. The app asks before it saves such a token.
  const untested = window.getByRole('dialog', { name: 'Save an API token that did not pass its test?' });
  await expect(untested).toContainText('The API token could not be tested');
  await untested.getByRole('button', { name: 'Back to editing' }).press('Enter');
  await expect(untested).toBeHidden();
  expect((await setup.call('config.get', {})).config.provider.api_token).toBe('<API_TOKEN>');
  await keys('Control+s');
  await untested.getByRole('button', { name: 'Save it nevertheless' }).press('Enter');
  await expect(token).toHaveValue('••••');
  await expect(window.getByRole('region', { name: 'Unsaved changes' })).toBeHidden();
  await token.focus();
  await keys('Tab', 'Enter');
  await expect(token).toBeFocused();
  await window.keyboard.type('a-new-token');

  await keys('Control+k');
  await window.keyboard.type('Firewall rules');
  await keys('Enter');
  await expect(window.getByRole('button', { name: 'Add rule' })).toBeFocused();
  await keys('Enter');
  await expect(window.getByLabel('Port of rule 1')).toBeFocused();
  await window.keyboard.type('25565');
  await keys('Tab', 'Tab');
  await window.keyboard.type('203.0.113.7');
  await keys('Enter', 'Tab', 'Tab', 'Tab');
  await expect(window.getByText('Write 203.0.113.7/32 for this one address').last()).toBeVisible();
  await keys('Shift+Tab', 'Shift+Tab', 'Shift+Tab', 'Backspace');
  await window.keyboard.type('203.0.113.7/32,10.0.0.0/8,');
  await keys('Control+s');
  await untested.getByRole('button', { name: 'Save it nevertheless' }).press('Enter');
  await expect(window.getByRole('region', { name: 'Unsaved changes' })).toBeHidden();

  const file = await readFile(join(data, 'master', 'config', 'master.json'), 'utf8');
  expect(JSON.parse(file)).toMatchObject({
    provider: { api_token: 'a-new-token' },
    firewall_rules: [{ port: '25565', protocol: 'tcp', source_ips: ['203.0.113.7/32', '10.0.0.0/8'] }],
  });
  const told = await setup.call('config.get', {});
  expect(told.config.provider.api_token, 'it never leaves the master').toBe('••••');
  await expect(token).toHaveValue('••••');
});

test('the app shows the values in a faulty master configuration, and can replace them with the values in use', async ({
  data,
  setup,
  app,
  window,
}) => {
  await app.goTo('Configuration');
  const path = join(data, 'master', 'config', 'master.json');
  await writeFile(
    path,
    '{\n  "max_online_players": 55,\n  "provider": { "api_tokn": "secret-of-mine" }\n}\n',
  );
  const notice = window.getByRole('alert').filter({ hasText: 'faulty and was not applied' });
  await expect(notice).toContainText('(line 3) is not a known key; did you mean "api_token"?');
  await notice.getByText('Values in the file that differ from the defaults').click();
  await expect(
    notice.getByRole('row').filter({ hasText: 'max_online_players' }).getByRole('cell'),
  ).toHaveText(['100 players', '55 players', '100 players']);
  await expect(window.getByText('secret-of-mine')).toHaveCount(0);
  await notice.getByRole('button', { name: 'Replace it with the values in use' }).click();
  await window.getByRole('button', { name: 'Replace file' }).click();
  await expect(notice).toBeHidden();
  expect(JSON.parse(await readFile(path, 'utf8'))).toMatchObject({ max_online_players: 100 });
  expect((await setup.call('config.get', {})).problems).toEqual([]);
});

test('a user adds and removes authorized keys, but cannot remove the key of the last owner', async ({
  app,
  setup,
  window,
}) => {
  await app.goTo('Configuration');
  await window.getByRole('tab', { name: 'Access' }).click();
  const table = window.getByRole('grid', { name: 'Authorized keys' });
  await expect(table.getByRole('row').filter({ hasText: 'you' })).toHaveCount(1);
  await window.getByRole('button', { name: 'Add key' }).click();
  const dialog = window.getByRole('dialog', { name: 'Add key' });
  await dialog.getByLabel('Public key').fill('-----BEGIN OPENSSH PRIVATE KEY-----');
  await expect(dialog.getByText('This is a private key')).toBeVisible();
  await dialog
    .getByLabel('Public key')
    .fill('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl anna');
  await expect(dialog.getByLabel('Name')).toHaveValue('anna');
  await dialog.getByRole('radio', { name: 'operator' }).check();
  await dialog.getByRole('button', { name: 'Add key' }).click();
  await expect(table.getByRole('row').filter({ hasText: 'anna' })).toContainText('operator');

  await table.getByRole('row').filter({ hasText: 'you' }).click();
  await window.keyboard.press('Delete');
  await expect(window.getByText('It is the last owner')).toBeVisible();
  await table.getByRole('row').filter({ hasText: 'anna' }).click();
  await window.keyboard.press('Delete');
  await window
    .getByRole('dialog', { name: 'Remove key anna' })
    .getByRole('button', { name: 'Remove key' })
    .click();
  await expect(table.getByText('anna')).toHaveCount(0);
  expect((await setup.call('keys.list', {})).map(({ role }) => role)).toEqual(['owner']);
});

test('the app offers a rolling restart after a change of a template', async ({
  setup,
  template: page,
  window,
}) => {
  test.setTimeout(240_000);
  await setup.template('lobby', { minimumRunningServers: 2, killUnusedTooManyServersAfter: -1 });
  const up = async (): Promise<readonly string[]> =>
    (await setup.call('services.list', {})).services
      .filter(({ state }) => state === 'RUNNING')
      .map(({ id }) => id);
  await expect.poll(up, { timeout: 90_000 }).toEqual(['lobby-1', 'lobby-2']);
  await page.open('lobby');
  await page.number('Maximum players').fill('8');
  await page.save();
  await expect(window.getByText('2 services run with older values')).toBeVisible();
  await window.getByRole('button', { name: 'Rolling restart' }).first().click();
  await expect(window.getByText(/Rolling restart: [01] of 2 services replaced/)).toBeVisible();
  await expect.poll(up, { timeout: 120_000 }).not.toContain('lobby-2');
  await expect(window.getByText(/^Rolling restart: /)).toBeHidden({ timeout: 60_000 });
  const { services } = await setup.call('services.list', {});
  expect(services.flatMap(({ outdated }) => outdated)).toEqual([]);
});

test('a template is deleted after its players have left, and the user can cancel the deletion before', async ({
  setup,
  template: page,
  window,
}) => {
  test.setTimeout(180_000);
  await setup.template('lobby', { killUnusedTooManyServersAfter: -1 });
  await setup.call('services.start', { template: 'lobby' });
  const first = async () => (await setup.call('services.list', {})).services[0];
  await expect.poll(async () => (await first())?.state, { timeout: 90_000 }).toBe('RUNNING');
  const player = await joinAsPlayer({ port: (await first())?.address?.port ?? 0, username: 'Ada' });
  try {
    await expect.poll(async () => (await first())?.state).toBe('IN_USE');
    await page.open('lobby');
    await askToDelete();
    await expect(window.getByText('1 service left, 1 player still on it')).toBeVisible();
    await window.getByRole('button', { name: 'Cancel deletion' }).click();
    await expect(window.getByText('This template is being deleted')).toBeHidden();
    await askToDelete();
  } finally {
    await player.leave();
  }
  await expect.poll(async () => setup.call('templates.list', {}), { timeout: 60_000 }).toEqual([]);
  await expect(window.getByText('There is no template lobby')).toBeVisible();

  async function askToDelete(): Promise<void> {
    await window.getByRole('button', { name: 'More actions' }).click();
    await window.getByRole('menuitem', { name: 'Delete template' }).click();
    const dialog = page.dialog(/^Delete template lobby/);
    await dialog.getByRole('radio', { name: 'Let players finish, then delete' }).check();
    await dialog.getByRole('button', { name: 'Delete when it is empty' }).click();
    await expect(window.getByText('This template is being deleted')).toBeVisible();
  }
});

test('a user filters the settings of a template by keyboard, and then shows all settings again', async ({
  setup,
  template: page,
  window,
}) => {
  await setup.templateWithoutJar('lobby');
  await page.open('lobby');
  await page.number('Maximum players').focus();
  await window.keyboard.press('Control+f');
  await expect(window.getByRole('searchbox', { name: 'Find setting' })).toBeFocused();
  await window.keyboard.type('memory');
  await expect(window.getByText(`2 of ${SETTINGS} settings match`)).toBeVisible();
  await expect(page.number('Maximum players')).toBeHidden();
  await window.keyboard.press('Enter');
  await expect(page.number('Minimum JVM memory')).toBeFocused();
  await window.keyboard.press('Control+f');
  await window.keyboard.press('Escape');
  await expect(page.number('Maximum players')).toBeVisible();
});
