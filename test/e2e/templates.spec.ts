import { access, readFile, writeFile } from 'node:fs/promises';
import type { TemplateConfig } from '#shared/config/template.ts';
import { expect, test } from './support/app.ts';
import type { Setup } from './support/setup.ts';

test('a user changes, reviews and saves each setting of a template', async ({ setup, template }) => {
  await setup.templateWithoutJar('lobby');
  await template.open('lobby');
  await template.text('Name').fill('Großer Lobby-Server');
  await template.switch('Maximum online services: No limit').click();
  await template.switch('Stop unused services after: Never').click();
  for (const [label, value] of [
    ['Minimum running services', 1],
    ['Maximum online services', 0],
    ['Start new service at template capacity', 80],
    ['Start new service at global capacity', 90],
    ['Priority', -3],
    ['Minimum JVM memory', 64],
    ['Maximum JVM memory', 256],
    ['Maximum players', 12],
  ] as const) {
    await template.number(label).fill(String(value));
  }
  await template.switch('Proxy').click();
  await template.switch('Fallback').click();
  await template.text('Join permission').fill('network.lobby.*');
  const files = template.window.getByRole('group', { name: 'Default service files' });
  await files.getByRole('button', { name: 'Add entry' }).click();
  await expect(files.getByRole('textbox', { name: 'Source 1' })).toBeFocused();
  await files.getByRole('textbox', { name: 'Source 1' }).fill('shared/plugins');
  await files.getByRole('textbox', { name: 'Destination 1' }).fill('plugins');
  await files.getByLabel('Directory').check();
  await template.window.getByRole('combobox', { name: 'Java' }).selectOption('Java 25');
  await template.text('JVM arguments').fill('-XX:+UseSerialGC -Dfile.encoding=UTF-8');
  await template.text('JVM arguments').press('Enter');
  const variables = template.window.getByRole('group', { name: 'Environment' });
  await variables.getByRole('button', { name: 'Add variable' }).click();
  await expect(variables.getByRole('textbox', { name: 'Name 1' })).toBeFocused();
  await variables.getByRole('textbox', { name: 'Name 1' }).fill('DB_PASSWORD');
  await variables.getByRole('textbox', { name: 'Value 1' }).fill('Größe 1');
  await template.number('Start timeout').fill('10 min');
  await template.number('Stop timeout').fill('1 min 30 s');

  await expect(template.saveBar).toContainText('19 changes: 11 immediately, 8 at the next service start');
  await template.saveBar.getByRole('button', { name: 'Review' }).click();
  const review = template.dialog('Review changes');
  await expect(review.getByRole('row')).toHaveCount(20);
  for (const [label, ...cells] of [
    ['Name', 'lobby', 'Großer Lobby-Server', 'Applies immediately'],
    ['Maximum online services', 'no limit', '0 services', 'Applies immediately'],
    ['Stop unused services after', '2 min', 'never', 'Applies immediately'],
    ['Proxy', 'off', 'on', 'Applies at next service start'],
    [
      'Default service files',
      'none',
      'shared/plugins → plugins (directory)',
      'Applies at next service start',
    ],
    ['Maximum players', '5 players', '12 players', 'Applies at next service start'],
  ] as const) {
    const row = review.getByRole('row').filter({ hasText: label });
    await expect(row.getByRole('cell').filter({ hasText: /\S/ }), label).toHaveText(cells);
  }
  await review.getByRole('button', { name: 'Save changes' }).click();
  await expect(review).toBeHidden();
  await expect(template.saveBar).toBeHidden();

  expect(await saved(setup, 'lobby')).toEqual({
    name: 'Großer Lobby-Server',
    minimumRunningServers: 1,
    maximumOnlineServers: 0,
    startNewServiceAtTemplateCapacity: 80,
    startNewServiceAtGlobalCapacity: 90,
    priority: -3,
    minJvmMemory: 64,
    maxJvmMemory: 256,
    isProxy: true,
    isFallback: true,
    killUnusedTooManyServersAfter: -1,
    defaultServiceFiles: [{ path: 'shared/plugins', destination: 'plugins', directory: true }],
    persistentPaths: [],
    joinPermission: 'network.lobby.*',
    maxPlayers: 12,
    java: '25',
    jvmArguments: ['-XX:+UseSerialGC', '-Dfile.encoding=UTF-8'],
    environment: [{ name: 'DB_PASSWORD', value: 'Größe 1' }],
    startTimeout: 600,
    stopTimeout: 90,
  } satisfies TemplateConfig);
});

