import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { RemoteFiles } from '#main/transfers/remote/remote-files.ts';
import { openTransferFixture } from '#test/support/files/transfer-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

const MB = 1_000_000;

/** Maximum overhead (bytes): protocol data of one file, and data that may be sent twice after an interruption. */
const ALLOWANCE = 12 * MB;

const isPart = (name: string) => name.endsWith('.part');

async function expectSame(one: string, other: string): Promise<void> {
  expect((await readFile(one)).equals(await readFile(other))).toBe(true);
}

describe('a transfer whose connection is interrupted', () => {
  it('waits, and then continues an upload of 200 MB at the same position', async () => {
    const fixture = await openTransferFixture();
    const file = join(fixture.local, 'world.zip');
    await writeFile(file, randomBytes(200 * MB));
    await fixture.upload([file]);
    await fixture.moved(80 * MB);
    await fixture.cut();
    const waiting = await fixture.state('waiting');
    expect(waiting).toMatchObject({ endedAt: null, bytesPerSecond: 0, connection: 'home' });
    expect(waiting.bytes.done).toBeGreaterThanOrEqual(80 * MB);
    expect((await readdir(fixture.remote)).filter(isPart)).toHaveLength(1);
    const before = fixture.relay.passed.up;
    expect(before).toBeLessThan(200 * MB);
    await fixture.connect();
    expect(await fixture.ended()).toMatchObject([{ state: 'done', bytes: { done: 200 * MB }, error: null }]);
    expect(fixture.relay.passed.up).toBeLessThan(200 * MB + ALLOWANCE);
    expect(await readdir(fixture.remote)).toEqual(['world.zip']);
    await expectSame(file, join(fixture.remote, 'world.zip'));
  });

  it('waits, and then continues the download of a large file at the same position', async () => {
    const fixture = await openTransferFixture();
    await writeFile(join(fixture.remote, 'world.zip'), randomBytes(120 * MB));
    await fixture.download(['/templates/lobby/world.zip']);
    await fixture.moved(40 * MB);
    await fixture.cut();
    await fixture.state('waiting');
    await fixture.connect();
    expect(await fixture.ended()).toMatchObject([{ state: 'done', bytes: { done: 120 * MB } }]);
    expect(fixture.relay.passed.down).toBeLessThan(120 * MB + ALLOWANCE);
    expect(await readdir(fixture.local)).toEqual(['world.zip']);
    await expectSame(join(fixture.local, 'world.zip'), join(fixture.remote, 'world.zip'));
  });

  it('transfers only the missing files of a folder', async () => {
    const fixture = await openTransferFixture();
    const world = join(fixture.local, 'world');
    await mkdir(world);
    for (let n = 0; n < 80; n++) await writeFile(join(world, `r.${n}.mca`), randomBytes(MB));
    await fixture.upload([world]);
    await fixture.moved(40 * MB);
    await fixture.cut();
    await fixture.state('waiting');
    await fixture.connect();
    expect(await fixture.ended()).toMatchObject([
      { state: 'done', files: { done: 80, total: 80 }, bytes: { done: 80 * MB, total: 80 * MB }, skipped: 0 },
    ]);
    expect(fixture.relay.passed.up).toBeLessThan(80 * MB + ALLOWANCE);
    const there = join(fixture.remote, 'world');
    expect((await readdir(there)).sort()).toEqual((await readdir(world)).sort());
    for (const name of await readdir(world)) await expectSame(join(world, name), join(there, name));
  });

  it('fails with the reason if its connection was removed from the app', async () => {
    const fixture = await openTransferFixture();
    for (const name of ['a.bin', 'b.bin']) await writeFile(join(fixture.local, name), randomBytes(60 * MB));
    await fixture.upload([join(fixture.local, 'a.bin'), join(fixture.local, 'b.bin')]);
    await fixture.moved(10 * MB);
    await fixture.cut();
    await fixture.state('waiting');
    const [, second] = fixture.transfers.list();
    fixture.transfers.pause(second?.id ?? '');
    await fixture.connect('away');
    fixture.removeConnection('home');
    const ended = await fixture.ended();
    const error = { code: 'CONNECTION_REMOVED' };
    expect(ended).toMatchObject([
      { name: 'a.bin', state: 'failed', error },
      { name: 'b.bin', state: 'failed', error: { ...error, details: { transfer: 'b.bin' } } },
    ]);
    await fixture.transfers.retry(ended[0]?.id ?? '');
    expect(fixture.transfers.list().every(({ state }) => state === 'failed')).toBe(true);
    await fixture.crash();
    await fixture.openApp();
    await fixture.connect('away');
    await fixture.ended();
    fixture.transfers.clear();
    await waitFor(() => fixture.transfers.list().length === 0);
  });

  it('waits for its own master even if the app connects to another master', async () => {
    const fixture = await openTransferFixture();
    const file = join(fixture.local, 'a.bin');
    await writeFile(file, randomBytes(60 * MB));
    await fixture.upload([file]);
    await fixture.moved(10 * MB);
    await fixture.cut();
    await fixture.connect('away');
    await fixture.state('waiting');
    await writeFile(join(fixture.local, 'b.bin'), 'b');
    await fixture.upload([join(fixture.local, 'b.bin')]);
    await waitFor(() =>
      fixture.transfers.list().find(({ name, state }) => name === 'b.bin' && state === 'done'),
    );
    expect(fixture.transfers.list()).toMatchObject([
      { name: 'a.bin', state: 'waiting', connection: 'home' },
      { name: 'b.bin', state: 'done', connection: 'away' },
    ]);
    await fixture.cut();
    await fixture.connect('home');
    await fixture.ended();
    await expectSame(file, join(fixture.remote, 'a.bin'));
  });

  it('is paused if its connection now belongs to a different master', async () => {
    const fixture = await openTransferFixture();
    const file = join(fixture.local, 'world.zip');
    await writeFile(file, randomBytes(60 * MB));
    const { plan } = await fixture.plans.planUpload(
      await fixture.session.files(),
      { folder: '/templates/lobby' },
      [{ path: file, name: 'other.zip' }],
    );
    await fixture.upload([file]);
    await fixture.moved(10 * MB);
    await fixture.cut();
    await fixture.state('waiting');
    fixture.transfers.pauseAllOf('elsewhere');
    await fixture.state('waiting');
    fixture.transfers.pauseAllOf('home');
    fixture.plans.forget('home');
    const before = fixture.relay.passed.up;
    await fixture.connect();
    await (await fixture.session.files()).list('/templates/lobby');
    expect(await fixture.state('paused')).toMatchObject({ name: 'world.zip' });
    expect(fixture.relay.passed.up - before).toBeLessThan(MB);
    await expect(fixture.transfers.start(plan ?? '', { rest: 'overwrite', each: {} })).rejects.toMatchObject({
      code: 'PLAN_EXPIRED',
    });
    fixture.transfers.resume(null);
    expect(await fixture.ended()).toMatchObject([{ state: 'done' }]);
  });

  it('starts from the beginning if the source has changed, and removes the old unfinished file', async () => {
    const fixture = await openTransferFixture();
    const file = join(fixture.local, 'server.jar');
    await writeFile(file, randomBytes(60 * MB));
    await fixture.upload([file]);
    await fixture.moved(20 * MB);
    await fixture.cut();
    await writeFile(file, randomBytes(30 * MB));
    await fixture.connect();
    expect(await fixture.ended()).toMatchObject([{ state: 'done' }]);
    await waitFor(async () => (await readdir(fixture.remote)).length === 1, { what: 'the old part to go' });
    await expectSame(file, join(fixture.remote, 'server.jar'));
  });

  it('starts from the beginning if the unfinished file was changed', async () => {
    const fixture = await openTransferFixture();
    const file = join(fixture.local, 'server.jar');
    await writeFile(file, randomBytes(60 * MB));
    await fixture.upload([file]);
    await fixture.moved(20 * MB);
    await fixture.cut();
    const [part] = (await readdir(fixture.remote)).filter(isPart);
    const path = join(fixture.remote, part ?? '');
    await truncate(path, 5 * MB);
    await appendFile(path, randomBytes(20 * MB));
    await fixture.connect();
    expect(await fixture.ended()).toMatchObject([{ state: 'done' }]);
    await expectSame(file, join(fixture.remote, 'server.jar'));
  });
});

