import { randomBytes } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { transferSchema, type Transfer } from '#shared/ipc/contract.ts';
import { openSsh } from '#main/connections/ssh.ts';
import { deleteEntries, makeFolder, renameEntry } from '#main/transfers/operations/file-operations.ts';
import { Plans, toSources } from '#main/transfers/queue/plans.ts';
import { RemoteSession } from '#main/transfers/remote/remote-session.ts';
import { TransferJournal } from '#main/transfers/queue/transfer-journal.ts';
import { Transfers } from '#main/transfers/queue/transfers.ts';
import { startAdminMaster } from '#test/support/master/admin-master.ts';
import { toIdentity } from '#test/support/identity.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const log = pino({ level: 'silent' });
const NEVER = new AbortController().signal;

/** Creates a real master's SFTP server, the app's transfer queue connected to it, and a local folder. */
async function setUp() {
  const master = await startAdminMaster();
  onTestFinished(() => master.close());
  const remote = join(master.data, 'templates', 'lobby');
  await mkdir(remote, { recursive: true });
  const identity = toIdentity(await master.authorize('operator'));
  const target = { host: master.server.host, port: master.server.port, pin: master.hostKey.fingerprint };
  const { client } = await openSsh(target, identity, NEVER);
  onTestFinished(() => void client.destroy());
  const session = new RemoteSession({ ssh: () => client, connection: () => 'embedded', log });
  const plans = new Plans({ origin: 'test' });
  const pushes: Transfer[][] = [];
  const transfers = await Transfers.open({
    ...{ session, plans, log },
    journal: new TransferJournal(temporaryFolder(), log),
    origin: 'test',
    sources: { trash: (path) => rm(path, { recursive: true }), hashesOf: () => Promise.resolve(null) },
    limit: 3,
    connections: () => new Set(['embedded']),
    onChange: (list) => pushes.push(list),
  });
  const ended = async () => {
    await waitFor(() => transfers.list().every(({ endedAt }) => endedAt !== null), { what: 'all to end' });
    return transfers.list().map((transfer) => transferSchema.parse(transfer));
  };
  return {
    master,
    remote,
    local: temporaryFolder(),
    session,
    plans,
    transfers,
    pushes,
    ended,
    upload: async (paths: readonly string[], choice: 'overwrite' | 'skip' | 'rename' = 'overwrite') => {
      const plan = await plans.planUpload(
        await session.files(),
        { folder: '/templates/lobby' },
        toSources(paths),
      );
      await transfers.start(plan.plan ?? '', { rest: choice, each: {} });
      return { plan, transfers: await ended() };
    },
  };
}

/**
 * Creates a folder with edge cases: empty files and folders, unusual names, modes, a link, and a file that is sent
 * in several pieces.
 */
async function makeWorld(folder: string): Promise<string> {
  const world = join(folder, 'world');
  await mkdir(join(world, 'region', 'deep', 'deeper'), { recursive: true });
  await mkdir(join(world, 'empty folder'));
  await writeFile(join(world, 'empty'), '');
  await writeFile(join(world, 'ünï “code” (2).txt'), 'ä');
  await writeFile(join(world, 'region', 'r.0.0.mca'), randomBytes(3_000_001));
  for (let n = 0; n < 60; n++) {
    await writeFile(join(world, 'region', 'deep', `f${n}.dat`), randomBytes(n * 37));
  }
  await writeFile(join(world, 'region', 'deep', 'deeper', 'run.sh'), '#!/bin/sh\n');
  await chmod(join(world, 'region', 'deep', 'deeper', 'run.sh'), 0o751);
  await utimes(join(world, 'empty'), 1_600_000_000, 1_600_000_000);
  await symlink('/etc/passwd', join(world, 'link'));
  return world;
}

/** Returns mode, modification time (s) and content of everything below a folder, by path. */
async function contentOf(folder: string): Promise<Map<string, string>> {
  const found = new Map<string, string>();
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const key = path.slice(folder.length);
    if (entry.isDirectory()) found.set(key, 'folder');
    else if (entry.isFile()) {
      const { mode, mtimeMs } = await stat(path);
      const digest = (await readFile(path)).toString('base64');
      found.set(key, `${(mode & 0o777).toString(8)} ${Math.floor(mtimeMs / 1000)} ${digest}`);
    }
  }
  return found;
}

