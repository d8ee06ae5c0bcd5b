import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { askApp } from '#test/support/app/open-app.ts';
import { expect, test } from './support/app.ts';

/** Default of `communication.port`, which a new master uses. */
const LINK_PORT = 1510;

test('the app shows that the port of the plugin link is in use, and replaces it by a free port', async ({
  data,
  app,
  setup,
  window,
}) => {
  await setup.templateWithoutJar('lobby');
  await setup.templateWithoutJar('arena');
  // At first, the app's master listens on the default port. The test then sets another port, lets another process
  // take this port, and restarts the master.
  await expect.poll(async () => (await setup.call('wayIn.get', {})).link.listening?.port).toBe(LINK_PORT);
  const before = await setup.call('config.get', {});
  const other = createServer();
  await setup.call('config.update', {
    config: { ...before.config, communication: { hostname: '127.0.0.1', port: LINK_PORT + 1 } },
    basedOn: before.configRevision,
  });
  other.listen(LINK_PORT + 1, '127.0.0.1');
  await once(other, 'listening');

  await app.goTo('Configuration');
  const restart = window.getByRole('button', { name: 'Restart master' });
  await restart.click();
  const dialog = window.getByRole('dialog', { name: 'Restart the master on this computer?' });
  await dialog.getByRole('button', { name: 'Restart master' }).click();

  const notice = window.getByRole('alert').filter({ hasText: 'The plugin link is closed' });
  await expect(notice).toContainText(`(process ${process.pid}) uses this port`);
  await app.goTo('Overview');
  const use = window.getByRole('button', { name: /^Use port \d+$/ });
  const port = Number((await use.textContent())?.match(/\d+/)?.[0]);
  expect(port).toBeGreaterThan(LINK_PORT + 1);
  await use.focus();
  await window.keyboard.press('Enter');
  await expect(restart, 'the keyboard goes on where it was').toBeFocused();
  await window.keyboard.press('Enter');
  await expect(dialog).toBeVisible();
  await dialog.getByRole('button', { name: 'Restart master' }).press('Enter');
  await expect
    .poll(async () => (await setup.call('wayIn.get', {}).catch(() => null))?.link.listening?.port)
    .toBe(port);
  await expect(restart).toBeHidden();
  await expect(use).toBeHidden();
  const file = join(data, 'master', 'config', 'master.json');
  expect(JSON.parse(await readFile(file, 'utf8'))).toMatchObject({ communication: { port } });
  expect(await askApp(window, 'link.get', {})).toMatchObject({ status: 'connected' });
  other.close();
});