describe('the transfer queue', () => {
  it('pauses a transfer, runs others, and continues the paused transfer at the same position', async () => {
    const fixture = await openTransferFixture();
    await fixture.openApp(1);
    const file = join(fixture.local, 'big.bin');
    await writeFile(file, randomBytes(100 * MB));
    await writeFile(join(fixture.local, 'small.bin'), 'small');
    await fixture.upload([file, join(fixture.local, 'small.bin')]);
    const { id } = await fixture.moved(30 * MB);
    fixture.transfers.pause(id);
    const paused = await fixture.state('paused');
    await waitFor(() =>
      fixture.transfers.list().find(({ name, state }) => name === 'small.bin' && state === 'done'),
    );
    expect((await readdir(fixture.remote)).filter(isPart)).toHaveLength(1);
    expect(fixture.transfers.list()[0]).toMatchObject({ state: 'paused', bytesPerSecond: 0, endedAt: null });
    fixture.transfers.resume(null);
    await fixture.ended();
    expect(paused.bytes.done).toBeGreaterThanOrEqual(30 * MB);
    expect(fixture.relay.passed.up).toBeLessThan(100 * MB + ALLOWANCE);
    await expectSame(file, join(fixture.remote, 'big.bin'));
  });

  it('removes all files of a cancelled transfer, even without a connection', async () => {
    const fixture = await openTransferFixture();
    const file = join(fixture.local, 'big.bin');
    await writeFile(file, randomBytes(60 * MB));
    await fixture.upload([file]);
    const { id } = await fixture.moved(10 * MB);
    fixture.transfers.pause(id);
    await fixture.state('paused');
    await fixture.cut();
    fixture.transfers.cancel(id);
    expect(await fixture.ended()).toMatchObject([{ state: 'cancelled' }]);
    expect((await readdir(fixture.remote)).filter(isPart)).toHaveLength(1);
    // The part file is still removed if the app crashes before the cleanup.
    await fixture.crash();
    await fixture.openApp();
    await fixture.connect();
    await waitFor(async () => (await readdir(fixture.remote)).length === 0, { what: 'the part to go' });
  });

  it('does not delete the unfinished file of a transfer that was cancelled and started again', async () => {
    const fixture = await openTransferFixture();
    const [gone, again] = [join(fixture.local, 'gone.bin'), join(fixture.local, 'again.bin')];
    for (const path of [gone, again]) await writeFile(path, randomBytes(60 * MB));
    await fixture.upload([gone, again]);
    await waitFor(() => fixture.transfers.list().every(({ bytes }) => bytes.done > 5 * MB));
    await fixture.cut();
    const [first, second] = fixture.transfers.list().map(({ id }) => id);
    fixture.transfers.cancel(first ?? '');
    await fixture.state('cancelled');
    fixture.transfers.cancel(second ?? '');
    await fixture.ended();
    await fixture.transfers.retry(second ?? '');
    // Delay the deletion of the first transfer's file until the other file is being written again.
    const spy = vi.spyOn(RemoteFiles.prototype, 'deleteFile');
    onTestFinished(() => spy.mockRestore());
    spy.mockImplementationOnce(async function (this: RemoteFiles, path) {
      await waitFor(() =>
        fixture.transfers.list().some(({ state, bytes }) => state === 'running' && bytes.done > 0),
      );
      await this.deleteFile(path);
    });
    await fixture.connect();
    expect((await fixture.ended()).at(-1)).toMatchObject({ name: 'again.bin', state: 'done', error: null });
    await expectSame(again, join(fixture.remote, 'again.bin'));
    await waitFor(async () => (await readdir(fixture.remote)).length === 1, { what: 'the other part to go' });
  });

  it('starts more transfers when the user increases the limit', async () => {
    const fixture = await openTransferFixture();
    await fixture.openApp(1);
    const files = ['a', 'b', 'c'].map((name) => join(fixture.local, name));
    for (const path of files) await writeFile(path, randomBytes(40 * MB));
    await fixture.upload(files);
    await fixture.moved(MB);
    const running = () => fixture.transfers.list().filter(({ state }) => state === 'running').length;
    expect(running()).toBe(1);
    fixture.transfers.setLimit(3);
    expect(running()).toBe(3);
    await fixture.ended();
  });
});

