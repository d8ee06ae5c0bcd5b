import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { syncComparisonSchema } from '#shared/ipc/contract.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { methods } from '#shared/rpc/contract.ts';
import { filesHandlers } from '#master/admin/handlers/files.ts';
import { Tasks } from '#master/files/tasks/tasks.ts';
import type { AskManifest } from '#main/sync/sides.ts';
import { Syncs } from '#main/sync/syncs.ts';
import { connect, openRpc } from '#test/support/master/admin-master.ts';
import { openTransferFixture } from '#test/support/files/transfer-fixture.ts';

/** Modification time of most files (seconds since epoch). */
const T = 1_700_000_000;

async function setUp() {
  const fixture = await openTransferFixture({
    handlers: (jobs) =>
      filesHandlers({
        ...{ jobs, events: { add: () => undefined }, viewersRead: () => false, tasks: new Tasks() },
      }),
  });
  const trashed: string[] = [];
  const asked: { folder: string; names: string[] }[] = [];
  const person = { allows: true };
  const failing: { trash: Error | null } = { trash: null };
  let now = 0;
  // Simulates an older master without `files.manifest`, so that the app lists the folder over SFTP.
  const older: AskManifest = () =>
    Promise.reject(
      new OverworldError('UNSUPPORTED_BY_MASTER', {
        ...{ address: 'a:1', what: 'files.manifest', master: '0.1.0', app: '0.2.0', update: 'master' },
      }),
    );
  const api = await openRpc(await connect(fixture.master, fixture.person));
  onTestFinished(() => api.dispose());
  const newer: AskManifest = async (folder, { hashes }) =>
    methods['files.manifest'].result.parse(
      await api.sendRequest('files.manifest', { folder, hashes, task: randomUUID() }),
    );
  const make = (askManifest: AskManifest) =>
    new Syncs({
      session: fixture.session,
      transfers: fixture.transfers,
      askManifest,
      trash: async (path) => {
        if (failing.trash !== null) throw failing.trash;
        trashed.push(path);
        await rm(path);
      },
      mayWrite: (folder, names) => {
        asked.push({ folder, names: [...names].sort() });
        return Promise.resolve(person.allows);
      },
      now: () => now,
    });
  const put = async (folder: string, path: string, ...[text, seconds = T]: [string, number?]) => {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), text);
    await utimes(join(folder, path), seconds, seconds);
  };
  const contents = async (folder: string) => {
    const names = (await readdir(folder, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort();
    const texts = await Promise.all(names.map((name) => readFile(name, 'utf8')));
    return Object.fromEntries(names.map((name, index) => [name.slice(folder.length + 1), texts[index]]));
  };
  return {
    ...{ fixture, put, contents, trashed, asked, person, failing },
    syncs: make(older),
    hashing: make(newer),
    later: (ms: number) => (now += ms),
  };
}
/** Creates two folders with all possible kinds of differences. */
async function makeSides({ fixture, put }: Awaited<ReturnType<typeof setUp>>) {
  for (const folder of [fixture.local, fixture.remote]) await put(folder, 'same.txt', 'same');
  await put(fixture.local, 'plugins/deep/here.jar', 'here');
  await put(fixture.remote, 'there.txt', 'there');
  await put(fixture.local, 'new.txt', 'new', T + 100);
  await put(fixture.remote, 'new.txt', 'old', T);
  await put(fixture.local, 'old.txt', 'old', T);
  await put(fixture.remote, 'old.txt', 'newer', T + 100);
  await put(fixture.local, '.overworld-0a.part', 'half');
  await symlink('/etc/passwd', join(fixture.local, 'link'));
}

const all = ['plugins/deep/here.jar', 'new.txt', 'old.txt', 'same.txt', 'there.txt', 'made/up'];

describe('the comparison of a local folder with a folder on the master', () => {
  it('reports how each file differs, and ignores links and unfinished files', async () => {
    const world = await setUp();
    await makeSides(world);
    for (const syncs of [world.syncs, world.hashing]) {
      const comparison = await syncs.compare(world.fixture.local, '/templates/lobby', { content: false });
      const { rows } = syncComparisonSchema.parse(comparison);
      expect(rows.map(({ path, verdict }) => `${path}: ${verdict}`)).toEqual([
        'new.txt: local newer',
        'old.txt: remote newer',
        'plugins/deep/here.jar: local only',
        'same.txt: same',
        'there.txt: remote only',
      ]);
    }
  });

  it('does not report a file as missing if the other side has a link with its name', async () => {
    const { fixture, put, syncs, hashing, contents, trashed } = await setUp();
    const outside = join(fixture.local, '..', `${basename(fixture.local)}-outside`);
    await mkdir(outside);
    onTestFinished(() => rm(outside, { recursive: true }));
    await put(fixture.local, 'keep.txt', 'keep');
    await put(fixture.local, 'worlds/nether', 'mine');
    await put(fixture.remote, 'plugins/evil.jar', 'evil');
    await put(fixture.remote, 'server.jar', 'theirs');
    await symlink(outside, join(fixture.local, 'plugins'));
    await symlink(join(outside, 'x.jar'), join(fixture.local, 'server.jar'));
    await symlink('keep.txt', join(fixture.remote, 'keep.txt'));
    await symlink('plugins', join(fixture.remote, 'worlds'));
    for (const one of [syncs, hashing]) {
      const { rows } = await one.compare(fixture.local, '/templates/lobby', { content: false });
      expect(rows).toEqual([]);
    }
    await expect(
      fixture.download(['/templates/lobby/plugins']).then(() => fixture.ended()),
      'a download goes through no link either',
    ).resolves.toMatchObject([{ state: 'failed' }]);
    expect(await contents(outside)).toEqual({});
    expect(trashed).toEqual([]);
  });

  it('also compares the content on request, and finds changes that keep size and time', async () => {
    const { fixture, put, hashing } = await setUp();
    await put(fixture.local, 'a', 'aaaa');
    await put(fixture.remote, 'a', 'bbbb');
    await put(fixture.local, 'b', 'same', T);
    await put(fixture.remote, 'b', 'same', T + 500);
    const verdicts = async (content: boolean) => {
      const { rows } = await hashing.compare(fixture.local, '/templates/lobby', { content });
      return rows.map(({ verdict }) => verdict);
    };
    expect(await verdicts(false)).toEqual(['same', 'remote newer']);
    expect(await verdicts(true)).toEqual(['different', 'same']);
  });
});

describe('the synchronisation of a local folder with a folder on the master', () => {
  it("needs the user's consent to write to this computer, but not to write to the master", async () => {
    const world = await setUp();
    await makeSides(world);
    const { fixture, syncs, contents, trashed, asked, person } = world;
    const before = await contents(fixture.local);
    const { comparison } = await syncs.compare(fixture.local, '/templates/lobby', { content: false });
    person.allows = false;
    await expect(
      syncs.start(comparison, { to: 'local', paths: ['there.txt', 'old.txt', 'new.txt'], deletes: true }),
    ).rejects.toMatchObject({ code: 'LOCAL_WRITE_DECLINED' });
    expect(asked).toEqual([{ folder: fixture.local, names: ['new.txt', 'old.txt', 'there.txt'] }]);
    expect(await contents(fixture.local)).toEqual(before);
    expect(trashed).toEqual([]);
    expect(fixture.transfers.list()).toEqual([]);
    await syncs.start(comparison, { to: 'remote', paths: ['new.txt'], deletes: false });
    expect(asked).toHaveLength(1);
    await fixture.ended();
  });

  it('makes the folder on the master equal to the local folder, and deletes other files only on request', async () => {
    const world = await setUp();
    await makeSides(world);
    const { fixture, syncs, contents, trashed } = world;
    const compare = async () =>
      (await syncs.compare(fixture.local, '/templates/lobby', { content: false })).comparison;
    const done = await syncs.start(await compare(), { to: 'remote', paths: all, deletes: false });
    expect(done).toEqual({ copied: 3, deleted: 0 });
    expect(await fixture.ended()).toMatchObject([{ state: 'done', direction: 'upload', files: { done: 3 } }]);
    const wanted = {
      'new.txt': 'new',
      'old.txt': 'old',
      'plugins/deep/here.jar': 'here',
      'same.txt': 'same',
    };
    expect(await contents(fixture.remote)).toEqual({ ...wanted, 'there.txt': 'there' });
    expect(await syncs.start(await compare(), { to: 'remote', paths: all, deletes: true })).toEqual({
      copied: 0,
      deleted: 1,
    });
    expect(await contents(fixture.remote)).toEqual(wanted);
    expect(trashed).toEqual([]);
    const { rows } = await syncs.compare(fixture.local, '/templates/lobby', { content: false });
    expect(new Set(rows.map(({ verdict }) => verdict))).toEqual(new Set(['same']));
  });

  it('makes the local folder equal to the folder on the master, and moves other files to the trash', async () => {
    const world = await setUp();
    await makeSides(world);
    const { fixture, syncs, contents, trashed } = world;
    const { comparison } = await syncs.compare(fixture.local, '/templates/lobby', { content: false });
    expect(await syncs.start(comparison, { to: 'local', paths: all, deletes: true })).toEqual({
      copied: 3,
      deleted: 1,
    });
    expect(await fixture.ended()).toMatchObject([
      { state: 'done', direction: 'download', files: { done: 3 } },
    ]);
    expect(trashed).toEqual([join(fixture.local, 'plugins/deep/here.jar')]);
    expect(await contents(fixture.local)).toEqual({
      '.overworld-0a.part': 'half',
      'new.txt': 'old',
      'old.txt': 'newer',
      'same.txt': 'same',
      'there.txt': 'there',
    });
  });

  it('skips and reports files that were changed after the comparison', async () => {
    const world = await setUp();
    await makeSides(world);
    const { fixture, syncs, contents, put } = world;
    const { comparison } = await syncs.compare(fixture.local, '/templates/lobby', { content: false });
    await put(fixture.remote, 'new.txt', 'changed there', T + 7);
    await put(fixture.local, 'old.txt', 'changed here', T + 7);
    await put(fixture.remote, 'there.txt', 'changed too', T + 7);
    await expect(syncs.start(comparison, { to: 'remote', paths: all, deletes: true })).rejects.toMatchObject({
      code: 'FILE_CHANGED',
      details: { path: 'there.txt' },
    });
    const [transfer] = await fixture.ended();
    expect(transfer).toMatchObject({ state: 'failed', error: { code: 'TRANSFER_FAILED' } });
    expect(transfer?.error?.message).toMatch(
      /2 of its files changed .*new\.txt.*old\.txt|old\.txt.*new\.txt/,
    );
    expect(await contents(fixture.remote)).toEqual({
      'new.txt': 'changed there',
      'old.txt': 'newer',
      'plugins/deep/here.jar': 'here',
      'same.txt': 'same',
      'there.txt': 'changed too',
    });
  });

  it.each(['remote', 'local'] as const)(
    'keeps a file if the other side got a file of the same name after the comparison (changes the %s side)',
    async (to) => {
      const world = await setUp();
      await makeSides(world);
      const { fixture, syncs, contents, put, trashed } = world;
      const { comparison } = await syncs.compare(fixture.local, '/templates/lobby', { content: false });
      const path = to === 'remote' ? 'there.txt' : 'plugins/deep/here.jar';
      await put(to === 'remote' ? fixture.local : fixture.remote, path, 'new', T + 7);
      await expect(syncs.start(comparison, { to, paths: [path], deletes: true })).rejects.toMatchObject({
        code: 'FILE_CHANGED',
        details: { path },
      });
      const side = to === 'remote' ? fixture.remote : fixture.local;
      if (to === 'remote') expect(await contents(side)).toHaveProperty([path]);
      expect(trashed).toEqual([]);
    },
  );

  it('takes files as missing here if a file has replaced their folder after the comparison', async () => {
    const world = await setUp();
    const { fixture, syncs, contents, put } = world;
    await put(fixture.local, 'plugins/here.jar', 'here');
    await put(fixture.remote, 'plugins/there.jar', 'there');
    const { comparison } = await syncs.compare(fixture.local, '/templates/lobby', { content: false });
    await rm(join(fixture.local, 'plugins'), { recursive: true });
    await put(fixture.local, 'plugins', 'a file');
    const paths = ['plugins/here.jar', 'plugins/there.jar'];
    const done = await syncs.start(comparison, { to: 'remote', paths, deletes: true });
    expect(done).toEqual({ copied: 1, deleted: 1 });
    const [transfer] = await fixture.ended();
    expect(transfer?.error?.message).toContain('changed after the comparison');
    expect(await contents(fixture.remote)).toEqual({});
  });

  it('continues after a restart of the app, and transfers exactly the selected files', async () => {
    const { fixture, put, syncs, contents } = await setUp();
    for (const name of ['a', 'b', 'c']) await put(fixture.local, name, name.repeat(30_000_000));
    const { comparison } = await syncs.compare(fixture.local, '/templates/lobby', { content: false });
    await syncs.start(comparison, { to: 'remote', paths: ['a', 'c'], deletes: false });
    await fixture.moved(20_000_000);
    await fixture.transfers.close();
    await fixture.openApp();
    expect(await fixture.ended()).toMatchObject([{ state: 'done', files: { done: 2, total: 2 } }]);
    expect(Object.keys(await contents(fixture.remote))).toEqual(['a', 'c']);
    expect(fixture.relay.passed.up).toBeLessThan(72_000_000);
    // Clearing a transfer also removes its stored list of files.
    fixture.transfers.clear();
    await fixture.transfers.close();
    expect(await readdir(fixture.journalFolder)).toEqual(['queue.json']);
  });

  it('transfers different content of the same size and time even after an interruption', async () => {
    const { fixture, put, hashing, contents } = await setUp();
    await put(fixture.local, 'a', 'mine!!');
    await put(fixture.remote, 'a', 'theirs');
    const { comparison } = await hashing.compare(fixture.local, '/templates/lobby', { content: true });
    const start = { to: 'remote', paths: ['a'], deletes: false } as const;
    await fixture.pauseAtFirstFile(() => hashing.start(comparison, start));
    fixture.transfers.resume(null);
    expect(await fixture.ended()).toMatchObject([{ state: 'done', files: { done: 1, total: 1 } }]);
    expect(await contents(fixture.remote)).toMatchObject({ a: 'mine!!' });
  });

  it('names the file that this computer cannot move to the trash', async () => {
    const { fixture, put, syncs, failing } = await setUp();
    await put(fixture.local, 'a', 'mine');
    const { comparison } = await syncs.compare(fixture.local, '/templates/lobby', { content: false });
    failing.trash = new Error('this disk has no trash');
    await expect(syncs.start(comparison, { to: 'local', paths: ['a'], deletes: true })).rejects.toMatchObject(
      {
        code: 'LOCAL_FILE_UNREADABLE',
        details: { path: join(fixture.local, 'a'), why: 'this disk has no trash' },
      },
    );
  });

  it('is refused on another master, and one hour after the comparison', async () => {
    const world = await setUp();
    await makeSides(world);
    const { fixture, syncs, later } = world;
    const { comparison } = await syncs.compare(fixture.local, '/templates/lobby', { content: false });
    await fixture.cut();
    await fixture.connect('away');
    const start = () => syncs.start(comparison, { to: 'remote', paths: all, deletes: false });
    await expect(start()).rejects.toMatchObject({ code: 'NOT_CONNECTED' });
    later(60 * 60_000);
    await expect(start()).rejects.toMatchObject({ code: 'PLAN_EXPIRED' });
    expect(fixture.transfers.list()).toEqual([]);
  });
});
