import { randomBytes } from 'node:crypto';
import { appendFile, mkdir, readdir, readFile, rm, truncate, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openTransferStage } from '#test/support/files/transfer-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

const MB = 1_000_000;

/** What the protocol adds to the bytes of one file, and what may be sent twice after a break, at most. */
const ALLOWANCE = 12 * MB;

const isPart = (name: string) => name.endsWith('.part');

async function expectSame(one: string, other: string): Promise<void> {
  expect((await readFile(one)).equals(await readFile(other))).toBe(true);
}

describe('a connection that breaks', () => {
  it('is waited for; a 200 MB upload goes on where it stopped', async () => {
    const stage = await openTransferStage();
    const file = join(stage.local, 'world.zip');
    await writeFile(file, randomBytes(200 * MB));
    await stage.upload([file]);
    await stage.moved(80 * MB);
    await stage.cut();
    const waiting = await stage.state('waiting');
    expect(waiting).toMatchObject({ endedAt: null, bytesPerSecond: 0, connection: 'home' });
    expect(waiting.bytes.done).toBeGreaterThanOrEqual(80 * MB);
    expect((await readdir(stage.remote)).filter(isPart)).toHaveLength(1);
    const before = stage.relay.passed.up;
    expect(before).toBeLessThan(200 * MB);
    await stage.connect();
    expect(await stage.ended()).toMatchObject([{ state: 'done', bytes: { done: 200 * MB }, error: null }]);
    expect(stage.relay.passed.up).toBeLessThan(200 * MB + ALLOWANCE);
    expect(await readdir(stage.remote)).toEqual(['world.zip']);
    await expectSame(file, join(stage.remote, 'world.zip'));
  });

  it('is waited for by a download too', async () => {
    const stage = await openTransferStage();
    await writeFile(join(stage.remote, 'world.zip'), randomBytes(120 * MB));
    await stage.download(['/templates/lobby/world.zip']);
    await stage.moved(40 * MB);
    await stage.cut();
    await stage.state('waiting');
    await stage.connect();
    expect(await stage.ended()).toMatchObject([{ state: 'done', bytes: { done: 120 * MB } }]);
    expect(stage.relay.passed.down).toBeLessThan(120 * MB + ALLOWANCE);
    expect(await readdir(stage.local)).toEqual(['world.zip']);
    await expectSame(join(stage.local, 'world.zip'), join(stage.remote, 'world.zip'));
  });

  it('makes a folder go on with the files that are missing', async () => {
    const stage = await openTransferStage();
    const world = join(stage.local, 'world');
    await mkdir(world);
    for (let n = 0; n < 80; n++) await writeFile(join(world, `r.${n}.mca`), randomBytes(MB));
    await stage.upload([world]);
    await stage.moved(40 * MB);
    await stage.cut();
    await stage.state('waiting');
    await stage.connect();
    expect(await stage.ended()).toMatchObject([
      { state: 'done', files: { done: 80, total: 80 }, bytes: { done: 80 * MB, total: 80 * MB }, skipped: 0 },
    ]);
    expect(stage.relay.passed.up).toBeLessThan(80 * MB + ALLOWANCE);
    const there = join(stage.remote, 'world');
    expect((await readdir(there)).sort()).toEqual((await readdir(world)).sort());
    for (const name of await readdir(world)) await expectSame(join(world, name), join(there, name));
  });

  it('ends those whose connection was removed, and says why; they cannot be begun again either', async () => {
    const stage = await openTransferStage();
    for (const name of ['a.bin', 'b.bin']) await writeFile(join(stage.local, name), randomBytes(60 * MB));
    await stage.upload([join(stage.local, 'a.bin'), join(stage.local, 'b.bin')]);
    await stage.moved(10 * MB);
    await stage.cut();
    await stage.state('waiting');
    const [, second] = stage.transfers.list();
    stage.transfers.pause(second?.id ?? '');
    await stage.connect('away');
    stage.removeConnection('home');
    const ended = await stage.ended();
    const error = { code: 'CONNECTION_REMOVED' };
    expect(ended).toMatchObject([
      { name: 'a.bin', state: 'failed', error },
      { name: 'b.bin', state: 'failed', error: { ...error, details: { transfer: 'b.bin' } } },
    ]);
    await stage.transfers.retry(ended[0]?.id ?? '');
    expect(stage.transfers.list().every(({ state }) => state === 'failed')).toBe(true);
    await stage.crash();
    await stage.openApp();
    await stage.connect('away');
    await stage.ended();
    stage.transfers.clear();
    await waitFor(() => stage.transfers.list().length === 0);
  });

  it('keeps those of another profile waiting, however often one connects', async () => {
    const stage = await openTransferStage();
    const file = join(stage.local, 'a.bin');
    await writeFile(file, randomBytes(60 * MB));
    await stage.upload([file]);
    await stage.moved(10 * MB);
    await stage.cut();
    await stage.connect('away');
    await stage.state('waiting');
    await writeFile(join(stage.local, 'b.bin'), 'b');
    await stage.upload([join(stage.local, 'b.bin')]);
    await waitFor(() =>
      stage.transfers.list().find(({ name, state }) => name === 'b.bin' && state === 'done'),
    );
    expect(stage.transfers.list()).toMatchObject([
      { name: 'a.bin', state: 'waiting', connection: 'home' },
      { name: 'b.bin', state: 'done', connection: 'away' },
    ]);
    await stage.cut();
    await stage.connect('home');
    await stage.ended();
    await expectSame(file, join(stage.remote, 'a.bin'));
  });

  it('goes on by itself with no other master, where there may be one behind the same profile now', async () => {
    const stage = await openTransferStage();
    const file = join(stage.local, 'world.zip');
    await writeFile(file, randomBytes(60 * MB));
    const { plan } = await stage.plans.planUpload(
      await stage.session.files(),
      { folder: '/templates/lobby' },
      [{ path: file, name: 'other.zip' }],
    );
    await stage.upload([file]);
    await stage.moved(10 * MB);
    await stage.cut();
    await stage.state('waiting');
    stage.transfers.pauseAllOf('elsewhere');
    await stage.state('waiting');
    stage.transfers.pauseAllOf('home');
    stage.plans.forget('home');
    const before = stage.relay.passed.up;
    await stage.connect();
    await (await stage.session.files()).list('/templates/lobby');
    expect(await stage.state('paused')).toMatchObject({ name: 'world.zip' });
    expect(stage.relay.passed.up - before).toBeLessThan(MB);
    await expect(stage.transfers.start(plan ?? '', { rest: 'overwrite', each: {} })).rejects.toMatchObject({
      code: 'PLAN_EXPIRED',
    });
    stage.transfers.resume(null);
    expect(await stage.ended()).toMatchObject([{ state: 'done' }]);
  });

  it('begins again when the source was changed meanwhile, and leaves no rest of the old one', async () => {
    const stage = await openTransferStage();
    const file = join(stage.local, 'server.jar');
    await writeFile(file, randomBytes(60 * MB));
    await stage.upload([file]);
    await stage.moved(20 * MB);
    await stage.cut();
    await writeFile(file, randomBytes(30 * MB));
    await stage.connect();
    expect(await stage.ended()).toMatchObject([{ state: 'done' }]);
    await waitFor(async () => (await readdir(stage.remote)).length === 1, { what: 'the old part to go' });
    await expectSame(file, join(stage.remote, 'server.jar'));
  });

  it('begins again when somebody has meddled with what had arrived', async () => {
    const stage = await openTransferStage();
    const file = join(stage.local, 'server.jar');
    await writeFile(file, randomBytes(60 * MB));
    await stage.upload([file]);
    await stage.moved(20 * MB);
    await stage.cut();
    const [part] = (await readdir(stage.remote)).filter(isPart);
    const path = join(stage.remote, part ?? '');
    await truncate(path, 5 * MB);
    await appendFile(path, randomBytes(20 * MB));
    await stage.connect();
    expect(await stage.ended()).toMatchObject([{ state: 'done' }]);
    await expectSame(file, join(stage.remote, 'server.jar'));
  });
});

