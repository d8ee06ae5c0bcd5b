import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { expect, test } from '../support/app.ts';

test('a user reads files of a running service and of its saves, and edits its volume after a stop', async ({
  app,
  data,
  files,
  setup,
  template,
  window,
}) => {
  await setup.templateWithoutJar('survival', { persistentPaths: ['world/'], maximumOnlineServers: 1 });
  const world = setup.folder('survival', 'world');
  await mkdir(world);
  await writeFile(join(world, 'level.txt'), 'first');
  await setup.jar('survival');
  await setup.call('services.start', { template: 'survival' });
  await app.goTo('Services');
  await app.expectState('survival-1', 'Empty');
  const live = setup.serviceFolder('survival-1');
  await setup.call('volumes.save', { id: 'survival/1' });
  await writeFile(join(live, 'world', 'level.txt'), 'second');
  await setup.call('volumes.save', { id: 'survival/1' });
  await writeFile(join(live, 'world', 'level.txt'), 'third!');
  await writeFile(join(live, 'config.yml'), 'kept: no');

  const local = join(dirname(data), 'downloads');
  await mkdir(local);
  await window.getByRole('navigation', { name: 'Screens' }).getByRole('link', { name: 'Files' }).click();
  await app.answerOpenDialogs([local]);
  await files.addLocalFolder(local);
  const path = window.getByRole('navigation', { name: 'Path: Master' });
  const goTo = async (...names: readonly string[]): Promise<void> => {
    await path.getByRole('button', { name: 'Files' }).click();
    for (const name of names) await files.row(name).dblclick();
    await expect(files.area(...names)).toBeVisible();
  };
  const upload = window.getByRole('button', { name: 'Upload', exact: true });

  await goTo('services', 'survival-1');
  await expect(window.getByText(/^Files of running services are read-only here/)).toBeVisible();
  await expect(files.row('overworld-link.properties')).toBeHidden();
  await expect(upload).toBeDisabled();
  await files.choose('config.yml', 'world');
  await window.keyboard.press('Delete');
  await expect(window.getByRole('dialog')).toBeHidden();
  await window.keyboard.press('Control+Enter');
  await expect(files.transfer('config.yml')).toContainText('Done');
  await expect(files.transfer('world')).toContainText('Done');
  expect(await readFile(join(local, 'config.yml'), 'utf8')).toBe('kept: no');
  expect(await readFile(join(local, 'world', 'level.txt'), 'utf8')).toBe('third!');
  await files.row('config.yml').dblclick();
  await expect(files.editor).toHaveText('kept: no');
  await expect(files.editor).toHaveAttribute('aria-readonly', 'true');
  await expect(window.getByRole('button', { name: 'Save' })).toBeDisabled();

  await window.getByRole('button', { name: 'Back to files' }).click();
  await goTo('volumes', 'survival', '1');
  await expect(window.getByText(/^The service survival-1 uses this volume/)).toBeVisible();
  await expect(upload).toBeDisabled();
  await files.row('world').dblclick();
  await files.row('level.txt').dblclick();
  await expect(files.editor).toHaveText('second');
  await window.getByRole('button', { name: 'Back to files' }).click();
  await path.getByRole('button', { name: '1', exact: true }).click();
  await window.getByRole('button', { name: 'Earlier saves' }).click();
  const saves = files.table.getByText(/^\d{4}-\d\d-\d\d_\d\d\.\d\d\.\d\d/);
  await expect(saves).toHaveCount(2);
  const names = (await saves.allTextContents()).sort();
  await files.row(names[0] ?? '').dblclick();
  await files.row('world').dblclick();
  await files.row('level.txt').dblclick();
  await expect(files.editor).toHaveText('first');
  expect((await readdir(live)).sort()).toContain('config.yml');

  await window.getByRole('button', { name: 'Back to files' }).click();
  await setup.call('services.hold', { id: 'survival-1', held: true });
  await setup.call('services.stop', { id: 'survival-1', kill: false });
  await goTo('volumes', 'survival', '1');
  await expect(window.getByText('The files with which survival-1 starts next')).toBeVisible();
  await expect(upload).toBeEnabled();
  await files.row('world').dblclick();
  await files.row('level.txt').dblclick();
  await window.getByRole('button', { name: 'Reload from the master' }).click();
  await expect(files.editor).toHaveText('third!');
  await files.editor.click();
  await window.keyboard.press('Control+a');
  await window.keyboard.type('edited');
  await window.keyboard.press('Control+s');
  await expect(window.getByText('Saved level.txt')).toBeVisible();
  await expect
    .poll(async () => (await setup.call('volumes.saves', { id: 'survival/1' }))[0]?.cause)
    .toMatch(/^changed over SFTP by /);
  const service = setup.serviceFolder('survival-1');
  await setup.call('services.hold', { id: 'survival-1', held: false });
  const started = () => readFile(join(service, 'world', 'level.txt'), 'utf8').catch(() => null);
  await expect.poll(started).toBe('edited');

  await template.open('survival');
  await window.getByRole('tab', { name: /^Data/ }).click();
  await window.getByRole('button', { name: /saves? of survival\/1/ }).click();
  const saved = template.dialog('Saves of survival/1');
  await saved.getByRole('radio').last().check();
  await app.answerOpenDialogs([local]);
  await saved.getByRole('button', { name: 'Download…' }).click();
  const first = files.transfers.getByRole('listitem').filter({ hasText: names[0] ?? '' });
  await expect(first).toContainText('Done');
  const [folder = ''] = (await readdir(local)).filter((name) => name.startsWith(names[0] ?? '?'));
  expect(await readFile(join(local, folder, 'world', 'level.txt'), 'utf8')).toBe('first');
});
