import { randomBytes } from 'node:crypto';
import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FileEntryWithStats, SFTPWrapper, Stats } from 'ssh2';
import { describe, expect, it, onTestFinished } from 'vitest';
import { status } from '#master/files/sftp/protocol/protocol.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { call, openSftp, statusOf } from '#test/support/files/sftp.ts';
import { FORWARDING_SECRET, startViews, type ViewsOptions } from '#test/support/files/views-fixture.ts';
import { connect } from '#test/support/master/admin-master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ID = 'survival/1';
const AT = '/volumes/survival/1';

/** Creates a master with the unused volume survival/1, and an SFTP session of a key with the role `files`. */
async function openVolume(options: ViewsOptions = {}) {
  const data = temporaryFolder();
  const views = await startViews(data, options);
  await views.addSave(ID, async (folder) => {
    await mkdir(join(folder, 'world'));
    await writeFile(join(folder, 'world', 'level.dat'), 'level');
    await writeFile(join(folder, 'paper.yml'), `secret: ${FORWARDING_SECRET}\n`);
  });
  const client = await connect(views.master, await views.master.authorize('files'));
  onTestFinished(async () => {
    client.end();
    await views.volumes.close();
    await views.master.close();
  });
  return { ...views, data, sftp: await openSftp(client), volume: views.volumes.get(ID) };
}

const read = (sftp: SFTPWrapper, path: string): Promise<Buffer> => call((done) => sftp.readFile(path, done));
const write = (sftp: SFTPWrapper, path: string, content: string): Promise<void> =>
  call((done) => sftp.writeFile(path, content, done));
const open = (sftp: SFTPWrapper, path: string, flags: 'r+' | 'w' | 'a'): Promise<Buffer> =>
  call((done) => sftp.open(path, flags, done));
const writeAt = (sftp: SFTPWrapper, handle: Buffer, text: string): Promise<void> =>
  call((done) => sftp.write(handle, Buffer.from(text), 0, text.length, 0, done));
const names = async (sftp: SFTPWrapper, folder: string): Promise<string[]> => {
  const entries = await call<FileEntryWithStats[]>((done) => sftp.readdir(folder, done));
  return entries.map(({ filename }) => filename).sort();
};

/** Returns the parts of the secret with 8 characters that a text contains. */
const partsOfSecretIn = (text: string): string[] =>
  Array.from({ length: FORWARDING_SECRET.length - 7 }, (_, at) => FORWARDING_SECRET.slice(at, at + 8)).filter(
    (part) => text.includes(part),
  );

/** Returns the reason why a request was refused. */
const refusal = (request: Promise<unknown>): Promise<string> =>
  request.then(
    () => 'nothing was refused',
    (error: unknown) => (error instanceof Error ? error.message : String(error)),
  );