describe('a transfer that is held', () => {
  it('keeps what has arrived, lets others run, and goes on from there', async () => {
    const stage = await openTransferStage();
    await stage.openApp(1);
    const file = join(stage.local, 'big.bin');
    await writeFile(file, randomBytes(100 * MB));
    await writeFile(join(stage.local, 'small.bin'), 'small');
    await stage.upload([file, join(stage.local, 'small.bin')]);
    const { id } = await stage.moved(30 * MB);
    stage.transfers.pause(id);
    const paused = await stage.state('paused');
    await waitFor(() =>
      stage.transfers.list().find(({ name, state }) => name === 'small.bin' && state === 'done'),
    );
    expect((await readdir(stage.remote)).filter(isPart)).toHaveLength(1);
    expect(stage.transfers.list()[0]).toMatchObject({ state: 'paused', bytesPerSecond: 0, endedAt: null });
    stage.transfers.resume(null);
    await stage.ended();
    expect(paused.bytes.done).toBeGreaterThanOrEqual(30 * MB);
    expect(stage.relay.passed.up).toBeLessThan(100 * MB + ALLOWANCE);
    await expectSame(file, join(stage.remote, 'big.bin'));
  });

  it('leaves nothing behind when it is cancelled, even while there is no connection', async () => {
    const stage = await openTransferStage();
    const file = join(stage.local, 'big.bin');
    await writeFile(file, randomBytes(60 * MB));
    await stage.upload([file]);
    const { id } = await stage.moved(10 * MB);
    stage.transfers.pause(id);
    await stage.state('paused');
    await stage.cut();
    stage.transfers.cancel(id);
    expect(await stage.ended()).toMatchObject([{ state: 'cancelled' }]);
    expect((await readdir(stage.remote)).filter(isPart)).toHaveLength(1);
    // Not even the end of the app makes it forget.
    await stage.crash();
    await stage.openApp();
    await stage.connect();
    await waitFor(async () => (await readdir(stage.remote)).length === 0, { what: 'the part to go' });
  });

  it('obeys the limit as it is now', async () => {
    const stage = await openTransferStage();
    await stage.openApp(1);
    const files = ['a', 'b', 'c'].map((name) => join(stage.local, name));
    for (const path of files) await writeFile(path, randomBytes(40 * MB));
    await stage.upload(files);
    await stage.moved(MB);
    const running = () => stage.transfers.list().filter(({ state }) => state === 'running').length;
    expect(running()).toBe(1);
    stage.transfers.setLimit(3);
    expect(running()).toBe(3);
    await stage.ended();
  });
});