describe('the app after a restart', () => {
  it('continues transfers that were running, but not transfers that were paused', async () => {
    const fixture = await openTransferFixture();
    const [one, other] = [join(fixture.local, 'one.bin'), join(fixture.local, 'other.bin')];
    for (const path of [one, other]) await writeFile(path, randomBytes(100 * MB));
    await fixture.upload([one, other]);
    await waitFor(() => fixture.transfers.list().every(({ bytes }) => bytes.done > 20 * MB));
    const held = fixture.transfers.list().find(({ name }) => name === 'other.bin');
    fixture.transfers.pause(held?.id ?? '');
    await fixture.transfers.close();
    expect((await readdir(fixture.remote)).filter(isPart)).toHaveLength(2);
    await fixture.openApp();
    await waitFor(() => fixture.transfers.list().find(({ state }) => state === 'done'));
    expect(fixture.transfers.list()).toMatchObject([
      { name: 'one.bin', state: 'done' },
      { name: 'other.bin', state: 'paused' },
    ]);
    fixture.transfers.resume(held?.id ?? '');
    await fixture.ended();
    expect(fixture.relay.passed.up).toBeLessThan(200 * MB + ALLOWANCE);
    for (const name of ['one.bin', 'other.bin']) {
      await expectSame(join(fixture.local, name), join(fixture.remote, name));
    }
  });

  it('uses its journal to continue the transfers that a crash has interrupted', async () => {
    const fixture = await openTransferFixture();
    const file = join(fixture.local, 'one.bin');
    await writeFile(file, randomBytes(120 * MB));
    await fixture.upload([file]);
    await fixture.moved(50 * MB);
    await fixture.crash();
    await fixture.openApp();
    expect(fixture.transfers.list()).toMatchObject([{ name: 'one.bin', state: 'waiting' }]);
    await fixture.connect();
    await fixture.ended();
    expect(fixture.relay.passed.up).toBeLessThan(120 * MB + ALLOWANCE);
    await expectSame(file, join(fixture.remote, 'one.bin'));
  });

  it('continues, on request, an unfinished file that belongs to no transfer', async () => {
    const fixture = await openTransferFixture();
    const file = join(fixture.local, 'one.bin');
    await writeFile(file, randomBytes(120 * MB));
    await writeFile(join(fixture.remote, 'one.bin'), 'old');
    await fixture.upload([file]);
    await fixture.moved(60 * MB);
    await fixture.crash();
    await rm(join(fixture.journalFolder, 'queue.json'));
    await fixture.openApp();
    await fixture.connect();
    expect(fixture.transfers.list()).toEqual([]);
    const { plans, session } = fixture;
    const sources = [{ path: file, name: 'one.bin' }];
    const plan = await plans.planUpload(await session.files(), { folder: '/templates/lobby' }, sources);
    expect(plan.conflicts).toMatchObject([{ name: 'one.bin', resumable: true }]);
    const before = fixture.relay.passed.up;
    await fixture.transfers.start(plan.plan ?? '', { rest: 'resume', each: {} });
    await fixture.ended();
    // After a crash, the last bytes may be missing on the disk, so some bytes are sent again.
    expect(fixture.relay.passed.up - before).toBeLessThan(100 * MB);
    await expectSame(file, join(fixture.remote, 'one.bin'));
    expect(await readdir(fixture.remote)).toEqual(['one.bin']);
  });

  it('has no transfers if the journal is damaged, and keeps the damaged file', async () => {
    const fixture = await openTransferFixture();
    await fixture.crash();
    await writeFile(join(fixture.journalFolder, 'queue.json'), '{"version":1,"transfers":[{');
    await fixture.openApp();
    expect(fixture.transfers.list()).toEqual([]);
    expect(await readdir(fixture.journalFolder)).toContain('queue.json.broken');
  });
});