describe('a volume without a service', () => {
  it('shows each SFTP change at once, and saves the changes after a time without further changes', async () => {
    const { sftp, volume, master } = await openVolume({ quietMs: 200 });
    await write(sftp, `${AT}/world/new.dat`, 'new');
    expect((await read(sftp, `${AT}/world/new.dat`)).toString()).toBe('new');
    expect(await names(sftp, `${AT}/world`)).toEqual(['level.dat', 'new.dat']);
    await call((done) => sftp.rename(`${AT}/world/new.dat`, `${AT}/world/moved.dat`, done));
    await call((done) => sftp.mkdir(`${AT}/empty`, done));
    await call((done) => sftp.unlink(`${AT}/world/level.dat`, done));
    await call((done) => sftp.utimes(`${AT}/world/moved.dat`, 1_600_000_000, 1_600_000_000, done));
    const moved = await call<Stats>((done) => sftp.stat(`${AT}/world/moved.dat`, done));
    expect(moved).toMatchObject({ size: 3, mtime: 1_600_000_000 });
    await waitFor(() => !volume.workingCopy.exists);
    expect(await names(sftp, AT)).toEqual(['empty', 'paper.yml', 'world']);
    expect(await names(sftp, `${AT}/world`)).toEqual(['moved.dat']);
    expect(await call<Stats>((done) => sftp.stat(`${AT}/world/moved.dat`, done))).toMatchObject({
      mtime: 1_600_000_000,
    });
    expect(volume.saves()[0]?.cause).toMatch(/^changed over SFTP by files/);
    const [, before = ''] = (await names(sftp, `${AT}/.saves`)).reverse();
    expect((await read(sftp, `${AT}/.saves/${before}/world/level.dat`)).toString()).toBe('level');
    expect(master.fileEvents.map(({ kind, path, template }) => [kind, path, template])).toEqual([
      ['files.written', `${AT}/world/new.dat`, 'survival'],
      ['files.renamed', `${AT}/world/new.dat`, 'survival'],
      ['files.deleted', `${AT}/world/level.dat`, 'survival'],
    ]);
  });

  it('is saved only after all open files were closed', async () => {
    const { sftp, volume } = await openVolume({ quietMs: 20 });
    const handle = await open(sftp, `${AT}/world/level.dat`, 'r+');
    await write(sftp, `${AT}/other`, 'other');
    await writeAt(sftp, handle, 'LEV');
    expect(volume.saves()).toHaveLength(1);
    expect(volume.workingCopy.exists).toBe(true);
    await call((done) => sftp.close(handle, done));
    await waitFor(() => volume.saves().length === 2);
    expect((await read(sftp, `${AT}/world/level.dat`)).toString()).toBe('LEVel');
  });

  it('is read-only when its service starts, and the service gets all written data', async () => {
    const { sftp, volume } = await openVolume();
    const handle = await open(sftp, `${AT}/world/level.dat`, 'r+');
    await writeAt(sftp, handle, 'LEV');
    await volume.attach('survival-1', 'node-1');
    expect(volume.saves()).toHaveLength(2);
    expect(await refusal(writeAt(sftp, handle, 'lost'))).toContain('because survival-1 starts');
    expect(await refusal(call((done) => sftp.fsetstat(handle, { mode: 0o700 }, done)))).toContain(
      'survival-1',
    );
    await call((done) => sftp.close(handle, done));
    for (const request of [
      write(sftp, `${AT}/world/level.dat`, 'lost'),
      call((done) => sftp.unlink(`${AT}/world/level.dat`, done)),
      call((done) => sftp.mkdir(`${AT}/folder`, done)),
    ]) {
      const why = await refusal(request);
      expect(why).toContain('belongs to service survival-1 on node-1');
      expect(why).toContain('Stop that service first');
    }
    expect((await read(sftp, `${AT}/world/level.dat`)).toString()).toBe('LEVel');
  });

  it("reveals no part of the network's secret to a client that reads, edits or moves a file", async () => {
    const { sftp, addSave } = await openVolume();
    await addSave(ID, async (folder) => {
      await mkdir(join(folder, 'config'));
      for (const name of ['paper.yml', 'cut.yml', 'moved.yml', 'config/paper-global.yml'])
        await writeFile(join(folder, name), `secret: ${FORWARDING_SECRET}\n`);
    });
    await write(sftp, `${AT}/other`, 'other');
    expect((await read(sftp, `${AT}/paper.yml`)).toString()).toMatch(/^secret: removed-by-overworld-+\n$/);
    const handle = await open(sftp, `${AT}/paper.yml`, 'r+');
    await call((done) => sftp.write(handle, Buffer.from('X'), 0, 1, 8, done));
    expect((await read(sftp, `${AT}/paper.yml`)).toString()).toMatch(/^secret: Xemoved-by-overworld-+\n$/);
    const beforeMove = await open(sftp, `${AT}/moved.yml`, 'a');
    await call((done) => sftp.rename(`${AT}/moved.yml`, `${AT}/config/moved.yml`, done));
    await call((done) => sftp.fsetstat(beforeMove, { size: 30 }, done));
    await call((done) => sftp.setstat(`${AT}/cut.yml`, { size: 40 }, done));
    await call((done) => sftp.ext_openssh_rename(`${AT}/config`, `${AT}/world`, done));
    await call((done) => sftp.setstat(`${AT}/world/paper-global.yml`, { size: 50 }, done));
    for (const [name, size] of [
      ['cut.yml', 40],
      ['world/moved.yml', 30],
      ['world/paper-global.yml', 50],
    ] as const) {
      const content = (await read(sftp, `${AT}/${name}`)).toString();
      expect(content, name).toHaveLength(size);
      expect(partsOfSecretIn(content), name).toEqual([]);
    }
    const part = Buffer.alloc(10);
    expect(await statusOf(call<number>((done) => sftp.read(handle, part, 0, 10, 0, done)))).toBe(
      status.PERMISSION_DENIED,
    );
    const moved = call((done) => sftp.rename(`${AT}/paper.yml`, '/files/paper.yml', done));
    expect(await refusal(moved)).toContain('within one volume only');
  });

  it('refuses links, new volumes, and moves into another volume or into saves', async () => {
    const { sftp, addSave, volume } = await openVolume();
    await addSave('survival/2', (folder) => writeFile(join(folder, 'file'), ''));
    for (const path of ['/volumes/new', '/volumes/survival', '/volumes/survival/3', AT, `${AT}/.saves`])
      expect(await refusal(call((done) => sftp.mkdir(path, done))), path).not.toBe('nothing was refused');
    for (const request of [
      call((done) => sftp.rename(`${AT}/world`, '/volumes/survival/2/world', done)),
      call((done) => sftp.rename(`${AT}/world`, `${AT}/.saves/world`, done)),
      call((done) => sftp.symlink('/etc/passwd', `${AT}/link`, done)),
      call((done) => sftp.setstat(AT, { mode: 0o777 }, done)),
    ])
      expect(await refusal(request)).not.toBe('nothing was refused');
    await volume.settle('a test');
    expect(volume.saves()).toHaveLength(1);
  });

  it('cannot contain paths of more than 3,072 bytes', async () => {
    const { sftp, volume } = await openVolume();
    const path = `${AT}/${Array.from({ length: 13 }, () => 'n'.repeat(250)).join('/')}`;
    expect(await refusal(write(sftp, path, ''))).toContain('path is too long');
    expect(await refusal(call((done) => sftp.rename(`${AT}/world`, path, done)))).toContain(
      'path is too long',
    );
    expect(volume.saves()).toHaveLength(1);
  });

  it('keeps no part of a file if this file exceeds the quota', async () => {
    const { sftp, volume, data } = await openVolume({ quota: { perVolume: 1, total: -1 } });
    await write(sftp, `${AT}/small`, 'small');
    const large = randomBytes(1_500_000).toString('latin1');
    expect(await refusal(write(sftp, `${AT}/large`, large))).toContain('volumes.quota.perVolume allows 1 MB');
    await waitFor(async () => !(await names(sftp, AT)).includes('large'));
    expect(await readdir(join(data, 'working-copies', ID))).not.toContain('large');
    await volume.attach('survival-1', 'node-1');
    expect(await names(sftp, AT)).toEqual(['paper.yml', 'small', 'world']);
  });

  it('gets its first save from SFTP changes', async () => {
    const { sftp, volumes } = await openVolume();
    const empty = await volumes.make('survival-7');
    await write(sftp, '/volumes/survival/7/world.dat', 'new');
    await empty.attach('survival-7', 'node-1');
    expect((await read(sftp, '/volumes/survival/7/world.dat')).toString()).toBe('new');
    expect(empty.saves()).toHaveLength(1);
  });
});
