import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { joinAsPlayer } from '#test/support/players/player.ts';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { expect, test } from './support/app.ts';

test('a new user creates a service, and a player joins and leaves it @smoke', async ({
  app,
  window,
  data,
}) => {
  await app.createTemplate('Lobby');
  await expect(window.getByText('server.jar is missing')).toBeVisible();

  // Jar of the person, which the person chooses in the system's dialog.
  const jar = join(data, 'downloads', 'server.jar');
  await mkdir(join(data, 'downloads'));
  await copyFile(await practiceServerJar(), jar);
  await app.answerOpenDialogs([jar]);
  await window.getByRole('button', { name: 'Upload server.jar' }).click();
  await expect(window.getByRole('row').filter({ hasText: 'server.jar' })).toBeVisible();
  await expect(window.getByText('server.jar is missing')).toBeHidden();

  await app.openTemplate('lobby');
  await app.setField('Maximum JVM memory', '128');
  await app.setField('Minimum JVM memory', '32');
  await app.setField('Maximum players', '5');
  await app.setField('Stop unused services after', '1 s');
  await app.setField('Minimum running services', '1');
  await window.getByRole('switch', { name: 'Maximum online services: No limit' }).click();
  await app.setField('Maximum online services', '1');
  await app.save();

  await app.goTo('Services');
  const row = app.serviceRow('lobby-1');
  await app.expectState('lobby-1', 'Empty');
  const address = /127\.0\.0\.1:(\d+)/.exec(await row.innerText());
  const port = Number(address?.[1]);

  const player = await joinAsPlayer({ port, username: 'Alex' });
  await app.expectState('lobby-1', 'Players online');
  await expect(row).toContainText('1 / 5');
  await player.leave();
  await app.expectState('lobby-1', 'Empty');
  await expect(row).toContainText('0 / 5');

  await app.openTemplate('lobby');
  await app.setField('Minimum running services', '0');
  await app.save();
  await app.goTo('Services');
  await expect(row).toBeHidden();

  await app.goTo('Activity');
  for (const [what, why] of [
    ['Template lobby was created', 'requested by'],
    ['lobby-1 was requested', 'Keeps 1 empty service ready'],
    ['lobby-1 is running and can be joined', 'it answered after'],
    ['lobby-1 is in use', '1 of 5 players are on it'],
    ['lobby-1 is empty again', 'the last player left'],
    ['lobby-1 is being stopped', 'and not needed'],
    ['lobby-1 has stopped', 'exit code 0'],
  ] as const) {
    await expect(await app.activity(what), what).toContainText(why);
  }
});
