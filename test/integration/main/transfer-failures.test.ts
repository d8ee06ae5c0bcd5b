import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { canMount } from '#test/support/files/small-disk.ts';
import { openTransferFixture } from '#test/support/files/transfer-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

const MB = 1_000_000;

describe('a transfer whose key is removed on the master', () => {
  it('stops at once without leaving a file, and continues after the key was added again', async () => {
    const fixture = await openTransferFixture();
    const file = join(fixture.local, 'server.jar');
    await writeFile(file, randomBytes(100 * MB));
    await writeFile(join(fixture.remote, 'server.jar'), 'old');
    await fixture.upload([file]);
    await fixture.moved(20 * MB);
    await fixture.master.keys.remove(fixture.person.name);
    await fixture.state('waiting');
    await expect(fixture.connect()).rejects.toMatchObject({ code: 'AUTH_REFUSED' });
    expect(await readFile(join(fixture.remote, 'server.jar'), 'utf8')).toBe('old');
    expect(fixture.relay.passed.up).toBeLessThan(100 * MB);
    const { name, publicKey } = fixture.person;
    await fixture.master.keys.add({ name, role: 'operator', publicKey });
    await fixture.connect();
    expect(await fixture.ended()).toMatchObject([{ state: 'done' }]);
    expect((await readFile(join(fixture.remote, 'server.jar'))).equals(await readFile(file))).toBe(true);
  });

  it('fails permanently if the key was added again with an insufficient role', async () => {
    const fixture = await openTransferFixture();
    const { name, publicKey } = fixture.person;
    const file = join(fixture.local, 'server.jar');
    await writeFile(file, randomBytes(100 * MB));
    await fixture.upload([file]);
    await fixture.moved(20 * MB);
    await fixture.master.keys.remove(name);
    await fixture.state('waiting');
    await fixture.master.keys.add({ name, role: 'viewer', publicKey });
    await fixture.connect();
    expect(await fixture.ended()).toMatchObject([{ state: 'failed', error: { code: 'FILE_FORBIDDEN' } }]);
  });
});

/** Prepares the transfer of a folder `world`, which the test must create. */
async function aFolderTransfer(direction: 'upload' | 'download') {
  const fixture = await openTransferFixture();
  const [local, remote] = [join(fixture.local, 'world'), join(fixture.remote, 'world')];
  return direction === 'upload'
    ? { fixture, source: local, target: remote, start: () => fixture.upload([local]) }
    : { fixture, source: remote, target: local, start: () => fixture.download(['/templates/lobby/world']) };
}

describe('a queued transfer of a folder whose name was free', () => {
  it.each(['upload', 'download'] as const)(
    'replaces no files that appeared at the destination of the %s in the meantime',
    async (direction) => {
      const { fixture, source, target, start } = await aFolderTransfer(direction);
      await mkdir(source);
      for (const name of ['icon.png', 'level.dat']) await writeFile(join(source, name), `mine ${name}`);
      // No transfer runs yet.
      fixture.transfers.setLimit(0);
      await start();
      await mkdir(target);
      await writeFile(join(target, 'level.dat'), 'theirs');
      fixture.transfers.setLimit(3);
      const refused = { state: 'failed', error: { code: 'FILE_EXISTS' } };
      expect(await fixture.ended()).toMatchObject([refused]);
      const [{ id } = { id: '' }] = fixture.transfers.list();
      await fixture.transfers.retry(id);
      expect(await fixture.ended(), 'another attempt bypassed the check').toMatchObject([refused]);
      expect(await readdir(target)).toEqual(['level.dat']);
      expect(await readFile(join(target, 'level.dat'), 'utf8')).toBe('theirs');
      await rm(target, { recursive: true });
      await fixture.transfers.retry(id);
      expect(await fixture.ended()).toMatchObject([{ state: 'done', files: { done: 2 } }]);
      expect(await readFile(join(target, 'level.dat'), 'utf8')).toBe('mine level.dat');
    },
  );

  it.each(['upload', 'download'] as const)(
    'resumes the %s after the app was killed before its journal said that it had begun',
    async (direction) => {
      const { fixture, source, target, start } = await aFolderTransfer(direction);
      await mkdir(join(source, 'empty'), { recursive: true });
      await writeFile(join(source, 'level.dat'), 'level');
      await writeFile(join(source, 'r.0.0.mca'), randomBytes(40 * MB));
      await start();
      await fixture.moved(10 * MB);
      await waitFor(async () => (await readdir(target)).includes('level.dat'));
      await fixture.crash();
      const journal = join(fixture.journalFolder, 'queue.json');
      const written = await readFile(journal, 'utf8');
      expect(written).toContain('"again":true');
      await writeFile(journal, written.replace('"again":true', '"again":false'));
      await fixture.openApp();
      await fixture.connect();
      expect(await fixture.ended()).toMatchObject([{ state: 'done', files: { done: 2 } }]);
      expect((await readdir(target)).sort()).toEqual(['empty', 'level.dat', 'r.0.0.mca']);
      const [sent, arrived] = await Promise.all(
        [source, target].map((folder) => readFile(join(folder, 'r.0.0.mca'))),
      );
      expect(sent !== undefined && arrived?.equals(sent)).toBe(true);
    },
  );
});

describe.skipIf(!canMount)('a transfer to a master with a full disk', () => {
  it('reports the full disk, leaves no unfinished files, and succeeds when there is space again', async () => {
    const fixture = await openTransferFixture({ diskMb: 32 });
    const file = join(fixture.local, 'server.jar');
    await writeFile(file, randomBytes(20 * MB));
    await writeFile(join(fixture.remote, 'ballast'), randomBytes(20 * MB));
    await fixture.upload([file]);
    const [failed] = await fixture.ended();
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'DISK_FULL' } });
    expect(await readdir(fixture.remote)).toEqual(['ballast']);
    await rm(join(fixture.remote, 'ballast'));
    await fixture.transfers.retry(failed?.id ?? '');
    expect(await fixture.ended()).toMatchObject([{ state: 'done' }]);
    expect((await readFile(join(fixture.remote, 'server.jar'))).equals(await readFile(file))).toBe(true);
  });
});
