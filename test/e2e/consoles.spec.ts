import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './support/app.ts';
import { Keys } from './pages/keys.ts';

test('a user shows two consoles in tabs, merges and searches their logs, and saves a log', async ({
  app,
  data,
  setup,
  services,
  window,
}) => {
  await setup.template('lobby');
  await setup.call('services.start', { template: 'lobby' });
  await setup.call('services.start', { template: 'lobby' });
  await app.goTo('Services');
  await app.expectState('lobby-1', 'Empty');
  await app.expectState('lobby-2', 'Empty');

  await window.getByRole('button', { name: 'Consoles' }).click();
  await services.openConsole('lobby-1');
  await services.openConsole('lobby-2');
  await expect(services.console('lobby-2')).toContainText('Done (');
  await expect(services.consoleTab('lobby-2')).toHaveAttribute('aria-selected', 'true');
  await services.consoleTab('lobby-1').click();
  await services.command('lobby-1', 'say first needle');
  await expect(services.console('lobby-1')).toContainText('[Server] first needle');

  // Output in a hidden tab marks the tab until a person opens the tab.
  await setup.call('services.command', { id: 'lobby-2', line: 'say in the background' });
  await expect(services.consoleTab('lobby-2').getByRole('img', { name: 'New lines' })).toBeVisible();
  await services.consoleTab('lobby-2').click();
  await expect(services.console('lobby-2')).toContainText('[Server] in the background');
  await expect(services.consoleTab('lobby-2').getByRole('img', { name: 'New lines' })).toBeHidden();

  await services.openConsole('Merged log of lobby');
  const merged = window.getByRole('log', { name: 'Merged log of lobby' });
  await expect(merged).toContainText('[Server] first needle');
  await expect(merged).toContainText('[Server] in the background');
  await setup.call('services.command', { id: 'lobby-2', line: 'say together' });
  await expect(merged.locator('.line', { hasText: '[Server] together' })).toContainText('lobby-2');

  // Tabs stay open when the person leaves the screen. A shortcut closes a tab.
  await window.getByRole('button', { name: 'Back to the list' }).click();
  await window.getByRole('button', { name: 'Consoles (3)' }).click();
  await services.consoleTab('lobby-2').click();
  await window.keyboard.press('Control+w');
  await expect(services.consoleTab('lobby-2')).toBeHidden();

  await services.consoleTab('lobby-1').click();
  const field = window.getByRole('searchbox', { name: 'Search in console' }).filter({ visible: true });
  await field.fill('NEEDLE');
  await window.getByRole('button', { name: 'Search whole log' }).filter({ visible: true }).click();
  const hits = window.getByRole('region', { name: 'Matches in the whole log of lobby-1' });
  await expect(hits).toContainText('1 line with “NEEDLE” in the whole log');
  await hits.getByRole('button', { name: /\[Server\] first needle/ }).click();
  await expect(services.console('lobby-1').locator('.current')).toContainText('first needle');

  const path = join(data, 'saved.log');
  await app.answerSaveDialogs(path);
  await window.getByRole('button', { name: 'Save whole log' }).filter({ visible: true }).click();
  await expect(window.getByText(/^Saved \d+ lines of lobby-1$/)).toBeVisible();
  const saved = await readFile(path, 'utf8');
  expect(saved).toMatch(/Done \(\d+\.\d+s\)!/);
  expect(saved).toContain('[Server] first needle\n');
});

test('a user groups services, and stops a whole group, with the keyboard alone', async ({
  app,
  setup,
  window,
}) => {
  await setup.template('lobby');
  await setup.template('arena');
  for (const template of ['lobby', 'lobby', 'arena']) await setup.call('services.start', { template });
  const keys = new Keys(window);
  await keys.palette('services');
  for (const id of ['lobby-1', 'lobby-2', 'arena-1']) await app.expectState(id, 'Empty');

  await keys.tabTo('combobox', 'Group services');
  await window.keyboard.type('By template');
  const table = window.getByRole('treegrid', { name: 'Services' });
  await keys.tabTo('treegrid', 'Services');
  await keys.press('Home');
  const heads = table.getByRole('row', { level: 1 });
  await expect(heads.nth(0)).toContainText('arena');
  await expect(heads.nth(1)).toContainText('lobby');
  // The left arrow collapses the group of the template arena, so that its services are hidden.
  await keys.press('ArrowLeft');
  await expect(heads.nth(0)).toHaveAttribute('aria-expanded', 'false');
  await expect(table.getByText('arena-1', { exact: true })).toBeHidden();
  await keys.press('ArrowDown');
  await keys.press(' ');
  await expect(window.getByText('2 services selected')).toBeVisible();
  await keys.press('Delete');
  const question = window.getByRole('dialog', { name: 'Stop 2 services?' });
  await expect(question).toContainText('No players are on them now.');
  await keys.tabTo('button', 'Stop 2 services');
  await keys.press('Enter');
  await expect
    .poll(async () => (await setup.call('services.list', {})).services.map(({ id }) => id))
    .toEqual(['arena-1']);
});

test('the console shows each wrapped line completely, for any length of the line and width of the window', async ({
  app,
  setup,
  services,
  window,
}) => {
  await setup.template('lobby');
  await setup.call('services.start', { template: 'lobby' });
  await app.goTo('Services');
  await app.expectState('lobby-1', 'Empty');
  for (let length = 1; length <= 120; length += 1) {
    await setup.call('services.command', { id: 'lobby-1', line: `say ${'x'.repeat(length)}` });
  }
  await window.evaluate(`location.hash = '#/services/lobby-1/console'`);
  const lines = services.console('lobby-1').locator('.line');
  await expect(lines.last()).toContainText('x'.repeat(120));
  for (const width of [1280, 1287, 1293, 1411, 1600]) {
    await app.resize(width, 1000);
    await expect(lines.last()).toContainText('x'.repeat(120));
    // The function is passed as a string, because these files are type-checked without the DOM's types.
    const cut = await window.evaluate(
      `[...document.querySelectorAll('[role="log"] .line')]
        .filter((line) => line.scrollHeight > line.clientHeight)
        .map((line) => line.textContent)`,
    );
    expect(cut, `${width} px`).toEqual([]);
  }
});