describe('the upload of a folder that already exists on the master', () => {
  it('skips existing files, replaces only older files, or replaces all files, as the user has chosen', async () => {
    const fixture = await openTransferFixture();
    const [here, there] = [join(fixture.local, 'plugins'), join(fixture.remote, 'plugins')];
    for (const folder of [here, there]) await mkdir(folder);
    const put = async (folder: string, name: string, seconds: number) => {
      await writeFile(join(folder, name), `${folder === here ? 'mine' : 'theirs'} ${name}`);
      await utimes(join(folder, name), seconds, seconds);
    };
    await put(here, 'newer.jar', 2000);
    await put(there, 'newer.jar', 1000);
    await put(here, 'older.jar', 1000);
    await put(there, 'older.jar', 2000);
    await put(here, 'missing.jar', 1000);
    const contents = async () => {
      const names = (await readdir(there)).sort();
      return Promise.all(names.map((name) => readFile(join(there, name), 'utf8')));
    };
    await fixture.upload([here], 'skip');
    expect(await fixture.ended()).toMatchObject([
      { state: 'done', skipped: 2, files: { done: 1, total: 1 } },
    ]);
    expect(await contents()).toEqual(['mine missing.jar', 'theirs newer.jar', 'theirs older.jar']);
    await fixture.upload([here], 'overwrite', { plugins: 'newer' });
    expect((await fixture.ended()).at(-1)).toMatchObject({ state: 'done', skipped: 2, files: { total: 1 } });
    expect(await contents()).toEqual(['mine missing.jar', 'mine newer.jar', 'theirs older.jar']);
    await fixture.upload([here], 'rename');
    await fixture.ended();
    expect((await readdir(fixture.remote)).sort()).toEqual(['plugins', 'plugins (2)']);
    expect(await readdir(join(fixture.remote, 'plugins (2)'))).toHaveLength(3);
    await fixture.upload([here], 'overwrite');
    await fixture.ended();
    expect(await contents()).toEqual(['mine missing.jar', 'mine newer.jar', 'mine older.jar']);
  });
});