describe('the app', () => {
  it('goes on after it was closed, with what ran; what was held stays held', async () => {
    const stage = await openTransferStage();
    const [one, other] = [join(stage.local, 'one.bin'), join(stage.local, 'other.bin')];
    for (const path of [one, other]) await writeFile(path, randomBytes(100 * MB));
    await stage.upload([one, other]);
    await waitFor(() => stage.transfers.list().every(({ bytes }) => bytes.done > 20 * MB));
    const held = stage.transfers.list().find(({ name }) => name === 'other.bin');
    stage.transfers.pause(held?.id ?? '');
    await stage.transfers.close();
    expect((await readdir(stage.remote)).filter(isPart)).toHaveLength(2);
    await stage.openApp();
    await waitFor(() => stage.transfers.list().find(({ state }) => state === 'done'));
    expect(stage.transfers.list()).toMatchObject([
      { name: 'one.bin', state: 'done' },
      { name: 'other.bin', state: 'paused' },
    ]);
    stage.transfers.resume(held?.id ?? '');
    await stage.ended();
    expect(stage.relay.passed.up).toBeLessThan(200 * MB + ALLOWANCE);
    for (const name of ['one.bin', 'other.bin']) {
      await expectSame(join(stage.local, name), join(stage.remote, name));
    }
  });

  it('goes on after it has died, as far as its journal knew', async () => {
    const stage = await openTransferStage();
    const file = join(stage.local, 'one.bin');
    await writeFile(file, randomBytes(120 * MB));
    await stage.upload([file]);
    await stage.moved(50 * MB);
    await stage.crash();
    await stage.openApp();
    expect(stage.transfers.list()).toMatchObject([{ name: 'one.bin', state: 'waiting' }]);
    await stage.connect();
    await stage.ended();
    expect(stage.relay.passed.up).toBeLessThan(120 * MB + ALLOWANCE);
    await expectSame(file, join(stage.remote, 'one.bin'));
  });

  it('finds a part again that no queue knows of any more, when a person chooses to resume', async () => {
    const stage = await openTransferStage();
    const file = join(stage.local, 'one.bin');
    await writeFile(file, randomBytes(120 * MB));
    await writeFile(join(stage.remote, 'one.bin'), 'old');
    await stage.upload([file]);
    await stage.moved(60 * MB);
    await stage.crash();
    await rm(join(stage.journalFolder, 'queue.json'));
    await stage.openApp();
    await stage.connect();
    expect(stage.transfers.list()).toEqual([]);
    const { plans, session } = stage;
    const sources = [{ path: file, name: 'one.bin' }];
    const plan = await plans.planUpload(await session.files(), { folder: '/templates/lobby' }, sources);
    expect(plan.conflicts).toMatchObject([{ name: 'one.bin', resumable: true }]);
    const before = stage.relay.passed.up;
    await stage.transfers.start(plan.plan ?? '', { rest: 'resume', each: {} });
    await stage.ended();
    // Nobody knows how the last bytes arrived: some are sent again.
    expect(stage.relay.passed.up - before).toBeLessThan(100 * MB);
    await expectSame(file, join(stage.remote, 'one.bin'));
    expect(await readdir(stage.remote)).toEqual(['one.bin']);
  });

  it('begins with an empty queue when its journal is damaged, and keeps that for who wants to look', async () => {
    const stage = await openTransferStage();
    await stage.crash();
    await writeFile(join(stage.journalFolder, 'queue.json'), '{"version":1,"transfers":[{');
    await stage.openApp();
    expect(stage.transfers.list()).toEqual([]);
    expect(await readdir(stage.journalFolder)).toContain('queue.json.broken');
  });
});

