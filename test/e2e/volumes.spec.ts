import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './support/app.ts';

test('a user saves a world, restores an earlier save, clones the volume, and finds it after the template was deleted', async ({
  app,
  setup,
  template,
  window,
}) => {
  await setup.templateWithoutJar('survival', { persistentPaths: ['world/'], maximumOnlineServers: 1 });
  const world = setup.folder('survival', 'world');
  await mkdir(world);
  await writeFile(join(world, 'level.dat'), 'as in the template');
  await setup.jar('survival');
  await setup.call('services.start', { template: 'survival' });
  await app.goTo('Services');
  await app.expectState('survival-1', 'Empty');

  await template.open('survival');
  await window.getByRole('tab', { name: /^Data/ }).click();
  const row = window
    .getByRole('grid', { name: 'Volumes of template survival' })
    .getByRole('row')
    .filter({ hasText: 'survival/1' });
  await expect(row).toContainText('In use');
  const saves = template.dialog('Saves of survival/1');
  await row.getByRole('button', { name: /saves? of survival\/1/ }).click();
  await saves.getByRole('button', { name: 'Save now' }).click();
  await expect(saves.getByRole('radio')).toHaveCount(1);

  const level = join(setup.serviceFolder('survival-1'), 'world', 'level.dat');
  await writeFile(level, 'griefed');
  await saves.getByRole('button', { name: 'Save now' }).click();
  await expect(saves.getByRole('radio')).toHaveCount(2);
  await saves.getByRole('radio').last().check();
  await expect(saves).toContainText('1 file would be changed');
  await window.keyboard.press('Escape');
  await expect(saves).toBeHidden();

  await row.getByRole('button', { name: /saves? of survival\/1/ }).press('Enter');
  await saves.getByRole('radio').last().check();
  await saves.getByRole('button', { name: 'Restore…' }).click();
  const restore = template.dialog(/^Restore survival\/1 to/);
  await expect(restore).toContainText('survival-1 is stopped, and its data is saved first.');
  await restore.getByRole('button', { name: 'Stop service and restore' }).click();
  await expect(restore).toBeHidden({ timeout: 60_000 });
  await saves.getByRole('button', { name: 'Close' }).last().click();
  await app.goTo('Services');
  await app.expectState('survival-1', 'Empty');
  await expect.poll(() => readFile(level, 'utf8')).toBe('as in the template');

  await template.open('survival');
  await window.getByRole('tab', { name: /^Data/ }).click();
  await row.getByRole('button', { name: 'Actions for volume survival/1' }).click();
  await window.getByRole('menuitem', { name: /^Clone/ }).click();
  const clone = template.dialog('Clone volume survival/1');
  await expect(clone.getByLabel('Number')).toHaveValue('2');
  await clone.getByRole('button', { name: 'Clone volume' }).click();
  await expect(clone).toBeHidden();
  await expect(window.getByRole('tab', { name: /^Data/ })).toContainText('2');

  await window.getByRole('button', { name: 'More actions', exact: true }).click();
  await window.getByRole('menuitem', { name: 'Delete template' }).click();
  const deletion = template.dialog(/^Delete template survival/);
  await expect(deletion).toContainText('Its 2 volumes stay');
  await window.keyboard.press('Escape');
  await setup.call('templates.delete', { id: 'survival', services: 'stop' });
  await app.goTo('Templates');
  // An empty list contains another button.
  await window.getByRole('button', { name: 'Create template' }).first().click();
  const creation = template.dialog('Create template');
  await creation.getByRole('textbox', { name: 'Id' }).fill('survival');
  await expect(creation).toContainText('2 volumes with this id exist');
  await window.keyboard.press('Escape');
  await window.getByRole('link', { name: 'survival', exact: true }).click();
  await expect(row).toContainText('Saved');
  await row.getByRole('button', { name: 'Actions for volume survival/1' }).click();
  await window.getByRole('menuitem', { name: /^Delete volume/ }).click();
  const remove = template.dialog(/^Delete volume survival\/1/);
  await remove.getByRole('textbox').fill('survival/1');
  await remove.getByRole('button', { name: 'Delete volume' }).click();
  await expect(row).toBeHidden();
  expect((await setup.call('volumes.list', {})).map(({ id }) => id)).toEqual(['survival/2']);
});

test('a user learns before a stop that the data of a service cannot be saved now', async ({
  app,
  setup,
  template,
  window,
}) => {
  await setup.template('survival', { persistentPaths: ['world/'], maximumOnlineServers: 1 });
  await setup.call('services.start', { template: 'survival' });
  await app.goTo('Services');
  await app.expectState('survival-1', 'Empty');
  const world = join(setup.serviceFolder('survival-1'), 'world');
  await mkdir(world, { recursive: true });
  await writeFile(join(world, 'level.dat'), 'written by the server');
  const { config, configRevision: basedOn } = await setup.call('config.get', {});
  await setup.call('config.update', {
    config: { ...config, volumes: { ...config.volumes, quota: { perVolume: 0, total: -1 } } },
    basedOn,
  });
  await expect(setup.call('volumes.save', { id: 'survival/1' })).rejects.toThrow();
  expect((await setup.call('volumes.list', {}))[0]?.problem).toContain('volumes.quota.perVolume');

  await window.getByRole('grid', { name: 'Services' }).getByText('survival-1').click({ button: 'right' });
  await window.getByRole('menuitem', { name: /^Stop service/ }).click();
  const dialog = template.dialog('Stop service survival-1?');
  await expect(dialog).toContainText('survival-1 cannot be saved now.');
  await expect(dialog).toContainText('volumes.quota.perVolume allows 0 MB');
  await expect(dialog).not.toContainText('saved first');
  await window.keyboard.press('Escape');
  await expect(dialog).toBeHidden();

  await setup.call('templates.restart', { id: 'survival', which: 'all' });
  await template.open('survival');
  await expect(window.getByText(/The rolling restart of template survival waits/)).toBeVisible();
  await app.goTo('Services');
  await app.expectState('survival-1', 'Empty');

  // Restore the settings, so that the service can be saved. Otherwise, the app takes long to quit.
  const { configRevision } = await setup.call('config.get', {});
  await setup.call('config.update', { config, basedOn: configRevision });
});
