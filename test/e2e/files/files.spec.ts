import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { practiceServerJar } from '#test/support/players/practice-server.ts';
import { expect, test } from '../support/app.ts';

/** A file name with characters that have a meaning in URLs, commands and patterns. */
const STRANGE = 'Ätsch & 100% #1 ?x=y [größe] \'"+$HOME;.txt';

test.beforeEach(async ({ setup, files }) => {
  await setup.templateWithoutJar('lobby');
  await files.open('lobby');
});

test.afterEach(async ({ setup }) => {
  const left = await readdir(setup.folder('lobby'), { recursive: true }).catch((): string[] => []);
  expect(
    left.filter((name) => name.includes('.overworld-')),
    'nothing half-made is left',
  ).toEqual([]);
});

test('a user uploads files and a folder that were chosen in the dialog of the system', async ({
  app,
  files,
  data,
  setup,
}) => {
  const desk = await onDesk(data, {
    'motd.txt': 'welcome',
    [STRANGE]: 'strange, but a name',
    'world/level.dat': 'level',
    'world/region/r.0.0.mca': 'region',
  });

  await app.answerOpenDialogs([join(desk, 'motd.txt'), join(desk, STRANGE)]);
  await files.upload('files');
  await expect(files.row('motd.txt')).toContainText('7 B');
  await expect(files.row(STRANGE)).toContainText('19 B');
  await expect(files.transfer('motd.txt')).toContainText('Done · 7 B');

  await app.answerOpenDialogs([join(desk, 'world')]);
  await files.upload('folder');
  await expect(files.row('world')).toBeVisible();
  await expect(files.transfer('world')).toContainText('Done · 11 B · 2 of 2 files');

  expect(await readFile(setup.folder('lobby', 'motd.txt'), 'utf8')).toBe('welcome');
  expect(await readFile(setup.folder('lobby', STRANGE), 'utf8')).toBe('strange, but a name');
  expect(await readFile(setup.folder('lobby', 'world', 'level.dat'), 'utf8')).toBe('level');
  expect(await readFile(setup.folder('lobby', 'world', 'region', 'r.0.0.mca'), 'utf8')).toBe('region');
});

test('a user uploads files and folders by dropping them onto the list or onto a folder', async ({
  files,
  data,
  setup,
  window,
}) => {
  const desk = await onDesk(data, { 'a.txt': 'a', [STRANGE]: 'strange', 'plugins/p.jar': 'plugin' });

  await files.drop([join(desk, 'a.txt'), join(desk, 'plugins')], files.area('templates', 'lobby'));
  await expect(files.row('a.txt')).toBeVisible();
  await expect(files.row('plugins')).toBeVisible();

  await files.drop([join(desk, STRANGE)], files.row('plugins'));
  await expect(files.transfer(STRANGE)).toContainText('Done · 7 B');
  await files.row('plugins').dblclick();
  await expect(files.row(STRANGE)).toBeVisible();

  expect(await readFile(setup.folder('lobby', 'a.txt'), 'utf8')).toBe('a');
  expect(await readFile(setup.folder('lobby', 'plugins', 'p.jar'), 'utf8')).toBe('plugin');
  expect(await readFile(setup.folder('lobby', 'plugins', STRANGE), 'utf8')).toBe('strange');
  await expect(window.getByText(/^Drop to upload/), 'the hint goes with the drop').toBeHidden();
});

test('the app shows the progress of an upload, and leaves no files behind after a cancellation', async ({
  app,
  files,
  data,
  setup,
}) => {
  // A sparse file takes no disk space, but its upload takes long enough.
  const desk = await onDesk(data, { 'huge.bin': '' });
  await truncate(join(desk, 'huge.bin'), 8 * 2 ** 30);
  await app.answerOpenDialogs([join(desk, 'huge.bin')]);
  await files.upload('files');
  const progress = files.transfer('huge.bin').getByRole('progressbar', { name: 'Progress of huge.bin' });
  await expect(progress).toHaveAttribute('aria-valuenow', /^[1-9]\d?$/);
  await expect(files.transfer('huge.bin')).toContainText(/ MB of 8\.0 GB · .+\/s · .+ left/);

  await files.transfers.getByRole('button', { name: 'Cancel huge.bin' }).click();
  await expect(files.transfer('huge.bin')).toContainText('Cancelled');
  await expect(files.row('huge.bin')).toBeHidden();
  expect(await readdir(setup.folder('lobby'))).toEqual([]);

  await files.transfers.getByRole('button', { name: 'Clear finished' }).click();
  await expect(files.transfers).toContainText('No transfers');
});

