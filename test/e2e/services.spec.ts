import { rm } from 'node:fs/promises';
import { isRunning } from '#test/support/is-running.ts';
import { expect, test } from './support/app.ts';
import type { Setup } from './support/setup.ts';

test('a user starts a service, sends a command to it and stops it', async ({
  app,
  setup,
  services,
  window,
}) => {
  await setup.template('lobby');
  await app.goTo('Services');
  await services.start('lobby', 'lobby-1');
  await services.expectState('lobby-1', 'Empty');
  await services.tab('Console');
  await expect(services.console('lobby-1')).toContainText(/Done \(\d+\.\d+s\)!/);

  const command = window.getByRole('textbox', { name: 'Command for lobby-1' });
  await command.fill('say hello');
  await command.press('Enter');
  await expect(services.console('lobby-1')).toContainText('[Server] hello');
  await expect(command).toHaveValue('');
  await command.fill('list');
  await command.press('Enter');
  await expect(services.console('lobby-1')).toContainText('There are 0 of a max of 5 players online');

  // The arrow keys go through earlier commands, and back to the current input.
  await expect(command).toHaveValue('');
  await command.fill('half a li');
  await command.press('ArrowUp');
  await expect(command).toHaveValue('list');
  await command.press('ArrowUp');
  await expect(command).toHaveValue('say hello');
  await command.press('ArrowUp');
  await expect(command).toHaveValue('say hello');
  await command.press('ArrowDown');
  await command.press('ArrowDown');
  await expect(command).toHaveValue('half a li');

  const pid = await pidOf(setup, 'lobby-1');
  const stop = services.panel('lobby-1').getByRole('button', { name: 'Stop', exact: true });
  await stop.click();
  await services.confirm('Stop', 'lobby-1', 'Cancel');
  expect(isRunning(pid), 'nothing is stopped before the question is answered').toBe(true);
  await stop.click();
  await services.confirm('Stop', 'lobby-1');
  await expect(app.serviceRow('lobby-1')).toBeHidden();
  await expect.poll(() => isRunning(pid)).toBe(false);
  // The service's history stays visible, and shows the reason for the stop.
  const stopped = services.panel('lobby-1').getByRole('article').filter({ hasText: 'lobby-1 has stopped' });
  await expect(stopped).toContainText('exit code 0');
  await services.tab('Console');
  await expect(window.getByRole('heading', { name: 'lobby-1 no longer exists' })).toBeVisible();
});

test('a user kills a service that hangs', async ({ app, setup, services, window }) => {
  await setup.template('lobby');
  await app.goTo('Services');
  await services.start('lobby', 'lobby-1');
  await services.expectState('lobby-1', 'Empty');
  await services.tab('Console');
  const command = window.getByRole('textbox', { name: 'Command for lobby-1' });
  await command.fill('hang');
  await command.press('Enter');
  await expect(services.console('lobby-1')).toContainText('Hanging');

  const pid = await pidOf(setup, 'lobby-1');
  await services.more('lobby-1', 'Kill service');
  await services.confirm('Kill', 'lobby-1');
  await expect(app.serviceRow('lobby-1')).toBeHidden();
  await expect.poll(() => isRunning(pid)).toBe(false);
});

test('the app shows the exit code and the last log lines of a crashed service, and restarts it', async ({
  app,
  setup,
  services,
  window,
}) => {
  await setup.template('lobby', { minimumRunningServers: 1, maximumOnlineServers: 1 });
  await app.goTo('Services');
  await app.expectState('lobby-1', 'Empty');
  await services.open('lobby-1');
  await services.tab('Console');
  const pid = await pidOf(setup, 'lobby-1');
  const command = window.getByRole('textbox', { name: 'Command for lobby-1' });
  await command.fill('crash');
  await command.press('Enter');

  const panel = services.panel('lobby-1');
  await expect(panel).toContainText('Service lobby-1 exited unexpectedly (exit code 3)');
  await expect(panel).toContainText(
    '1 failed attempt in a row · running again; recovered after one minute without a crash',
  );
  await services.tab('Details');
  await expect(window.getByRole('log', { name: 'Last lines of the failed attempt' })).toContainText(
    'Crashing, as the practice command "crash" asks',
  );

  await services.expectState('lobby-1', 'Failing');
  expect(await pidOf(setup, 'lobby-1')).not.toBe(pid);
  await services.tab('History');
  const failed = window.getByRole('article').filter({ hasText: 'exited unexpectedly (exit code 3)' });
  await expect(failed).toContainText('attempt 1; retried immediately');
});

test('the app explains that server.jar is missing, and the service starts after the file was added', async ({
  app,
  setup,
  services,
  window,
}) => {
  await setup.template('lobby');
  await rm(setup.folder('lobby', 'server.jar'));
  await app.goTo('Services');
  await services.start('lobby', 'lobby-1');
  await services.expectState('lobby-1', 'Waiting');
  await expect(services.panel('lobby-1')).toContainText('no server.jar');
  // While the panel is open, the table is too narrow to show the reason. Without the panel, the row also shows the
  // reason.
  await services.panel('lobby-1').getByRole('button', { name: 'Close' }).click();
  await expect(app.serviceRow('lobby-1')).toContainText('no server.jar');
  await services.open('lobby-1');

  await services.panel('lobby-1').getByRole('button', { name: 'Open files of lobby' }).click();
  await expect(window.getByText('server.jar is missing, so no service of lobby can start')).toBeVisible();
  await window.getByRole('button', { name: 'Upload practice server' }).click();
  await app.goTo('Services');
  await app.expectState('lobby-1', 'Empty');
});

async function pidOf(setup: Setup, id: string): Promise<number> {
  const { services } = await setup.call('services.list', {});
  const pid = services.find((service) => service.id === id)?.pid;
  if (typeof pid !== 'number') throw new Error(`${id} has no process`);
  return pid;
}