describe('an upload', () => {
  it('creates the file with content, mode and time, and reports the progress', async () => {
    const { local, remote, upload, pushes } = await setUp();
    const jar = join(local, 'server.jar');
    await writeFile(jar, randomBytes(8_000_003));
    await chmod(jar, 0o640);
    await utimes(jar, 1_650_000_000, 1_650_000_000);
    const { plan, transfers } = await upload([jar]);
    expect(plan).toMatchObject({ files: 1, bytes: 8_000_003, conflicts: [] });
    expect(transfers).toMatchObject([
      {
        state: 'done',
        remotePath: '/templates/lobby/server.jar',
        files: { done: 1, total: 1 },
        bytes: { done: 8_000_003, total: 8_000_003 },
        bytesPerSecond: 0,
        error: null,
      },
    ]);
    expect(await contentOf(remote)).toEqual(await contentOf(local));
    const progress = pushes.map(([transfer]) => transfer?.bytes.done ?? 0);
    expect(progress).toEqual([...progress].sort((a, b) => a - b));
  });

  it('copies a folder with its content except links', async () => {
    const { local, remote, upload } = await setUp();
    const world = await makeWorld(local);
    const { transfers } = await upload([world]);
    expect(transfers).toMatchObject([{ state: 'done', name: 'world', files: { done: 64, total: 64 } }]);
    expect(await contentOf(remote)).toEqual(await contentOf(local));
  });

  it('asks what to do with files that already exist, and then overwrites, skips or renames them', async () => {
    const { local, remote, upload } = await setUp();
    const eula = join(local, 'eula.txt');
    await writeFile(join(remote, 'eula.txt'), 'old');
    await writeFile(eula, 'new');
    expect((await upload([eula], 'skip')).plan.conflicts).toMatchObject([
      {
        name: 'eula.txt',
        kind: 'file',
        source: { bytes: 3, files: 1 },
        target: { kind: 'file', bytes: 3 },
        resumable: false,
      },
    ]);
    expect(await readFile(join(remote, 'eula.txt'), 'utf8')).toBe('old');
    await upload([eula], 'rename');
    expect(await readFile(join(remote, 'eula (2).txt'), 'utf8')).toBe('new');
    expect(await readFile(join(remote, 'eula.txt'), 'utf8')).toBe('old');
    await upload([eula], 'overwrite');
    expect(await readFile(join(remote, 'eula.txt'), 'utf8')).toBe('new');
    expect((await readdir(remote)).sort()).toEqual(['eula (2).txt', 'eula.txt']);
  });

  it('adds files to an existing folder without changing its other files', async () => {
    const { local, remote, upload } = await setUp();
    await mkdir(join(remote, 'plugins'));
    await writeFile(join(remote, 'plugins', 'other.jar'), 'other');
    await writeFile(join(remote, 'plugins', 'a.jar'), 'old');
    await mkdir(join(local, 'plugins'));
    await writeFile(join(local, 'plugins', 'a.jar'), 'new');
    await upload([join(local, 'plugins')]);
    expect(await readFile(join(remote, 'plugins', 'a.jar'), 'utf8')).toBe('new');
    expect(await readFile(join(remote, 'plugins', 'other.jar'), 'utf8')).toBe('other');
  });

  it("never overwrites a file that was created after the user's decision", async () => {
    const { local, remote, session, plans, transfers, ended } = await setUp();
    const file = join(local, 'big.bin');
    await writeFile(file, randomBytes(30_000_000));
    const plan = await plans.planUpload(
      await session.files(),
      { folder: '/templates/lobby' },
      toSources([file]),
    );
    await transfers.start(plan.plan ?? '', { rest: 'overwrite', each: {} });
    await waitFor(async () => (await readdir(remote)).length > 0);
    await writeFile(join(remote, 'big.bin'), 'theirs');
    expect(await ended()).toMatchObject([{ state: 'failed', error: { code: 'FILE_EXISTS' } }]);
    expect(await readFile(join(remote, 'big.bin'), 'utf8')).toBe('theirs');
    expect(await readdir(remote)).toEqual(['big.bin']);
  });

  it('gives a file its final name only after the file is complete', async () => {
    const { local, remote, session, plans, transfers, ended } = await setUp();
    const file = join(local, 'server.jar');
    await writeFile(file, randomBytes(60_000_000));
    await writeFile(join(remote, 'server.jar'), 'old');
    const plan = await plans.planUpload(
      await session.files(),
      { folder: '/templates/lobby' },
      toSources([file]),
    );
    await transfers.start(plan.plan ?? '', { rest: 'overwrite', each: {} });
    const running = await waitFor(() => transfers.list().find(({ bytes }) => bytes.done > 1_000_000));
    expect((await readdir(remote)).filter((name) => /^\.overworld-\w+\.part$/.test(name))).toHaveLength(1);
    expect((await (await session.files()).list('/templates/lobby')).map(({ name }) => name)).toEqual([
      'server.jar',
    ]);
    transfers.cancel(running.id);
    expect(await ended()).toMatchObject([{ state: 'cancelled', error: null }]);
    expect(await readdir(remote)).toEqual(['server.jar']);
    expect(await readFile(join(remote, 'server.jar'), 'utf8')).toBe('old');
    await transfers.retry(running.id);
    expect(await ended()).toMatchObject([{ state: 'done' }]);
    expect((await readFile(join(remote, 'server.jar'))).equals(await readFile(file))).toBe(true);
  });

  it('of many files runs at most three transfers at a time', async () => {
    const { local, upload, pushes } = await setUp();
    const files = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const path = join(local, `f${n}.bin`);
        await writeFile(path, randomBytes(2_000_000));
        return path;
      }),
    );
    const { transfers } = await upload(files);
    expect(transfers.map(({ state }) => state)).toEqual(Array.from({ length: 8 }, () => 'done'));
    const running = pushes.map((list) => list.filter(({ state }) => state === 'running').length);
    expect(Math.max(...running)).toBe(3);
  });

  it('is rejected for a missing local file, a missing target folder, or an unknown plan', async () => {
    const { local, session, plans, transfers } = await setUp();
    const files = await session.files();
    await expect(
      plans.planUpload(files, { folder: '/templates/lobby' }, toSources([join(local, 'gone')])),
    ).rejects.toMatchObject({ code: 'LOCAL_FILE_UNREADABLE' });
    await expect(
      plans.planUpload(files, { folder: '/templates/none' }, toSources([local])),
    ).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
    await expect(transfers.start('made-up', { rest: 'overwrite', each: {} })).rejects.toMatchObject({
      code: 'PLAN_EXPIRED',
    });
  });
});