test('the template editor shows a mistake when the user leaves the field, and saves only after a correction', async ({
  setup,
  template,
  window,
}) => {
  await setup.templateWithoutJar('lobby');
  await template.open('lobby');
  const before = await saved(setup, 'lobby');
  const tooLarge = window.getByText('Must not be larger than maxJvmMemory (128).');
  const minimum = template.number('Minimum JVM memory');
  await minimum.fill('512');
  await expect(template.saveBar, 'it is looked at, but nobody is scolded while typing').toContainText(
    '1 field needs correction',
  );
  await expect(tooLarge).toBeHidden();
  await minimum.blur();
  await expect(tooLarge).toBeVisible();
  await expect(minimum).toHaveAttribute('aria-invalid', 'true');
  // After the first check, the window checks the field at each key press.
  await minimum.fill('128');
  await expect(tooLarge).toBeHidden();
  await minimum.fill('129');
  await expect(tooLarge).toBeVisible();

  await template.number('Maximum players').fill('0');
  await expect(template.saveBar).toContainText('2 fields need correction');
  await template.saveBar.getByRole('button', { name: 'Save changes' }).click();
  await expect(window.getByText('Allowed: a whole number from 1 to 1000000')).toBeVisible();
  await expect(minimum, 'the first field to be corrected is brought up').toBeFocused();
  expect(await saved(setup, 'lobby')).toEqual(before);

  await minimum.fill('100');
  await template.number('Maximum players').fill('6');
  await template.save();
  expect(await saved(setup, 'lobby')).toEqual({ ...before, minJvmMemory: 100, maxPlayers: 6 });
});

test('the template editor can reset settings and discard changes, and keeps changes while another screen is open', async ({
  app,
  setup,
  template,
  window,
}) => {
  await setup.templateWithoutJar('lobby');
  await template.open('lobby');
  await window
    .getByRole('button', { name: 'Reset Maximum JVM memory to its default: 1024 MB (1 GB)' })
    .click();
  await expect(template.number('Maximum JVM memory')).toHaveValue('1024');
  await template.text('Name').fill('Elsewhere');
  await expect(template.saveBar).toContainText('2 changes: 1 immediately, 1 at the next service start');

  await app.goTo('Templates');
  const message = window.getByRole('status').filter({ hasText: 'Template lobby has unsaved changes.' });
  await message.getByRole('button', { name: 'Show' }).click();
  await expect(template.text('Name')).toHaveValue('Elsewhere');
  const [said, bar] = await Promise.all([message.boundingBox(), template.saveBar.boundingBox()]);
  expect(said && said.y + said.height, 'a message leaves the bar free').toBeLessThanOrEqual(bar?.y ?? 0);
  await app.goTo('Templates');
  await expect(window.getByRole('row').filter({ hasText: 'lobby' })).toContainText('unsaved changes');
  await template.open('lobby');
  await expect(template.text('Name')).toHaveValue('Elsewhere');
  await expect(template.number('Maximum JVM memory')).toHaveValue('1024');

  await template.saveBar.getByRole('button', { name: 'Discard' }).click();
  await expect(template.saveBar).toBeHidden();
  await expect(template.text('Name')).toHaveValue('lobby');
  await expect(template.number('Maximum JVM memory')).toHaveValue('128');
});

