import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import SftpClient from 'ssh2-sftp-client';
import { askApp } from '#test/support/app/open-app.ts';
import { makePerson } from '#test/support/master/admin-master.ts';
import { expect, test } from '../support/app.ts';
import type { Setup } from '../support/setup.ts';
import { Keys } from '../pages/keys.ts';

/** A folder on this computer, which the app shows next to a template's folder. */

let desk: string;

test.beforeEach(async ({ app, setup, files, data }) => {
  await setup.templateWithoutJar('lobby');
  desk = await onDesk(data, {
    'motd.txt': 'welcome',
    'plugins/a.jar': 'plugin',
    'plugins/lang/en.yml': 'hi: hi',
  });
  await files.open('lobby');
  await app.answerOpenDialogs([desk]);
  await files.addLocalFolder(desk);
});

test('a user drags files and folders in both directions between this computer and the master', async ({
  files,
  setup,
  window,
}) => {
  await files.localRow('plugins').dragTo(files.area('templates', 'lobby'));
  await expect(files.transfer('plugins')).toContainText('Done · 12 B · 2 of 2 files');
  await expect(files.row('plugins')).toBeVisible();
  expect(await readFile(setup.folder('lobby', 'plugins', 'lang', 'en.yml'), 'utf8')).toBe('hi: hi');

  await files.localRow('motd.txt').dragTo(files.row('plugins'));
  await expect(files.transfer('motd.txt')).toContainText('Done');
  expect(await readFile(setup.folder('lobby', 'plugins', 'motd.txt'), 'utf8')).toBe('welcome');

  await writeFile(setup.folder('lobby', 'server.properties'), 'view-distance=10');
  await window.keyboard.press('F5');
  await files.row('server.properties').dragTo(files.area(...desk.split('/').slice(1)));
  await expect(files.localRow('server.properties')).toBeVisible();
  await expect.poll(() => readFile(join(desk, 'server.properties'), 'utf8')).toBe('view-distance=10');

  // A drag within the master moves entries, which can be undone.
  await files.row('server.properties').dragTo(files.row('plugins'));
  await expect(files.row('server.properties')).toBeHidden();
  await window.getByRole('status').getByRole('button', { name: 'Undo' }).click();
  await expect(files.row('server.properties')).toBeVisible();
});

test('the app asks before it writes to hidden files or to folders that the user has not chosen', async ({
  app,
  setup,
  window,
}) => {
  for (const name of ['.bashrc', 'motd.txt']) await writeFile(setup.folder('lobby', name), 'from the master');
  const [home] = await askApp(window, 'local.places', {});
  const plan = (folder: string, name: string) =>
    askApp(window, 'files.planDownload', { paths: [`/templates/lobby/${name}`], folder });
  await app.answerQuestions('Cancel');
  expect(await plan(home?.path ?? '', 'motd.txt')).toMatchObject({ plan: null });
  expect(await plan(desk, '.bashrc')).toMatchObject({ plan: null });
  await expect(
    askApp(window, 'local.rename', { from: join(desk, 'motd.txt'), to: join(home?.path ?? '', 'motd.txt') }),
  ).rejects.toThrow('LOCAL_WRITE_DECLINED');
  expect(await app.questions()).toEqual([
    expect.stringMatching(/^Write motd\.txt to .*\nOverworld has not been allowed to write/),
    expect.stringMatching(/^Write \.bashrc to .*\nHidden: \.bashrc\./),
    expect.stringMatching(/^Rename /),
  ]);
  await app.answerQuestions('Allow');
  expect((await plan(desk, '.bashrc')).plan).not.toBeNull();
  expect((await plan(desk, 'motd.txt')).conflicts).toHaveLength(1);
  expect(await app.questions(), 'the chosen folder is open').toHaveLength(1);
});

