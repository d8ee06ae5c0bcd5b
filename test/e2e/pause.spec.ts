import { expect, test } from './support/app.ts';

test('a paused service is not replaced after a stop, and starts again when it is resumed', async ({
  app,
  setup,
  services,
  window,
}) => {
  await setup.template('lobby', { minimumRunningServers: 1, maximumOnlineServers: 3 });
  await app.goTo('Services');
  await app.expectState('lobby-1', 'Empty');
  await services.open('lobby-1');
  const panel = services.panel('lobby-1');
  await services.more('lobby-1', 'Pause automation');
  await expect(panel).toContainText('Automation is paused. No rule starts or stops it');
  await expect(app.serviceRow('lobby-1').getByText('Paused', { exact: true })).toBeVisible();

  await panel.getByRole('button', { name: 'Stop', exact: true }).click();
  const question = window.getByRole('dialog', { name: 'Stop service lobby-1?' });
  await expect(question).toContainText('Its automation is paused, so it stays in the list, still counts');
  await expect(question).not.toContainText('will start');
  await services.confirm('Stop', 'lobby-1');
  await services.expectState('lobby-1', 'Paused');
  await expect(panel).toContainText('It does not start until automation is resumed.');

  expect((await setup.call('plan.preview', {}))?.actions, 'no rule wants a replacement').toEqual([]);
  const after = await setup.call('services.list', {});
  expect(after.services.map(({ id, state, held }) => ({ id, state, held }))).toEqual([
    { id: 'lobby-1', state: 'REQUESTED', held: true },
  ]);
  await window.getByRole('button', { name: /^Paused 1/ }).click();
  await expect(app.serviceRow('lobby-1')).toBeVisible();
  await window.getByRole('button', { name: /^Paused 1/ }).click();

  await panel.getByRole('button', { name: 'Resume automation of lobby-1' }).click();
  await services.expectState('lobby-1', 'Empty');
  await expect(panel.getByText('Paused', { exact: true })).toHaveCount(0);
  await services.tab('History');
  await expect(
    panel
      .getByRole('article')
      .filter({ hasText: /Automation of lobby-1 was paused|automation is paused/ })
      .first(),
  ).toBeVisible();
});

test('after a user has removed a paused service, a new service starts to reach the minimum', async ({
  app,
  setup,
  services,
}) => {
  await setup.template('lobby', { minimumRunningServers: 1 });
  await app.goTo('Services');
  await app.expectState('lobby-1', 'Empty');
  await setup.call('services.hold', { id: 'lobby-1', held: true });
  await setup.call('services.stop', { id: 'lobby-1', kill: true });
  await services.open('lobby-1');
  await services.expectState('lobby-1', 'Paused');
  await services.panel('lobby-1').getByRole('button', { name: 'Remove', exact: true }).click();
  await services.confirm('Remove', 'lobby-1');
  await expect(app.serviceRow('lobby-1')).toBeHidden();
  await app.expectState('lobby-2', 'Empty');
});

test('the app shows the effects of a changed template before the user saves it', async ({
  app,
  setup,
  template,
  window,
}) => {
  await setup.template('lobby', { minimumRunningServers: 1 });
  await app.goTo('Services');
  await app.expectState('lobby-1', 'Empty');
  await template.open('lobby');
  await template.number('Minimum running services').fill('2');
  const preview = window.getByRole('region', { name: 'Effect of this change' });
  await expect(preview.getByRole('listitem')).toHaveText([
    /^\s*Starts lobby-2 · Keeps 2 empty services ready\s*$/,
  ]);
  await template.number('Priority').fill('3');
  await template.number('Minimum running services').fill('1');
  await expect(preview).toContainText('Nothing would change now.');
  expect((await setup.call('services.list', {})).services, 'nothing is done for a look').toHaveLength(1);

  await template.number('Minimum running services').fill('2');
  await expect(preview).toContainText('Starts lobby-2');
  await template.save();
  await expect(preview).toBeHidden();
  await app.goTo('Services');
  await app.expectState('lobby-2', 'Empty');
});

test('the app shows a paused template and a cordoned node, and can resume both', async ({
  app,
  setup,
  template,
  window,
}) => {
  await setup.template('lobby', { minimumRunningServers: 1 });
  await app.goTo('Services');
  await app.expectState('lobby-1', 'Empty');

  await template.open('lobby');
  await window.getByRole('button', { name: 'More actions' }).click();
  await window.getByRole('menuitem', { name: 'Pause automation' }).click();
  const strip = window.getByRole('status').filter({ hasText: 'No rule requests, starts or stops' });
  await strip.getByRole('button', { name: 'Resume automation' }).click();
  await expect(strip).toBeHidden();

  await app.goTo('Overview');
  const node = window
    .getByRole('list', { name: /^Nodes/ })
    .getByRole('listitem')
    .first();
  const choose = async (item: string): Promise<void> => {
    await node.getByRole('button', { name: /^Actions for node/ }).click();
    await window.getByRole('menuitem', { name: item }).click();
  };
  await choose('Stop new services');
  await expect(node.getByText('No new services', { exact: true })).toBeVisible();
  await setup.call('services.start', { template: 'lobby' });
  const trouble = window.getByRole('region', { name: 'Problems' });
  await expect(trouble).toContainText('lobby-2');
  await choose('Allow new services');
  await expect(node.getByText('No new services', { exact: true })).toBeHidden();
  await expect(trouble.getByText('lobby-2')).toBeHidden();
  await app.goTo('Services');
  await app.expectState('lobby-2', 'Empty');
});