test('the app asks whether to skip, rename or overwrite files whose names already exist', async ({
  app,
  files,
  data,
  setup,
  window,
}) => {
  const old = setup.folder('lobby', 'server.properties');
  await writeFile(old, 'old');
  await files.open('lobby');
  await expect(files.row('server.properties')).toBeVisible();
  const desk = await onDesk(data, { 'server.properties': 'newer', 'other.txt': 'other' });
  const question = window.getByRole('dialog', { name: 'A name already exists' });
  async function uploadAndAnswer(choice: string | null, answer: string): Promise<void> {
    await app.answerOpenDialogs([join(desk, 'server.properties'), join(desk, 'other.txt')]);
    await files.upload('files');
    await expect(question.getByRole('row', { name: /server\.properties/ })).toContainText(/5 B.*3 B/);
    if (choice !== null) {
      await question
        .getByRole('combobox', { name: 'What to do with server.properties' })
        .selectOption({ label: choice });
    }
    await question.getByRole('button', { name: answer }).click();
    await expect(question).toBeHidden();
  }

  await uploadAndAnswer(null, 'Cancel');
  await expect(files.transfers).toContainText('No transfers');
  expect(await readdir(setup.folder('lobby'))).toEqual(['server.properties']);

  await uploadAndAnswer('Skip', 'Skip it');
  await expect(files.transfer('other.txt')).toContainText('Done');
  await expect(files.row('other.txt')).toBeVisible();
  expect(await readFile(old, 'utf8')).toBe('old');

  await rm(setup.folder('lobby', 'other.txt'));
  await files.open('lobby');
  await expect(files.row('other.txt')).toBeHidden();
  await uploadAndAnswer('Keep both', 'Keep both');
  await expect(files.row('server (2).properties')).toBeVisible();
  expect(await readFile(setup.folder('lobby', 'server (2).properties'), 'utf8')).toBe('newer');
  expect(await readFile(old, 'utf8')).toBe('old');

  await rm(setup.folder('lobby', 'other.txt'));
  await files.open('lobby');
  await expect(files.row('other.txt')).toBeHidden();
  await uploadAndAnswer('Overwrite', 'Overwrite it');
  await expect(files.row('other.txt')).toBeVisible();
  await expect.poll(() => readFile(old, 'utf8')).toBe('newer');
});

test('a user creates folders, renames and deletes files, and downloads exact copies', async ({
  app,
  files,
  data,
  setup,
  window,
}) => {
  const tools = window.getByRole('group', { name: 'Actions on the master' });
  await tools.getByRole('button', { name: 'New folder' }).click();
  const dialog = window.getByRole('dialog', { name: 'New folder' });
  await dialog.getByLabel('Name').fill('a/b');
  await expect(dialog.getByText('A name cannot contain a slash.')).toBeVisible();
  await dialog.getByLabel('Name').fill('plugins');
  await dialog.getByRole('button', { name: 'Create folder' }).click();
  await expect(dialog).toBeHidden();
  await expect(files.row('plugins')).toBeVisible();

  const content = randomBytes(1_000_003);
  await writeFile(setup.folder('lobby', 'plugins', 'world.zip'), content);
  await writeFile(setup.folder('lobby', STRANGE), content.subarray(0, 12_345));
  await files.open('lobby');

  // F2 renames the entry with the keyboard focus. Escape cancels.
  await files.choose('plugins');
  await window.keyboard.press('F2');
  await window.getByRole('textbox', { name: 'New name of plugins' }).fill('never');
  await window.keyboard.press('Escape');
  await expect(files.row('plugins')).toBeVisible();
  await window.keyboard.press('F2');
  await window.getByRole('textbox', { name: 'New name of plugins' }).fill('old plugins');
  await window.keyboard.press('Enter');
  await expect(files.row('old plugins')).toBeVisible();
  await expect(files.row('plugins')).toBeHidden();

  const target = join(data, 'downloads');
  await mkdir(target);
  await app.answerOpenDialogs([target]);
  await files.choose('old plugins', STRANGE);
  await tools.getByRole('button', { name: 'Download 2 selected to…' }).click();
  await expect(files.transfer('old plugins')).toContainText('Done');
  await expect(files.transfer(STRANGE)).toContainText('Done');
  expect(content.equals(await readFile(join(target, 'old plugins', 'world.zip')))).toBe(true);
  expect(content.subarray(0, 12_345).equals(await readFile(join(target, STRANGE)))).toBe(true);
  expect((await readdir(target)).sort()).toEqual(['old plugins', STRANGE].sort());

  await files.choose('old plugins');
  await window.keyboard.press('Delete');
  const question = window.getByRole('dialog', { name: 'Delete folder old plugins and everything in it' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await expect(files.row('old plugins')).toBeVisible();
  await window.keyboard.press('Delete');
  await question.getByRole('button', { name: 'Delete' }).click();
  await expect(files.row('old plugins')).toBeHidden();
  expect(await readdir(setup.folder('lobby'))).toEqual([STRANGE]);

  await files.choose(STRANGE);
  await tools.getByRole('button', { name: 'Delete: 1 selected (Del)' }).click();
  await window
    .getByRole('dialog', { name: `Delete ${STRANGE}` })
    .getByRole('button', { name: 'Delete' })
    .click();
  await expect(
    files.area('templates', 'lobby').getByRole('heading', { name: 'This folder is empty' }),
  ).toBeVisible();
  expect(await readdir(setup.folder('lobby'))).toEqual([]);
});

test('a user adds the practice server to a new template with one click', async ({ files, setup, window }) => {
  await window.getByRole('button', { name: 'Upload practice server' }).click();
  await expect(files.row('server.jar')).toBeVisible();
  await expect(window.getByText('server.jar is missing')).toBeHidden();
  const bundled = await readFile(await practiceServerJar());
  expect(bundled.equals(await readFile(setup.folder('lobby', 'server.jar')))).toBe(true);
});

/**
 * Creates files in a folder of this computer that the app does not show.
 *
 * @returns the folder
 */
async function onDesk(data: string, files: Readonly<Record<string, string>>): Promise<string> {
  const desk = join(dirname(data), 'desk');
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(desk, name)), { recursive: true });
    await writeFile(join(desk, name), text);
  }
  return desk;
}
