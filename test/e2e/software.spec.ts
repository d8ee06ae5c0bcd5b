import { FakeCatalogue } from '#test/support/software/fake-catalogue.ts';
import { joinAsPlayer } from '#test/support/players/player.ts';
import { App } from './pages/app.ts';
import { Setup } from './support/setup.ts';
import { expect, launch, liveWindow, test } from './support/app.ts';

test('a user creates a network of Paper and Velocity, updates the lobby to a newer build, and undoes the update', async ({
  data,
}) => {
  const fake = await FakeCatalogue.start();
  const electronApp = await launch(data, ['--window=1280x800', '--on-quit=stop'], {
    OVERWORLD_SOFTWARE_MIRROR: fake.url,
  });
  try {
    const window = await liveWindow(electronApp);
    const app = new App(window, electronApp);
    const setup = new Setup(window, data);

    await window.getByRole('button', { name: 'Create a network' }).click();
    const dialog = window.getByRole('dialog', { name: 'Create a network' });
    await dialog.getByText('Paper and Velocity').click();
    await expect(dialog.getByLabel('Minecraft version')).toHaveValue('1.21.11');
    // The templates are small, because the catalogue's jars are practice servers.
    for (const name of ['Proxy', 'Lobby', 'Game']) {
      await dialog.getByLabel(`Memory of ${name} per service`).fill('128');
    }
    await dialog.getByRole('button', { name: 'Create network' }).click();
    await expect(dialog.getByText('Accept the EULA to use Paper')).toBeVisible();
    expect(fake.requests.some(({ path }) => path.includes('/files/'))).toBe(false);
    await dialog.getByLabel('I have read and accept the Minecraft EULA').check();
    await dialog.getByRole('button', { name: 'Create network' }).click();
    const running = window.getByRole('dialog', { name: 'Your network is running' });
    await expect(running).toBeVisible({ timeout: 120_000 });
    const [, port = '25565'] = /127\.0\.0\.1(?::(\d+))?/.exec(await running.innerText()) ?? [];
    const player = await joinAsPlayer({ port: Number(port), username: 'Alex' });
    await player.leave();
    await running.getByRole('button', { name: 'Close' }).first().click();

    await app.openTemplate('lobby');
    await window.getByRole('tab', { name: 'Files' }).click();
    const card = window.getByRole('region', { name: 'server.jar' });
    await expect(card).toContainText('Paper 1.21.11, build 131');
    await expect(card).toContainText('Downloaded from PaperMC');
    await card.getByRole('button', { name: 'Choose software…' }).click();
    const software = window.getByRole('dialog', { name: 'Software of template lobby' });
    await expect(software.getByLabel('Version', { exact: true })).toHaveValue('1.21.11');
    await software.getByLabel('Build', { exact: true }).selectOption('130');
    await software.getByLabel('Rolling restart of').uncheck();
    await software.getByRole('button', { name: 'Download and use' }).click();
    await expect(software).toBeHidden();
    await expect(card).toContainText('Paper 1.21.11, build 130');

    await expect(card.getByText('Paper 1.21.11, build 131 is available')).toBeVisible();
    await card.getByRole('button', { name: 'Update…' }).click();
    await software.getByRole('button', { name: 'Download and use' }).click();
    await expect(software).toBeHidden();
    await expect(card).toContainText('Paper 1.21.11, build 131');
    await expect(card.getByText('is available')).toBeHidden();
    await window.getByRole('button', { name: 'Undo' }).last().click();
    await expect(card).toContainText('Paper 1.21.11, build 130');
    const events = await setup.call('activity.list', { limit: 50, kinds: ['template.eula-accepted'] });
    expect(events.map(({ template }) => template).sort()).toEqual(['game', 'lobby']);
  } finally {
    await electronApp.close();
    await fake.close();
  }
});
