import { randomBytes } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { askApp } from '#test/support/app/open-app.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { expect, launch, liveWindow, test } from '../support/app.ts';
import { Files } from '../pages/files.ts';
import { end } from '../support/processes.ts';

/**
 * These tests check the main process behind the Files screen. They need the real Electron, and call the main process
 * through the window's bridge.
 */

test.beforeEach(async ({ setup }) => {
  await setup.templateWithoutJar('lobby');
});

test('the app gives access only to folders of this computer that the user has added', async ({
  app,
  window,
  data,
}) => {
  const desk = join(dirname(data), 'desk');
  await mkdir(desk);
  const places = await askApp(window, 'local.places', {});
  expect(places.map(({ name }) => name)).toContain('Home');
  await expect(askApp(window, 'local.list', { folder: desk })).rejects.toThrow('PLACE_FORBIDDEN');

  await app.answerOpenDialogs([desk]);
  expect(await askApp(window, 'local.addPlace', {})).toEqual({ name: 'desk', path: desk, added: true });
  await askApp(window, 'local.makeFolder', { path: join(desk, 'plugins') });
  await askApp(window, 'local.rename', { from: join(desk, 'plugins'), to: join(desk, 'mods') });
  await writeFile(join(desk, 'a.txt'), 'a');
  const listed = await askApp(window, 'local.list', { folder: `${desk}/mods/..` });
  expect(listed).toMatchObject({ folder: desk, parent: null });
  expect(listed.entries.map(({ name, kind }) => `${kind} ${name}`)).toEqual(['folder mods', 'file a.txt']);
  await expect(
    askApp(window, 'local.rename', { from: join(desk, 'a.txt'), to: join(desk, 'mods') }),
  ).rejects.toThrow('FILE_EXISTS');
  await expect(askApp(window, 'local.trash', { paths: [data] })).rejects.toThrow('PLACE_FORBIDDEN');
  await askApp(window, 'local.trash', { paths: [join(desk, 'a.txt')] });
  await expect(access(join(desk, 'a.txt'))).rejects.toThrow('ENOENT');

  await askApp(window, 'local.removePlace', { path: desk });
  await expect(askApp(window, 'local.list', { folder: desk })).rejects.toThrow('PLACE_FORBIDDEN');
});

test('the app compares a local folder with a template, and makes one equal to the other', async ({
  app,
  window,
  data,
  setup,
}) => {
  const desk = join(dirname(data), 'desk');
  await mkdir(join(desk, 'plugins'), { recursive: true });
  await writeFile(join(desk, 'plugins', 'a.jar'), 'a');
  await writeFile(setup.folder('lobby', 'old.txt'), 'old');
  await app.answerOpenDialogs([desk]);
  await askApp(window, 'local.addPlace', {});
  const params = { local: desk, remote: '/templates/lobby', content: true };
  const { comparison, rows } = await askApp(window, 'sync.compare', params);
  expect(rows.map(({ path, verdict }) => `${path}: ${verdict}`)).toEqual([
    'old.txt: remote only',
    'plugins/a.jar: local only',
  ]);
  const paths = rows.map(({ path }) => path);
  expect(await askApp(window, 'sync.start', { comparison, to: 'remote', paths, deletes: true })).toEqual({
    copied: 1,
    deleted: 1,
  });
  await waitFor(async () => {
    const { rows: after } = await askApp(window, 'sync.compare', params);
    return after.every(({ verdict }) => verdict === 'same') && after.length === 1;
  });
});

test('a user edits a file in another program, and drags files out of the window', async ({
  electronApp,
  window,
  setup,
}) => {
  await writeFile(setup.folder('lobby', 'motd.txt'), 'one');
  // Replace the system's programs and its drag and drop, and record the calls.
  await electronApp.evaluate(({ shell, BrowserWindow }) => {
    const asked = globalThis as { opened?: string; dragged?: Electron.Item & { empty: boolean } };
    shell.openPath = (path) => {
      asked.opened = path;
      return Promise.resolve('');
    };
    const contents = BrowserWindow.getAllWindows()[0]?.webContents;
    if (contents === undefined) throw new Error('there is no window');
    contents.startDrag = (item) => {
      asked.dragged = { ...item, empty: typeof item.icon === 'string' || item.icon.isEmpty() };
    };
  });
  const path = '/templates/lobby/motd.txt';
  await askApp(window, 'files.openExternally', { path });
  const opened = await electronApp.evaluate(() => (globalThis as { opened?: string }).opened ?? '');
  expect(await readFile(opened, 'utf8')).toBe('one');
  expect(await askApp(window, 'files.externalEdits', {})).toMatchObject([{ path, state: 'open' }]);
  await writeFile(`${opened}.new`, 'two');
  await rename(`${opened}.new`, opened);
  await waitFor(async () => (await readFile(setup.folder('lobby', 'motd.txt'), 'utf8')) === 'two');

  await askApp(window, 'files.dragOut', { paths: [path] });
  const dragged = await electronApp.evaluate(() => {
    const { dragged: item } = globalThis as { dragged?: { files?: string[]; empty: boolean } };
    return { files: item?.files ?? [], empty: item?.empty };
  });
  expect(dragged.empty).toBe(false);
  expect(await readFile(dragged.files[0] ?? '', 'utf8')).toBe('two');
  await electronApp.close();
  for (const copy of [opened, dragged.files[0] ?? '']) {
    await expect(access(dirname(copy))).rejects.toThrow('ENOENT');
  }
});

