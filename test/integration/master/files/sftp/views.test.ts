import { createHash, randomBytes } from 'node:crypto';
import { appendFile, mkdir, symlink, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import { status } from '#master/files/sftp/protocol/protocol.ts';
import { connect } from '#test/support/master/admin-master.ts';
import { call, openSftp, statusOf } from '#test/support/files/sftp.ts';
import { FORWARDING_SECRET, startViews } from '#test/support/files/views-fixture.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/**
 * Creates a master with the running service lobby-1 and the volume survival/1, and an SFTP session of a key with the
 * role `files`.
 */
async function openViews() {
  const views = await startViews(temporaryFolder());
  const client: Client = await connect(views.master, await views.master.authorize('files'));
  onTestFinished(async () => {
    client.end();
    await views.master.close();
  });
  const sftp = await openSftp(client);
  return { ...views, sftp, live: await views.addService('lobby-1') };
}

const names = async (sftp: SFTPWrapper, folder: string): Promise<string[]> => {
  const entries = await call<FileEntryWithStats[]>((done) => sftp.readdir(folder, done));
  return entries.map(({ filename }) => filename).sort();
};
const read = (sftp: SFTPWrapper, path: string): Promise<Buffer> => call((done) => sftp.readFile(path, done));
const stat = (sftp: SFTPWrapper, path: string): Promise<Stats> => call((done) => sftp.stat(path, done));

/** Returns the reason why a request was refused. */
const refusal = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'nothing was refused',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

describe('the SFTP folder /services', () => {
  it('contains the services on nodes, with the current content of their files', async () => {
    const { sftp, live, addService, endService } = await openViews();
    await addService('bedwars-2-10');
    await addService('bedwars-2-9');
    endService('bedwars-2-9');
    await mkdir(join(live, 'world'));
    await writeFile(join(live, 'world', 'level.dat'), 'level');
    await utimes(join(live, 'world', 'level.dat'), 1_600_000_000, 1_600_000_000);
    expect(await names(sftp, '/')).toEqual(['files', 'services', 'templates', 'volumes']);
    expect(await names(sftp, '/services')).toEqual(['bedwars-2-10', 'lobby-1']);
    expect(await names(sftp, '/services/lobby-1')).toEqual(['world']);
    expect((await stat(sftp, '/services/lobby-1')).isDirectory()).toBe(true);
    expect(await stat(sftp, '/services/lobby-1/world/level.dat')).toMatchObject({
      ...{ size: 5, mtime: 1_600_000_000 },
    });
    expect((await read(sftp, '/services/lobby-1/world/level.dat')).toString()).toBe('level');
    await writeFile(join(live, 'world', 'new'), 'new');
    expect(await names(sftp, '/services/lobby-1/world')).toEqual(['level.dat', 'new']);
    expect((await read(sftp, '/services/lobby-1/world/new')).toString()).toBe('new');
  });

  it('can contain folders of any size', async () => {
    const { sftp, live } = await openViews();
    const all = Array.from({ length: 2_100 }, (_, n) => `${'region'.repeat(30)}-${n}`);
    await Promise.all(all.map((name) => writeFile(join(live, name), '')));
    expect(await names(sftp, '/services/lobby-1')).toEqual(all.sort());
  });

  it('reads large files in pieces, with at most two calls to a node at a time', async () => {
    const { sftp, live, calls } = await openViews();
    const content = randomBytes(5_000_000);
    await writeFile(join(live, 'large'), content);
    await writeFile(join(live, 'other'), content);
    const local = temporaryFolder();
    const get = (name: string): Promise<void> =>
      call((done) =>
        sftp.fastGet(
          `/services/lobby-1/${name}`,
          join(local, name),
          { concurrency: 32, chunkSize: 100_000 },
          done,
        ),
      );
    const [whole] = await Promise.all([read(sftp, '/services/lobby-1/large'), get('large'), get('other')]);
    expect(whole.equals(content)).toBe(true);
    expect(calls.most).toBe(2);
    const part = Buffer.alloc(1_000);
    const handle = await call<Buffer>((done) => sftp.open('/services/lobby-1/large', 'r', done));
    // Read a range across the border of two pieces, and a range after the end of the file.
    await call<number>((done) => sftp.read(handle, part, 0, 1_000, 523_800, done));
    expect(part.equals(content.subarray(523_800, 524_800))).toBe(true);
    expect(await call<number>((done) => sftp.read(handle, part, 0, 10, 5_000_000, done))).toBe(0);
    await call((done) => sftp.close(handle, done));
  });

  it('shows a growing file, for example a log, with the size that it had when it was opened', async () => {
    const { sftp, live } = await openViews();
    const content = randomBytes(600_000);
    await writeFile(join(live, 'latest.log'), content);
    const handle = await call<Buffer>((done) => sftp.open('/services/lobby-1/latest.log', 'r', done));
    await appendFile(join(live, 'latest.log'), content);
    const { size, mtime } = await call<Stats>((done) => sftp.fstat(handle, done));
    const end = Buffer.alloc(1_000);
    await call<number>((done) => sftp.read(handle, end, 0, 1_000, size - 1_000, done));
    expect(size).toBe(content.length);
    expect(end.equals(content.subarray(-1_000))).toBe(true);
    const after = await call<Stats>((done) => sftp.fstat(handle, done));
    expect(after).toMatchObject({ size, mtime });
    await call((done) => sftp.close(handle, done));
  });

  it("hides the network's secret in files, and the size of the files does not change", async () => {
    const { sftp, live } = await openViews();
    const text = `secret: ${FORWARDING_SECRET}\nport: 1\n`;
    await writeFile(join(live, 'paper-global.yml'), text);
    const shown = (await read(sftp, '/services/lobby-1/paper-global.yml')).toString();
    expect(shown).toMatch(/^secret: removed-by-overworld-+\nport: 1\n$/);
    expect(shown).toHaveLength(text.length);
    expect((await stat(sftp, '/services/lobby-1/paper-global.yml')).size).toBe(text.length);
    const handle = await call<Buffer>((done) => sftp.open('/services/lobby-1/paper-global.yml', 'r', done));
    const part = Buffer.alloc(20);
    await call<number>((done) => sftp.read(handle, part, 0, 20, 12, done));
    expect(part.toString()).toBe(shown.slice(12, 32));
  });

  it('neither lists nor reads the file with the link token of a service', async () => {
    const { sftp, live } = await openViews();
    await writeFile(join(live, HAND_OVER_FILE), 'token=abc');
    await mkdir(join(live, 'copy'));
    expect(await names(sftp, '/services/lobby-1')).toEqual(['copy']);
    for (const path of [HAND_OVER_FILE, `copy/../${HAND_OVER_FILE}`, `.//${HAND_OVER_FILE}`]) {
      const full = `/services/lobby-1/${path}`;
      expect(await statusOf(read(sftp, full))).toBe(status.PERMISSION_DENIED);
      expect(await statusOf(stat(sftp, full))).toBe(status.PERMISSION_DENIED);
      expect(await refusal(read(sftp, full))).toContain('the access of the service to the master');
    }
  });

  it('does not follow links, and shows them neither as files nor as folders', async () => {
    const { sftp, live } = await openViews();
    const outside = temporaryFolder();
    await writeFile(join(outside, 'secret'), 'secret');
    await symlink(outside, join(live, 'folder'));
    await symlink(join(outside, 'secret'), join(live, 'file'));
    const entries = await call<FileEntryWithStats[]>((done) => sftp.readdir('/services/lobby-1', done));
    for (const { attrs } of entries) expect(attrs.isFile() || attrs.isDirectory()).toBe(false);
    for (const path of ['file', 'folder/secret']) {
      expect(await statusOf(read(sftp, `/services/lobby-1/${path}`))).toBe(status.PERMISSION_DENIED);
    }
    expect(await statusOf(names(sftp, '/services/lobby-1/folder'))).toBe(status.PERMISSION_DENIED);
    expect(await statusOf(call((done) => sftp.readlink('/services/lobby-1/file', done)))).toBe(
      status.PERMISSION_DENIED,
    );
  });

  it('reports that files of an exited service do not exist', async () => {
    const { sftp, live, endService } = await openViews();
    await writeFile(join(live, 'file'), 'content');
    endService('lobby-1');
    for (const path of ['/services/lobby-1', '/services/lobby-1/file', '/services/none-1', '/services/.x'])
      expect(await statusOf(stat(sftp, path))).toBe(status.NO_SUCH_FILE);
    expect(await refusal(names(sftp, '/services/lobby-1'))).toContain('is not on a node');
  });
});

describe('the SFTP folder /volumes', () => {
  const ID = 'survival/1';

  it('contains the newest save of each volume, with sizes, modes and times of the files', async () => {
    const { sftp, addSave } = await openViews();
    const content = randomBytes(1_300_000);
    await addSave(ID, async (folder) => {
      await mkdir(join(folder, 'world', 'region'), { recursive: true });
      await mkdir(join(folder, 'empty'));
      for (const name of ['r.0.0.mca', 'r.0.1.mca'])
        await writeFile(join(folder, 'world', 'region', name), content);
      await utimes(join(folder, 'world/region/r.0.0.mca'), 1_600_000_000, 1_600_000_000);
      await utimes(join(folder, 'world/region/r.0.1.mca'), 1_700_000_000, 1_700_000_000);
      await writeFile(join(folder, 'start.sh'), '#!/bin/sh\n', { mode: 0o750 });
    });
    await addSave('survival/10', (folder) => writeFile(join(folder, 'file'), ''));
    expect(await names(sftp, '/volumes')).toEqual(['survival']);
    expect(await names(sftp, '/volumes/survival')).toEqual(['1', '10']);
    // `.saves` is not listed, because otherwise a copy of a volume would contain all its saves.
    expect(await names(sftp, '/volumes/survival/1')).toEqual(['empty', 'start.sh', 'world']);
    expect(await names(sftp, '/volumes/survival/1/empty')).toEqual([]);
    expect(await names(sftp, '/volumes/survival/1/world/region')).toEqual(['r.0.0.mca', 'r.0.1.mca']);
    const at = '/volumes/survival/1/world/region';
    // Equal files share one file on the disk, but each has its own time.
    expect(await stat(sftp, `${at}/r.0.0.mca`)).toMatchObject({ size: 1_300_000, mtime: 1_600_000_000 });
    expect(await stat(sftp, `${at}/r.0.1.mca`)).toMatchObject({ size: 1_300_000, mtime: 1_700_000_000 });
    expect((await stat(sftp, '/volumes/survival/1/start.sh')).mode & 0o777).toBe(0o750);
    expect((await read(sftp, `${at}/r.0.1.mca`)).equals(content)).toBe(true);
    expect(await statusOf(stat(sftp, '/volumes/survival/1/wor'))).toBe(status.NO_SUCH_FILE);
    expect(await statusOf(stat(sftp, '/volumes/survival/2'))).toBe(status.NO_SUCH_FILE);
    expect(await statusOf(stat(sftp, '/volumes/lobby'))).toBe(status.NO_SUCH_FILE);
    expect(await statusOf(read(sftp, '/volumes/survival/1/world'))).toBe(status.FAILURE);
  });

  it('shows a separate save only among the earlier saves, even if the volume has no other save', async () => {
    const { sftp, volumes } = await openViews();
    const volume = await volumes.make('survival-1');
    const hash = createHash('sha256').update('of a lost node').digest('hex');
    const file = { path: 'counter', size: 14, mode: 0o600, hash, modifiedAtMs: 1 };
    // The volume is not attached to the node, so the save is a separate one.
    const request = { service: 'survival-1', node: 'node-1', cause: 'a test' };
    await volume.save(request, async ({ folder }) => {
      await writeFile(join(folder, hash), 'of a lost node');
      return { files: [file], at: Date.UTC(2026, 10, 28), consistent: true };
    });
    expect(await names(sftp, '/volumes/survival/1')).toEqual([]);
    expect(await statusOf(read(sftp, '/volumes/survival/1/counter'))).toBe(status.NO_SUCH_FILE);
    const [save] = await names(sftp, '/volumes/survival/1/.saves');
    expect((await read(sftp, `/volumes/survival/1/.saves/${save}/counter`)).toString()).toBe(
      'of a lost node',
    );
  });

  it('contains earlier saves by their times, and open files stay the same while newer saves are made', async () => {
    const { sftp, addSave } = await openViews();
    for (const text of ['first', 'second'])
      await addSave(ID, (folder) => writeFile(join(folder, 'counter'), text));
    const saves = await names(sftp, '/volumes/survival/1/.saves');
    expect(saves).toEqual([
      expect.stringMatching(/^2026-11-28_12\.\d\d\.00$/),
      expect.stringMatching(/^2026-11-28_12\.\d\d\.00$/),
    ]);
    const texts = await Promise.all(
      saves.map(async (save) => (await read(sftp, `/volumes/survival/1/.saves/${save}/counter`)).toString()),
    );
    expect(texts).toEqual(['first', 'second']);
    const open = await call<Buffer>((done) => sftp.open('/volumes/survival/1/counter', 'r', done));
    await addSave(ID, (folder) => writeFile(join(folder, 'counter'), 'third!'));
    expect((await read(sftp, '/volumes/survival/1/counter')).toString()).toBe('third!');
    const part = Buffer.alloc(6);
    await call<number>((done) => sftp.read(open, part, 0, 6, 0, done));
    expect(part.toString()).toBe('second');
    expect(await statusOf(stat(sftp, '/volumes/survival/1/.saves/2020-01-01_00.00.00'))).toBe(
      status.NO_SUCH_FILE,
    );
  });

  it("shows a server's own .saves folder only inside saves, because .saves in a volume is the folder of saves", async () => {
    const { sftp, addSave } = await openViews();
    await addSave(ID, async (folder) => {
      await mkdir(join(folder, '.saves'));
      await writeFile(join(folder, '.saves', 'own'), 'own');
    });
    expect(await names(sftp, '/volumes/survival/1')).toEqual([]);
    const [save = ''] = await names(sftp, '/volumes/survival/1/.saves');
    expect(await names(sftp, `/volumes/survival/1/.saves/${save}`)).toEqual(['.saves']);
    expect((await read(sftp, `/volumes/survival/1/.saves/${save}/.saves/own`)).toString()).toBe('own');
  });

  it("hides the network's secret in files", async () => {
    const { sftp, addSave } = await openViews();
    await addSave(ID, (folder) => writeFile(join(folder, 'paper.yml'), `secret: ${FORWARDING_SECRET}`));
    expect((await read(sftp, '/volumes/survival/1/paper.yml')).toString()).toMatch(
      /^secret: removed-by-overworld-+$/,
    );
  });

  it('shows a volume without saves as an empty folder, and does not show deleted volumes', async () => {
    const { sftp, volumes, addSave } = await openViews();
    await volumes.make('survival-7');
    expect(await names(sftp, '/volumes/survival/7')).toEqual([]);
    expect(await names(sftp, '/volumes/survival/7/.saves')).toEqual([]);
    await addSave(ID, (folder) => writeFile(join(folder, 'file'), 'content'));
    expect((await read(sftp, '/volumes/survival/1/file')).toString()).toBe('content');
    await volumes.remove(ID);
    expect(await statusOf(read(sftp, '/volumes/survival/1/file'))).toBe(status.NO_SUCH_FILE);
    expect(await names(sftp, '/volumes/survival')).toEqual(['7']);
  });
});

it('templates and folders may have the names of the SFTP folders "services" and "volumes"', async () => {
  const { sftp, master, addSave, addService } = await openViews();
  for (const [area, name] of [
    ['templates', 'services'],
    ['files', 'volumes'],
  ] as const) {
    await mkdir(join(master.folders[area], name));
    await writeFile(join(master.folders[area], name, 'file'), area);
    expect((await read(sftp, `/${area}/${name}/file`)).toString()).toBe(area);
  }
  await addService('volumes-1');
  await addSave('services/1', (folder) => writeFile(join(folder, 'file'), 'saved'));
  expect(await names(sftp, '/services/volumes-1')).toEqual([]);
  expect((await read(sftp, '/volumes/services/1/file')).toString()).toBe('saved');
});

it('moves into or out of the SFTP folders /services and /volumes are refused', async () => {
  const { sftp, master, live } = await openViews();
  await mkdir(join(master.folders.templates, 'lobby'));
  await writeFile(join(live, 'file'), 'content');
  await truncate(join(live, 'file'), 3);
  const rename = (from: string, to: string): Promise<string> =>
    refusal(call((done) => sftp.rename(from, to, done)));
  expect(await rename('/services/lobby-1/file', '/templates/lobby/file')).toContain('are read-only');
  await writeFile(join(master.folders.templates, 'lobby', 'own'), 'own');
  expect(await rename('/templates/lobby/own', '/volumes/survival/1/own')).toContain('within one volume only');
  expect(await names(sftp, '/templates/lobby')).toEqual(['own']);
});