test('the app saves an edited text, but asks before it overwrites a change by another person', async ({
  files,
  setup,
  window,
}) => {
  const file = setup.folder('lobby', 'config.yml');
  await writeFile(file, 'online: false\n');
  await window.keyboard.press('F5');
  await files.row('config.yml').dblclick();
  await expect(files.editor).toHaveText('online: false');
  await files.editor.click();
  await window.keyboard.press('Control+a');
  await window.keyboard.type('online: true');
  await expect(window.getByText(', not saved')).toBeAttached();
  await window.keyboard.press('Control+s');
  await expect.poll(() => readFile(file, 'utf8')).toBe('online: true');
  await expect(window.getByText(', not saved')).not.toBeAttached();

  await window.keyboard.type(' # mine');
  await throughAnotherClient(setup, window, async (client) => {
    await client.put(Buffer.from('online: maybe'), '/templates/lobby/config.yml');
  });
  await window.keyboard.press('Control+s');
  await expect(window.getByText(/was changed by someone else since you opened it/)).toBeVisible();
  expect(await readFile(file, 'utf8')).toBe('online: maybe');
  await window.getByRole('button', { name: 'Compare' }).click();
  const both = window.getByRole('dialog', { name: 'Both versions of config.yml' });
  await expect(both.getByText('online: maybe')).toBeVisible();
  await expect(both.getByText('online: true # mine')).toBeVisible();
  await both.getByRole('button', { name: 'Overwrite with mine' }).click();
  await expect.poll(() => readFile(file, 'utf8')).toBe('online: true # mine');
});

test('a user pauses, resumes and cancels an upload', async ({ files, setup, window }) => {
  await writeFile(join(desk, 'world.zip'), '');
  await truncate(join(desk, 'world.zip'), 2 ** 31);
  await window.keyboard.press('F5');
  await files.localRow('world.zip').click();
  await window.getByRole('button', { name: /^Upload 1 selected to lobby/ }).click();
  const progress = files.transfer('world.zip').getByRole('progressbar');
  await expect(progress).toHaveAttribute('aria-valuenow', /^[1-9]\d?$/);
  await files.transfers.getByRole('button', { name: 'Pause world.zip' }).click();
  await expect(files.transfer('world.zip')).toContainText(/Paused at .+ of 2\.0 GB/);
  await files.transfers.getByRole('button', { name: 'Resume world.zip' }).click();
  await expect(files.transfer('world.zip')).toContainText(/ of 2\.0 GB · .+\/s/);
  await files.transfers.getByRole('button', { name: 'Cancel world.zip' }).click();
  await expect(files.transfer('world.zip')).toContainText('Cancelled');
  await expect.poll(() => readdir(setup.folder('lobby'))).toEqual([]);
});

test('the app shows the differences before it makes a folder on the master equal to a local folder', async ({
  files,
  setup,
  window,
}) => {
  await writeFile(setup.folder('lobby', 'old.txt'), 'old');
  await window.keyboard.press('F5');
  await expect(files.row('old.txt')).toBeVisible();
  await window.getByRole('button', { name: 'Compare' }).click();
  const table = window.getByRole('grid', { name: 'Differences' });
  await expect(table.getByRole('row').filter({ hasText: 'old.txt' })).toContainText('unchanged');
  await expect(window.getByText('3 files, 19 B up')).toBeVisible();
  expect(await readdir(setup.folder('lobby'))).toEqual(['old.txt']);

  await window.getByText('Delete files that exist only there').click();
  await table.getByRole('row').filter({ hasText: 'motd.txt' }).getByRole('checkbox').click();
  await window.getByRole('button', { name: 'Synchronise' }).click();
  const question = window.getByRole('dialog', { name: 'Synchronise: 2 files, 12 B up, 1 deleted' });
  await question.getByRole('button', { name: 'Synchronise' }).click();
  await expect.poll(async () => (await readdir(setup.folder('lobby'))).sort()).toEqual(['plugins']);
  await expect
    .poll(() => readFile(setup.folder('lobby', 'plugins', 'lang', 'en.yml'), 'utf8').catch(() => ''))
    .toBe('hi: hi');
});