test('the app continues an upload after a restart', async ({ app, electronApp, window, data, setup }) => {
  const desk = join(dirname(data), 'desk');
  await mkdir(desk);
  const world = join(desk, 'world.zip');
  await writeFile(world, randomBytes(400_000_000));
  await app.answerOpenDialogs([desk]);
  await askApp(window, 'local.addPlace', {});
  const { plan } = await askApp(window, 'files.planUpload', {
    folder: '/templates/lobby',
    localPaths: [world],
  });
  await askApp(window, 'transfers.start', { plan: plan ?? '', onConflict: 'overwrite' });
  await waitFor(async () => ((await askApp(window, 'transfers.list', {}))[0]?.bytes.done ?? 0) > 20_000_000);
  await electronApp.close();
  const left = await readdir(setup.folder('lobby'));
  expect(left.filter((name) => name.endsWith('.part'))).toHaveLength(1);
  expect(left).not.toContain('world.zip');

  const again = await launch(data);
  try {
    const reopened = await liveWindow(again);
    const done = await waitFor(async () => {
      const [transfer] = await askApp(reopened, 'transfers.list', {});
      return transfer?.state === 'done' ? transfer : null;
    });
    expect(done).toMatchObject({ name: 'world.zip', bytes: { done: 400_000_000 }, error: null });
    expect((await readFile(setup.folder('lobby', 'world.zip'))).equals(await readFile(world))).toBe(true);
  } finally {
    await again.close();
  }
});

test('the app moves a folder to the master and back without losing files, even if the app is killed meanwhile', async ({
  app,
  electronApp,
  window,
  data,
  files,
  setup,
}) => {
  const desk = join(dirname(data), 'desk');
  const world = randomBytes(400_000_000);
  await mkdir(join(desk, 'world', 'region'), { recursive: true });
  await writeFile(join(desk, 'world', 'level.dat'), 'level');
  await writeFile(join(desk, 'world', 'region', 'r.mca'), world);
  await files.open('lobby');
  await app.answerOpenDialogs([desk]);
  await files.addLocalFolder(desk);
  await files.localRow('world').click();
  await window.keyboard.press('Control+x');
  await window.keyboard.press('F6');
  await expect(
    window.getByRole('region', { name: 'Master' }).and(window.locator(':focus-within')),
  ).toBeVisible();
  await window.keyboard.press('Control+v');
  await waitFor(async () => ((await askApp(window, 'transfers.list', {}))[0]?.bytes.done ?? 0) > 20_000_000);
  // Wait until the transfer queue is on disk, and then kill the app.
  const queue = join(data, 'transfers', 'queue.json');
  await waitFor(async () => (await readFile(queue, 'utf8').catch(() => '')).includes('"move":true'));
  const gone = electronApp.waitForEvent('close');
  end(electronApp.process().pid ?? 0);
  await gone;
  expect((await readFile(join(desk, 'world', 'region', 'r.mca'))).equals(world), 'the source is whole').toBe(
    true,
  );
  expect(await readFile(join(desk, 'world', 'level.dat'), 'utf8')).toBe('level');

  const again = await launch(data);
  try {
    const reopened = await liveWindow(again);
    const pages = new Files(reopened);
    await waitFor(async () => (await askApp(reopened, 'transfers.list', {}))[0]?.state === 'done', {
      what: 'the move to be done',
    });
    expect((await readFile(setup.folder('lobby', 'world', 'region', 'r.mca'))).equals(world)).toBe(true);
    expect(await readdir(desk), 'it has left this computer').toEqual([]);

    // Move the folder back. The app asks before it removes files of a template.
    await rm(setup.folder('lobby', 'world', 'region', 'r.mca'));
    await pages.open('lobby');
    await expect(pages.transfer('world')).toContainText(/Moved · .+ · 2 of 2 files/);
    await pages.row('world').click();
    await reopened.keyboard.press('Control+Shift+Enter');
    const question = reopened.getByRole('dialog', {
      name: 'Move folder world and everything in it to this computer',
    });
    await expect(question).toContainText('only then deleted on the master');
    await expect(question).toContainText(desk);
    await reopened.keyboard.press('Tab');
    await question.getByRole('button', { name: 'Move' }).press('Enter');
    await expect(pages.localRow('world')).toBeVisible();
    await expect.poll(() => readdir(setup.folder('lobby'))).toEqual([]);
    expect(await readFile(join(desk, 'world', 'level.dat'), 'utf8')).toBe('level');
    await expect(pages.row('world')).toBeHidden();
  } finally {
    await again.close();
  }
});