describe('the plan of a transfer', () => {
  it('expires after 15 minutes, and can be started only once', async () => {
    const { local, session } = await setUp();
    await writeFile(join(local, 'a'), 'a');
    let now = 0;
    const plans = new Plans({ origin: 'test', now: () => now });
    const files = await session.files();
    const make = async () =>
      (await plans.planUpload(files, { folder: '/templates/lobby' }, toSources([join(local, 'a')]))).plan ??
      '';
    const first = await make();
    expect(plans.take(first).items).toMatchObject([{ name: 'a', files: 1, bytes: 1 }]);
    expect(() => plans.take(first)).toThrow();
    const second = await make();
    now = 16 * 60_000;
    expect(() => plans.take(second)).toThrow();
  });

  it('renames the second of two files with the same name from different folders', async () => {
    const { local, remote, upload } = await setUp();
    for (const folder of ['one', 'two']) {
      await mkdir(join(local, folder));
      await writeFile(join(local, folder, 'config.yml'), folder);
    }
    await upload([join(local, 'one', 'config.yml'), join(local, 'two', 'config.yml')]);
    expect(await readFile(join(remote, 'config.yml'), 'utf8')).toBe('one');
    expect(await readFile(join(remote, 'config (2).yml'), 'utf8')).toBe('two');
  });
});

