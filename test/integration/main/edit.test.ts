import {
  chmod,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { dirname, join } from 'node:path';
import pino from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { externalEditSchema, openedFileSchema, type ExternalEdit } from '#shared/ipc/contract.ts';
import { ExternalEdits } from '#main/edit/external-edits.ts';
import { openText, saveText } from '#main/edit/text-file.ts';
import { openTransferFixture } from '#test/support/files/transfer-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

const log = pino({ level: 'silent' });
const PATH = '/templates/lobby/server.properties';

describe('editing a text file of the master in the app', () => {
  async function setUp(content: string | Buffer) {
    const fixture = await openTransferFixture();
    const file = join(fixture.remote, 'server.properties');
    await writeFile(file, content);
    return { fixture, file, files: await fixture.session.files() };
  }

  it("returns the exact text, and saves a changed text without changing the file's mode", async () => {
    const { fixture, file, files } = await setUp('motd=Hällo\n');
    await chmod(file, 0o604);
    const opened = openedFileSchema.parse(await openText(files, PATH));
    expect(opened).toMatchObject({ path: PATH, text: 'motd=Hällo\n', bytes: 12, mode: 0o604 });
    const saved = await saveText(files, PATH, { text: 'motd=Bye\n', version: opened.version });
    expect(await readFile(file, 'utf8')).toBe('motd=Bye\n');
    expect((await stat(file)).mode & 0o777).toBe(0o604);
    expect(await readdir(fixture.remote)).toEqual(['server.properties']);
    // The saved version is the base of the next save.
    await saveText(files, PATH, { text: 'motd=Again\n', version: saved.version });
    expect(await readFile(file, 'utf8')).toBe('motd=Again\n');
  });

  it('preserves a byte order mark and Windows line endings, even if the new text lacks them', async () => {
    const { file, files } = await setUp('\uFEFFa=1\r\nb=2\r\n');
    const { text, version } = await openText(files, PATH);
    expect(text).toBe('\uFEFFa=1\r\nb=2\r\n');
    await saveText(files, PATH, { text: 'a=1\nb=3\n', version });
    expect(await readFile(file, 'utf8')).toBe('\uFEFFa=1\r\nb=3\r\n');
  });

  it('never overwrites a change by another person, even if size and time of the file are the same', async () => {
    const { fixture, file, files } = await setUp('aaaa');
    await utimes(file, 1_700_000_000, 1_700_000_000);
    const { version } = await openText(files, PATH);
    await writeFile(file, 'bbbb');
    await utimes(file, 1_700_000_000, 1_700_000_000);
    await expect(saveText(files, PATH, { text: 'mine', version })).rejects.toMatchObject({
      code: 'FILE_CHANGED',
    });
    expect(await readFile(file, 'utf8')).toBe('bbbb');
    expect(await readdir(fixture.remote)).toEqual(['server.properties']);
  });

  it('reports a conflict if another person saves the file before the saved text is read again', async () => {
    const { file, files } = await setUp('one');
    const { version } = await openText(files, PATH);
    const replace = files.replace.bind(files);
    vi.spyOn(files, 'replace').mockImplementationOnce(async (...paths) => {
      await replace(...paths);
      await writeFile(file, 'theirs');
    });
    await expect(saveText(files, PATH, { text: 'mine', version })).rejects.toMatchObject({
      code: 'FILE_CHANGED',
    });
  });

  it('creates a missing file only on request, with the requested mode', async () => {
    const { file, files } = await setUp('a');
    const { version } = await openText(files, PATH);
    await rm(file);
    await expect(saveText(files, PATH, { text: 'b', version })).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
    await saveText(files, PATH, { text: 'b\r\n', version: null, mode: 0o755 });
    expect(await readFile(file, 'utf8')).toBe('b\r\n');
    expect((await stat(file)).mode & 0o777).toBe(0o755);
  });

  it('never overwrites an existing file with a new file, even if it appears during the save', async () => {
    const { fixture, file, files } = await setUp('theirs');
    const save = () => saveText(files, PATH, { text: 'mine', version: null });
    await expect(save()).rejects.toMatchObject({ code: 'FILE_CHANGED' });
    vi.spyOn(files, 'find').mockResolvedValueOnce(null);
    await expect(save()).rejects.toMatchObject({ code: 'TRANSFER_FAILED' });
    expect(await readFile(file, 'utf8')).toBe('theirs');
    expect(await readdir(fixture.remote)).toEqual(['server.properties']);
  });

  it('names the missing folder if a file cannot be created because its folder does not exist', async () => {
    const { fixture, files } = await setUp('a');
    await rm(fixture.remote, { recursive: true });
    for (const folder of ['/templates/lobby', '/templates/lobby/plugins/chat']) {
      const saved = saveText(files, `${folder}/a.txt`, { text: 'b', version: null });
      await expect(saved).rejects.toMatchObject({ code: 'FILE_NOT_FOUND', details: { path: folder } });
    }
  });

  it('writes nothing if the new text contains a NUL character, which text files do not contain', async () => {
    const { fixture, file, files } = await setUp('a');
    const { version } = await openText(files, PATH);
    const refused = { code: 'FILE_NOT_TEXT' };
    await expect(saveText(files, PATH, { text: 'b\0', version })).rejects.toMatchObject(refused);
    const other = saveText(files, `${PATH}.new`, { text: 'b\0', version: null });
    await expect(other).rejects.toMatchObject(refused);
    expect(await readFile(file, 'utf8')).toBe('a');
    expect(await readdir(fixture.remote)).toEqual(['server.properties']);
  });

  it('is refused for links, folders, binary files and files that are too large', async () => {
    const { fixture, file, files } = await setUp(Buffer.from([0x61, 0xff, 0x62]));
    await expect(openText(files, PATH)).rejects.toMatchObject({ code: 'FILE_NOT_TEXT' });
    await writeFile(file, 'PK\u0003\u0004\0\0');
    await expect(openText(files, PATH)).rejects.toMatchObject({ code: 'FILE_NOT_TEXT' });
    await writeFile(file, Buffer.alloc(4_194_305, 'a'));
    await expect(openText(files, PATH)).rejects.toMatchObject({
      code: 'FILE_TOO_LARGE',
      details: { bytes: 4_194_305, limit: 4_194_304 },
    });
    await writeFile(file, Buffer.alloc(4_194_304, 'a'));
    expect((await openText(files, PATH)).text).toHaveLength(4_194_304);
    await symlink('server.properties', join(fixture.remote, 'link'));
    await mkdir(join(fixture.remote, 'folder'));
    for (const name of ['link', 'folder']) {
      await expect(openText(files, `/templates/lobby/${name}`)).rejects.toMatchObject({
        code: 'FILE_FORBIDDEN',
      });
    }
  });
});

describe('editing a file of the master in another program', () => {
  /**
   * Opens an editing session whose external program only receives the file's path. The test itself saves the file
   * like an editor.
   */
  async function setUp() {
    const fixture = await openTransferFixture();
    const file = join(fixture.remote, 'server.properties');
    await writeFile(file, 'motd=one\n');
    await chmod(file, 0o640);
    const opened: string[] = [];
    const pushes: ExternalEdit[][] = [];
    const edits = new ExternalEdits({
      ...{ session: fixture.session, log, platform: 'linux' },
      openPath: (path) => {
        opened.push(path);
        return Promise.resolve('');
      },
      onChange: (list) => pushes.push(list.map((edit) => externalEditSchema.parse(edit))),
    });
    await edits.open(PATH);
    const [here = ''] = opened;
    const [{ id } = { id: '' }] = edits.list();
    // Also removes local copies that an editing session keeps on purpose.
    onTestFinished(async () => {
      await edits.close();
      await rm(dirname(dirname(here)), { recursive: true, force: true });
    });
    const state = (wanted: ExternalEdit['state']) =>
      waitFor(() => edits.list().find((edit) => edit.state === wanted), { what: `the edit to be ${wanted}` });
    const there = (text: string) =>
      waitFor(async () => (await readFile(file, 'utf8')) === text, { what: `${text} on the master` });
    /** Saves `motd=two`. The master stores it, but its answer is lost. */
    const loseAnswer = async () => {
      const files = await fixture.session.files();
      const replace = files.replace.bind(files);
      vi.spyOn(files, 'replace').mockImplementationOnce(async (...paths) => {
        await replace(...paths);
        throw new OverworldError('CONNECTION_LOST', { address: '127.0.0.1:2022' });
      });
      await writeFile(here, 'motd=two\n');
      await state('failed');
      await there('motd=two\n');
    };
    return { fixture, file, edits, id, here, opened, pushes, state, there, loseAnswer };
  }

  it('reports no conflict after an upload that was stored although its answer was lost', async () => {
    const { here, state, there, loseAnswer } = await setUp();
    await loseAnswer();
    await writeFile(here, 'motd=three\n');
    await there('motd=three\n');
    expect((await state('saved')).error).toBeNull();
  });

  it('counts a file as not uploaded if an upload was stored, its answer was lost, and the person undid the changes', async () => {
    const { edits, here, state, there, loseAnswer } = await setUp();
    await loseAnswer();
    await writeFile(here, 'motd=one\n');
    expect(await edits.unsaved()).toEqual([PATH]);
    await there('motd=one\n');
    await state('saved');
    expect(await edits.unsaved()).toEqual([]);
  });

  it('counts a file as uploaded if the master refused an upload and the person undid the changes', async () => {
    const { fixture, edits, here, state } = await setUp();
    const files = await fixture.session.files();
    vi.spyOn(files, 'replace').mockRejectedValueOnce(new OverworldError('DISK_FULL', { path: PATH }));
    await writeFile(here, 'motd=two\n');
    await state('failed');
    await writeFile(here, 'motd=one\n');
    expect(await edits.unsaved()).toEqual([]);
  });

  it('downloads the file to a private folder, and uploads it each time the program saves it', async () => {
    const { fixture, file, edits, id, here, pushes, state, there } = await setUp();
    expect(await readFile(here, 'utf8')).toBe('motd=one\n');
    expect((await stat(dirname(here))).mode & 0o777).toBe(0o700);
    expect(edits.list()).toEqual([
      { id, connection: 'home', path: PATH, state: 'open', savedAt: null, error: null },
    ]);
    // The program overwrites the file, as nano does.
    await writeFile(here, 'motd=two\n');
    await there('motd=two\n');
    expect((await state('saved')).savedAt).toBeGreaterThan(0);
    // The program replaces the file with a new one, as vim and most desktop editors do.
    await writeFile(`${here}~`, 'motd=three\n');
    await rename(`${here}~`, here);
    await there('motd=three\n');
    // The program removes the file first, then creates it again.
    await rm(here);
    await writeFile(here, 'motd=four\n');
    await there('motd=four\n');
    await state('saved');
    expect((await stat(file)).mode & 0o777).toBe(0o640);
    expect(await readdir(fixture.remote)).toEqual(['server.properties']);
    expect(pushes.flat().map((edit) => edit.state)).toContain('uploading');
    expect(await edits.unsaved()).toEqual([]);
  });

  it('is refused for programs such as .jar and .exe files, and the local copy is not executable', async () => {
    const { fixture, edits, opened } = await setUp();
    for (const name of ['update.jar', 'readme.txt.desktop', 'Setup.EXE']) {
      await writeFile(join(fixture.remote, name), '#!/bin/sh\n', { mode: 0o755 });
      await expect(edits.open(`/templates/lobby/${name}`)).rejects.toMatchObject({ code: 'FILE_FORBIDDEN' });
    }
    expect(opened).toHaveLength(1);
    await writeFile(join(fixture.remote, 'start.txt'), '#!/bin/sh\n', { mode: 0o755 });
    await edits.open('/templates/lobby/start.txt');
    expect((await stat(opened.at(-1) ?? '')).mode & 0o777).toBe(0o600);
    await writeFile(opened.at(-1) ?? '', '#!/bin/sh\ntrue\n');
    await waitFor(async () => (await readFile(join(fixture.remote, 'start.txt'), 'utf8')).includes('true'), {
      what: 'the script on the master',
    });
    expect((await stat(join(fixture.remote, 'start.txt'))).mode & 0o777).toBe(0o755);
  });

  it('is refused for a text file that a Linux desktop would open in a browser or run as a program', async () => {
    const { fixture, edits, opened } = await setUp();
    for (const [name, content] of [
      ['page.properties', '\n<html><script>x</script>'],
      ['launcher.cfg', '[Desktop Entry]\nExec=evil\n'],
    ] as const) {
      await writeFile(join(fixture.remote, name), content);
      await expect(edits.open(`/templates/lobby/${name}`)).rejects.toMatchObject({ code: 'FILE_FORBIDDEN' });
    }
    expect(opened).toHaveLength(1);
    expect(edits.list().map(({ path }) => path)).toEqual([PATH]);
  });

  it('does not overwrite a change by another person until the user resolves the conflict', async () => {
    const { file, edits, id, here, state, there } = await setUp();
    await writeFile(file, 'motd=theirs\n');
    await writeFile(here, 'motd=mine\n');
    expect(await state('conflict')).toMatchObject({ error: { code: 'FILE_CHANGED' } });
    expect(await readFile(file, 'utf8')).toBe('motd=theirs\n');
    expect(await edits.unsaved()).toEqual([PATH]);
    await edits.settle(id, 'mine');
    await there('motd=mine\n');
    await state('saved');
    await writeFile(file, 'motd=theirs again\n');
    await writeFile(here, 'motd=mine again\n');
    await state('conflict');
    await edits.settle(id, 'theirs');
    expect(await readFile(here, 'utf8')).toBe('motd=theirs again\n');
    await state('open');
    expect(await readFile(file, 'utf8')).toBe('motd=theirs again\n');
    expect(await edits.unsaved()).toEqual([]);
  });

  it('uploads a saved file after a reconnect if the connection was lost', async () => {
    const { fixture, edits, here, state, there } = await setUp();
    await fixture.cut();
    await writeFile(here, 'motd=later\n');
    expect(await state('failed')).toMatchObject({ error: { code: 'NOT_CONNECTED' } });
    expect(await edits.unsaved()).toEqual([PATH]);
    await fixture.connect();
    edits.connectionChanged();
    await there('motd=later\n');
  });

  it('keeps local copies with changes that were not uploaded when the app quits', async () => {
    const { fixture, edits, here, state } = await setUp();
    await fixture.cut();
    await writeFile(here, 'motd=mine\n');
    await state('failed');
    await edits.close();
    expect(await readFile(here, 'utf8')).toBe('motd=mine\n');
  });

  it('immediately lists a saved file as not uploaded while its upload hangs, and keeps its local copy', async () => {
    const { fixture, edits, here, state } = await setUp();
    fixture.relay.hold();
    await writeFile(here, 'motd=mine\n');
    await state('uploading');
    let unsaved: string[] | null = null;
    void edits.unsaved().then((paths) => (unsaved = paths));
    await waitFor(() => unsaved, { timeoutMs: 3000, what: 'the list of files that are not uploaded' });
    expect(unsaved).toEqual([PATH]);
    const closed = edits.close();
    await fixture.cut();
    await closed;
    expect(await readFile(here, 'utf8')).toBe('motd=mine\n');
  });

  it('uploads a file only to the master that it came from', async () => {
    const { fixture, file, edits, here, state } = await setUp();
    await fixture.cut();
    await fixture.connect('away');
    edits.connectionChanged();
    await writeFile(here, 'motd=wrong\n');
    await state('failed');
    expect(await readFile(file, 'utf8')).toBe('motd=one\n');
  });

  it('settles the file of one master if a file with the same path on another master is open, too', async () => {
    const { fixture, file, edits, id, here, opened, state } = await setUp();
    await fixture.cut();
    await fixture.connect('away');
    await edits.open(PATH);
    const [, there = ''] = opened;
    expect(edits.list().map(({ connection, path }) => [connection, path])).toEqual([
      ['home', PATH],
      ['away', PATH],
    ]);
    await writeFile(file, 'motd=theirs\n');
    await edits.settle(id, 'mine');
    expect(await state('failed')).toMatchObject({ id, connection: 'home' });
    expect(await readFile(file, 'utf8')).toBe('motd=theirs\n');
    await edits.settle(id, 'close');
    expect(edits.list()).toMatchObject([{ connection: 'away', state: 'open' }]);
    await expect(stat(here)).rejects.toMatchObject({ code: 'ENOENT' });
    expect(await readFile(there, 'utf8')).toBe('motd=one\n');
  });

  it('is opened twice, in one local copy, if it is opened again during its download', async () => {
    const { edits, id, opened } = await setUp();
    await edits.settle(id, 'close');
    await Promise.all([edits.open(PATH), edits.open(PATH)]);
    const [, here = '', again] = opened;
    expect(again).toBe(here);
    expect(await readFile(here, 'utf8')).toBe('motd=one\n');
    expect(edits.list()).toHaveLength(1);
  });

  it('has one local copy per file, which is removed when the file is closed or the app quits', async () => {
    const { edits, id, here, opened } = await setUp();
    await edits.open(PATH);
    expect(opened).toEqual([here, here]);
    await edits.settle(id, 'close');
    expect(edits.list()).toEqual([]);
    await expect(stat(here)).rejects.toMatchObject({ code: 'ENOENT' });
    await edits.settle(id, 'close');
    await edits.open(PATH);
    await edits.close();
    await edits.close();
    await expect(stat(dirname(dirname(opened[2] ?? '')))).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
