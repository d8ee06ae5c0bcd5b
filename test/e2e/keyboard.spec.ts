import { expect, test } from './support/app.ts';
import { Keys } from './pages/keys.ts';

test('a user creates a template, and starts and stops a service, without a mouse', async ({
  setup,
  window,
}) => {
  const keys = new Keys(window);

  await keys.palette('create template');
  await expect(window.getByRole('dialog', { name: 'Create template' })).toBeVisible();
  // The focus starts at the dialog's first field. The arrow keys choose the preset.
  await keys.tabTo('radio', 'Lobby');
  for (let n = 0; n < 3; n += 1) await keys.press('ArrowDown');
  await keys.expectFocus('radio', 'Something else');
  await keys.tabTo('radio', 'Game server');
  await keys.press('Space');
  await keys.tabTo('textbox', 'Name');
  await keys.press('Control+a');
  await window.keyboard.type('Practice field');
  await keys.press('Enter');
  await expect(window.getByText('server.jar is missing, so no service of practice-field')).toBeVisible();
  // The Files screen shows the new template's folder on the master.
  await keys.expectFocus('section', 'Master');

  await keys.tabTo('button', 'Upload practice server');
  await keys.press('Enter');
  await expect(window.getByText('server.jar is missing')).toBeHidden();

  await keys.palette('start service from practice-field');
  await keys.palette('services');
  await expect(window.getByRole('heading', { level: 1, name: 'Services' })).toBeVisible();
  await expect(
    window.getByRole('grid', { name: 'Services' }).getByText('Empty', { exact: true }),
  ).toBeVisible();

  await keys.tabTo('grid', 'Services');
  await keys.press('Enter');
  await expect(window.getByRole('region', { name: 'practice-field-1' })).toBeVisible();
  await keys.tabTo('tab', 'Console');
  await expect(window.getByRole('log', { name: 'Console of practice-field-1' })).toContainText('Done (');
  await keys.tabTo('textbox', 'Command for practice-field-1');
  await window.keyboard.type('say by keyboard');
  await keys.press('Enter');
  await expect(window.getByRole('log', { name: 'Console of practice-field-1' })).toContainText(
    '[Server] by keyboard',
  );

  await keys.backTo('button', 'Stop');
  await keys.press('Enter');
  const question = window.getByRole('dialog', { name: 'Stop service practice-field-1?' });
  await expect(question).toBeVisible();
  // One press of Tab is enough for the button, although it has a tooltip.
  await keys.tabTo('button', 'Close');
  await keys.press('Escape');
  await expect(question).toBeHidden();
  await keys.expectFocus('button', 'Stop');
  await keys.press('Enter');
  await keys.tabTo('button', 'Stop service');
  await keys.press('Enter');
  await expect(question).toBeHidden();
  await expect.poll(async () => (await setup.call('services.list', {})).services).toEqual([]);
});