describe('a download', () => {
  it('copies a folder with its content except links', async () => {
    const { local, remote, session, plans, transfers, ended } = await setUp();
    await makeWorld(remote);
    const plan = await plans.planDownload(await session.files(), ['/templates/lobby/world'], {
      folder: local,
    });
    expect(plan).toMatchObject({ files: 64, conflicts: [] });
    await transfers.start(plan.plan ?? '', { rest: 'overwrite', each: {} });
    expect(await ended()).toMatchObject([{ direction: 'download', state: 'done', files: { done: 64 } }]);
    expect(await contentOf(local)).toEqual(await contentOf(remote));
  });

  it('lists in advance which names it will write: top-level names, and hidden files in existing folders', async () => {
    const { local, remote, session, plans } = await setUp();
    for (const folder of ['repo/.git/hooks', 'new/.git'])
      await mkdir(join(remote, folder), { recursive: true });
    for (const file of ['repo/.git/hooks/post-checkout', 'repo/a.txt', 'new/.git/config', '.env'])
      await writeFile(join(remote, file), 'x');
    await mkdir(join(local, 'repo'));
    const paths = ['repo', 'new', '.env'].map((name) => `/templates/lobby/${name}`);
    const plan = await plans.planDownload(await session.files(), paths, { folder: local });
    expect(plans.writesOf(plan)).toEqual(['repo', 'repo/.git/hooks/post-checkout', 'new', '.env']);
  });

  it('creates no file that other users of this computer can change, whatever the mode on the master is', async () => {
    const { local, remote, session, plans, transfers, ended } = await setUp();
    await mkdir(join(remote, 'open'));
    await writeFile(join(remote, 'open', 'run.sh'), '#!/bin/sh\n');
    await chmod(join(remote, 'open'), 0o777);
    await chmod(join(remote, 'open', 'run.sh'), 0o777);
    const plan = await plans.planDownload(await session.files(), ['/templates/lobby/open'], {
      folder: local,
    });
    await transfers.start(plan.plan ?? '', { rest: 'overwrite', each: {} });
    expect(await ended()).toMatchObject([{ state: 'done' }]);
    for (const path of ['open', join('open', 'run.sh')]) {
      expect((await stat(join(local, path))).mode & 0o777).toBe(0o755);
    }
  });

  it('asks what to do with local files that already exist, and leaves no unfinished file after a cancellation', async () => {
    const { local, remote, session, plans, transfers, ended } = await setUp();
    await writeFile(join(remote, 'world.zip'), randomBytes(60_000_000));
    await writeFile(join(local, 'world.zip'), 'mine');
    const plan = await plans.planDownload(await session.files(), ['/templates/lobby/world.zip'], {
      folder: local,
    });
    expect(plan.conflicts).toMatchObject([
      { name: 'world.zip', kind: 'file', target: { bytes: 4 }, resumable: false },
    ]);
    await transfers.start(plan.plan ?? '', { rest: 'overwrite', each: {} });
    const running = await waitFor(() => transfers.list().find(({ bytes }) => bytes.done > 1_000_000));
    transfers.cancel(running.id);
    await transfers.close();
    expect(await ended()).toMatchObject([{ state: 'cancelled' }]);
    expect(await readdir(local)).toEqual(['world.zip']);
    expect(await readFile(join(local, 'world.zip'), 'utf8')).toBe('mine');
  });
});

describe('the file operations on the master', () => {
  it('list folders before files, both sorted by name, with type, size and mode', async () => {
    const { remote, session } = await setUp();
    await mkdir(join(remote, 'plugins'));
    await writeFile(join(remote, 'b10.txt'), '1234');
    await writeFile(join(remote, 'b9.txt'), '');
    await chmod(join(remote, 'b10.txt'), 0o604);
    const entries = await (await session.files()).list('/templates/lobby');
    expect(entries.map(({ name, kind, bytes }) => `${kind} ${name} ${kind === 'file' ? bytes : ''}`)).toEqual(
      ['folder plugins ', 'file b9.txt 0', 'file b10.txt 4'],
    );
    expect(entries[2]).toMatchObject({ path: '/templates/lobby/b10.txt', mode: 0o604 });
  });

  it('create, rename and delete files, and explain why an operation fails', async () => {
    const { remote, session } = await setUp();
    const files = await session.files();
    await makeFolder(files, '/templates/lobby/a');
    await expect(makeFolder(files, '/templates/lobby/a')).rejects.toMatchObject({ code: 'FILE_EXISTS' });
    await expect(makeFolder(files, '/templates/lobby/..')).rejects.toMatchObject({
      code: 'FILE_NAME_INVALID',
    });
    await writeFile(join(remote, 'f'), '');
    await expect(renameEntry(files, '/templates/lobby/f', '/templates/lobby/a')).rejects.toMatchObject({
      code: 'FILE_EXISTS',
    });
    await expect(renameEntry(files, '/templates/lobby/x', '/templates/lobby/y')).rejects.toMatchObject({
      code: 'FILE_NOT_FOUND',
    });
    await renameEntry(files, '/templates/lobby/a', '/templates/lobby/b');
    expect((await readdir(remote)).sort()).toEqual(['b', 'f']);
    await deleteEntries(files, ['/templates/lobby/b', '/templates/lobby/f', '/templates/lobby/gone']);
    expect(await readdir(remote)).toEqual([]);
    await expect(files.list('/templates/lobby/b')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  it('delete a folder with its content, but not the targets of links', async () => {
    const { remote, local, session } = await setUp();
    await makeWorld(remote);
    await writeFile(join(local, 'precious'), 'keep');
    await symlink(local, join(remote, 'world', 'out'));
    await writeFile(join(remote, 'world', '.overworld-0a.part'), 'rest');
    await deleteEntries(await session.files(), ['/templates/lobby/world']);
    expect(await readdir(remote)).toEqual([]);
    expect(await readdir(local)).toEqual(['precious']);
  });
});
