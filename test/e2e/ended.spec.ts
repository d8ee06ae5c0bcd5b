import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from './support/app.ts';

test('a user copies files of a service to its template, keeps a copy before a stop, and reads a crash report', async ({
  app,
  data,
  setup,
  services,
  window,
}) => {
  await setup.template('lobby');
  await app.goTo('Services');
  await services.start('lobby', 'lobby-1');
  await services.expectState('lobby-1', 'Empty');
  const live = join(data, 'master/services/lobby-1/files');
  await mkdir(join(live, 'world'));
  await writeFile(join(live, 'world/level.dat'), 'built by players');
  await mkdir(join(live, 'crash-reports'));
  await writeFile(join(live, 'crash-reports/crash-1-server.txt'), 'Description: Ticking entity');

  await services.more('lobby-1', 'Copy its files to lobby…');
  const files = window.getByRole('dialog', { name: 'Copy files of lobby-1 to its template' });
  await files.getByRole('button', { name: 'world' }).click();
  await files.getByRole('checkbox', { name: 'world/level.dat' }).check();
  await files.getByRole('button', { name: 'Copy to template' }).click();
  await expect(files).toBeHidden();
  expect(await readFile(setup.folder('lobby', 'world/level.dat'), 'utf8')).toBe('built by players');

  await services.panel('lobby-1').getByRole('button', { name: 'Stop', exact: true }).click();
  const stop = window.getByRole('dialog', { name: 'Stop service lobby-1?' });
  await expect(stop).toContainText('Everything it wrote is deleted, such as worlds and plugin data.');
  await stop.getByRole('button', { name: 'Keep a copy' }).click();
  const stored = stop.getByRole('button', { name: /^\/files\/service-copies\/lobby-1\// });
  await expect(stored).toBeVisible();
  const folder = await stored.textContent();
  expect(await readFile(join(data, 'master', folder ?? '', 'world/level.dat'), 'utf8')).toBe(
    'built by players',
  );
  await stop.getByRole('button', { name: 'Stop service' }).click();
  await expect(app.serviceRow('lobby-1')).toBeHidden();

  await services.tab('Console');
  await window.getByRole('button', { name: 'crash-reports/crash-1-server.txt' }).click();
  await expect(window.getByRole('dialog')).toContainText('Description: Ticking entity');
});