test('the template editor asks before it overwrites a file that was changed by hand', async ({
  setup,
  template,
  window,
}) => {
  await setup.templateWithoutJar('lobby');
  await template.open('lobby');
  await template.number('Maximum players').fill('7');
  const byHand = { ...(await saved(setup, 'lobby')), maxPlayers: 9, priority: 4 };
  await writeFile(setup.configFile('lobby'), JSON.stringify(byHand));
  await expect(window.getByText('Changed by someone with an editor while you were editing')).toBeVisible();
  await expect(template.number('Maximum players')).toHaveValue('7');

  await template.saveBar.getByRole('button', { name: 'Save changes' }).click();
  const compare = template.dialog('Changed by someone else');
  await expect(compare).toContainText('Nothing was overwritten');
  const players = compare.getByRole('row').filter({ hasText: 'Maximum players' });
  await expect(players).toContainText('changed by both');
  await expect(players.getByRole('cell')).toHaveText(['7 players', '9 players', '5 players']);
  await expect(compare.getByRole('row').filter({ hasText: 'Priority' }).getByRole('cell')).toHaveText([
    '1',
    '4',
    '1',
  ]);
  expect(await saved(setup, 'lobby')).toEqual(byHand);

  const use = compare.getByRole('button', { name: 'Use these values' });
  await expect(use, 'where both changed a field somebody has to choose').toBeDisabled();
  await players.getByRole('radio', { name: /Yours/ }).check();
  await use.click();
  await expect(template.number('Priority')).toHaveValue('4');
  await expect(template.saveBar).toContainText('1 change: 1 at the next service start');
  await template.save();
  expect(await saved(setup, 'lobby')).toEqual({ ...byHand, maxPlayers: 7 });
});

test('the app explains a mistake in a template file that was changed by hand, and the old values stay in use', async ({
  app,
  setup,
  template,
  window,
}) => {
  await setup.templateWithoutJar('lobby');
  await template.open('lobby');
  const good = await readFile(setup.configFile('lobby'), 'utf8');
  const notice = window.getByRole('alert').filter({ hasText: 'faulty and was not applied' });

  await writeFile(setup.configFile('lobby'), '{ "maxPlayers": "many",\n  "maxPlayrs": 3 }');
  await expect(notice.getByRole('listitem')).toHaveText([
    'maxPlayers (line 1) must be a whole number: found "many"; allowed: a whole number from 1 to 1000000 players; default: 1.',
    /^maxPlayrs \(line 2\) is not a known key; did you mean "maxPlayers"\?/,
  ]);
  await expect(template.number('Maximum players')).toHaveValue('5');
  await app.goTo('Templates');
  await expect(window.getByRole('row').filter({ hasText: 'lobby' })).toContainText('Faulty configuration');
  await template.open('lobby');

  await writeFile(setup.configFile('lobby'), '{ "maxPlayers": ');
  await expect(notice).toContainText('line 1');
  await expect(notice.getByRole('listitem')).toHaveCount(1);

  await writeFile(setup.configFile('lobby'), good.replace('"maxPlayers": 5', '"maxPlayers": 8'));
  await expect(notice).toBeHidden();
  await expect(template.number('Maximum players')).toHaveValue('8');
});

test('the app lists the data that is deleted with a template before the user confirms the deletion', async ({
  app,
  setup,
  template,
  window,
}) => {
  await setup.template('lobby');
  await writeFile(setup.folder('lobby', 'motd.txt'), 'welcome');
  await setup.call('services.start', { template: 'lobby' });
  await app.goTo('Services');
  await app.expectState('lobby-1', 'Empty');
  await template.open('lobby');
  await window.getByRole('button', { name: 'More actions' }).click();
  await window.getByRole('menuitem', { name: 'Delete template' }).click();
  const question = template.dialog('Delete template lobby and its 2 files');
  await expect(question).toContainText('This cannot be undone.');
  const confirm = question.getByRole('button', { name: 'Delete template' });
  await expect(confirm).toBeDisabled();
  await question.getByRole('radio', { name: 'Stop its services now and delete' }).check();
  await confirm.click();
  await expect(question).toBeHidden();
  await expect(window.getByRole('heading', { name: 'No templates yet' })).toBeVisible();
  await expect(access(setup.folder('lobby'))).rejects.toThrow('ENOENT');
  await expect(access(setup.configFile('lobby'))).rejects.toThrow('ENOENT');
  await expect.poll(async () => (await setup.call('services.list', {})).services).toEqual([]);
});

/** Returns the saved template file on the master's disk. */
async function saved(setup: Setup, id: string): Promise<Record<string, unknown>> {
  return JSON.parse(await readFile(setup.configFile(id), 'utf8')) as Record<string, unknown>;
}