describe('a source of a known time', () => {
  it('is uploaded when newer, left when older, in folders file by file, with what was skipped', async () => {
    const stage = await openTransferStage();
    const [here, there] = [join(stage.local, 'plugins'), join(stage.remote, 'plugins')];
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
    await stage.upload([here], 'skip');
    expect(await stage.ended()).toMatchObject([{ state: 'done', skipped: 2, files: { done: 1, total: 1 } }]);
    expect(await contents()).toEqual(['mine missing.jar', 'theirs newer.jar', 'theirs older.jar']);
    await stage.upload([here], 'overwrite', { plugins: 'newer' });
    expect((await stage.ended()).at(-1)).toMatchObject({ state: 'done', skipped: 2, files: { total: 1 } });
    expect(await contents()).toEqual(['mine missing.jar', 'mine newer.jar', 'theirs older.jar']);
    await stage.upload([here], 'rename');
    await stage.ended();
    expect((await readdir(stage.remote)).sort()).toEqual(['plugins', 'plugins (2)']);
    expect(await readdir(join(stage.remote, 'plugins (2)'))).toHaveLength(3);
    await stage.upload([here], 'overwrite');
    await stage.ended();
    expect(await contents()).toEqual(['mine missing.jar', 'mine newer.jar', 'mine older.jar']);
  });
});