test('a user searches a word in all files of a template, and opens the file at the matching line', async ({
  files,
  setup,
  window,
}) => {
  await mkdir(setup.folder('lobby', 'plugins'));
  await writeFile(setup.folder('lobby', 'plugins', 'a.yml'), 'a: 1\nb: 2\nsecret: yes\n');
  await files.table.focus();
  await window.keyboard.press('Control+Shift+f');
  await window.getByLabel('Text inside').fill('secret');
  await window.keyboard.press('Enter');
  const found = window.getByRole('grid', { name: 'Results' });
  await expect(found.getByRole('row').filter({ hasText: 'secret: yes' })).toContainText('3');
  await found.getByText('secret: yes').dblclick();
  await expect(files.editor).toContainText('secret: yes');
  await expect(window.getByText('Line 3, column 1')).toBeVisible();
});

test('a user copies, renames, edits and deletes files with the keyboard alone', async ({
  files,
  setup,
  window,
}) => {
  const keys = new Keys(window);
  await files.local.focus();
  await keys.press('m');
  await keys.press('Control+Enter');
  await expect(files.row('motd.txt')).toBeVisible();
  await keys.press('Control+ArrowRight');
  await expect(files.table).toBeFocused();

  await keys.press('m');
  await keys.press('F2');
  await window.keyboard.type('hello');
  await keys.press('Enter');
  await expect(files.row('hello.txt')).toBeVisible();

  await keys.press('Enter');
  await expect(files.editor).toBeFocused();
  await keys.press('Control+End');
  await window.keyboard.type(' home');
  await keys.press('Control+s');
  await expect.poll(() => readFile(setup.folder('lobby', 'hello.txt'), 'utf8')).toBe('welcome home');
  // The master gets the file before the window is notified. Until the notification, the window shows the file as
  // unsaved.
  await expect(window.getByRole('button', { name: 'Save', exact: true })).toBeDisabled();
  await keys.press('Control+w');
  await expect(files.table).toBeVisible();

  await keys.press('F7');
  await window.keyboard.type('texts');
  await keys.press('Enter');
  await expect(files.row('texts')).toBeVisible();
  await expect(files.table).toBeFocused();
  await keys.press('h');
  await keys.press('Control+x');
  await keys.press('t');
  await keys.press('Enter');
  await expect(files.area('templates', 'lobby', 'texts')).toBeVisible();
  await files.table.focus();
  await keys.press('Control+v');
  await expect(files.row('hello.txt')).toBeVisible();
  expect(await readdir(setup.folder('lobby', 'texts'))).toEqual(['hello.txt']);

  await keys.press('Home');
  await keys.press('Delete');
  await expect(window.getByRole('dialog', { name: 'Delete hello.txt' })).toBeVisible();
  await keys.tabTo('button', 'Delete');
  await keys.press('Enter');
  await expect(files.row('hello.txt')).toBeHidden();
  expect(await readdir(setup.folder('lobby', 'texts'))).toEqual([]);
});

/** Writes files through the SFTP client of another person, who has another key. */
async function throughAnotherClient(
  setup: Setup,
  window: Parameters<typeof askApp>[0],
  work: (client: SftpClient) => Promise<void>,
): Promise<void> {
  const { name, publicKey, privateKey } = makePerson('other');
  await setup.call('keys.add', { name, role: 'operator', publicKey });
  const { address } = await askApp(window, 'link.get', {});
  const [host = '', port = ''] = (address ?? '').split(':');
  const client = new SftpClient();
  await client.connect({ host, port: Number(port), username: name, privateKey });
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

/**
 * Creates files in a folder of this computer that the app does not show.
 *
 * @returns the folder
 */
async function onDesk(data: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(dirname(data), 'desk');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return folder;
}
