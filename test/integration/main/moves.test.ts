import { randomBytes, randomUUID } from 'node:crypto';
import {
  access,
  chmod,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { methods } from '#shared/rpc/contract.ts';
import { filesHandlers } from '#master/admin/handlers/files.ts';
import { Tasks } from '#master/files/tasks/tasks.ts';
import { toHashesOf } from '#main/sync/sides.ts';
import { connect, openRpc } from '#test/support/master/admin-master.ts';
import { openTransferFixture } from '#test/support/files/transfer-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

type Stage = Awaited<ReturnType<typeof openTransferFixture>>;

/** Returns the texts of all files below a folder by path. The paths of folders end with a slash. */
async function contentsOf(folder: string): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const key = path.slice(folder.length + 1);
    if (entry.isDirectory()) found[`${key}/`] = '';
    else found[key] = entry.isSymbolicLink() ? 'a link' : (await readFile(path)).toString('base64');
  }
  return found;
}

async function makeWorld(
  folder: string,
  { bytes = 300_000, chunks = 20 }: { readonly bytes?: number; readonly chunks?: number } = {},
): Promise<Record<string, string>> {
  await mkdir(join(folder, 'world', 'region'), { recursive: true });
  await mkdir(join(folder, 'world', 'empty'));
  await writeFile(join(folder, 'world', 'level.dat'), 'level');
  await writeFile(join(folder, 'world', 'region', 'r.0.0.mca'), randomBytes(bytes));
  for (let n = 0; n < chunks; n++)
    await writeFile(join(folder, 'world', 'region', `c.${n}`), randomBytes(n % 20));
  await utimes(join(folder, 'world', 'level.dat'), 1_650_000_000, 1_650_000_000);
  return contentsOf(folder);
}

/** Creates a fixture that asks the real master for file hashes, as the app does. */
async function hashing(): Promise<Stage> {
  const fixture = await openTransferFixture({
    handlers: (jobs) =>
      filesHandlers({
        ...{ jobs, events: { add: () => undefined }, viewersRead: () => false, tasks: new Tasks() },
      }),
  });
  const api = await openRpc(await connect(fixture.master, fixture.person));
  onTestFinished(() => api.dispose());
  fixture.sources.hashesOf = toHashesOf(async (folder, { hashes }) =>
    methods['files.manifest'].result.parse(
      await api.sendRequest('files.manifest', { folder, hashes, task: randomUUID() }),
    ),
  );
  return fixture;
}

describe('moving files from this computer to the master', () => {
  it('transfers a file even if the master has a file of the same size and time', async () => {
    const fixture = await openTransferFixture();
    const [mine, theirs] = [join(fixture.local, 'note.txt'), join(fixture.remote, 'note.txt')];
    await writeFile(mine, 'mine!!');
    await writeFile(theirs, 'theirs');
    for (const path of [mine, theirs]) await utimes(path, 1_650_000_000, 1_650_000_000);
    await fixture.moveThere([mine], 'resume');
    expect(await fixture.ended()).toMatchObject([{ state: 'done' }]);
    expect(await readFile(theirs, 'utf8')).toBe('mine!!');
    expect(fixture.trash.paths).toEqual([mine]);
  });

  it('moves the local folder to the trash as a whole after all files have arrived', async () => {
    const fixture = await hashing();
    const world = await makeWorld(fixture.local);
    await fixture.moveThere([join(fixture.local, 'world')]);
    expect(await fixture.ended()).toMatchObject([
      { state: 'done', move: true, step: 'removing', files: { done: 22, total: 22 }, error: null },
    ]);
    expect(await contentsOf(fixture.remote)).toEqual(world);
    expect((await stat(join(fixture.remote, 'world', 'level.dat'))).mtimeMs).toBe(1_650_000_000_000);
    expect(await readdir(fixture.local)).toEqual([]);
    expect(fixture.trash.paths).toEqual([join(fixture.local, 'world')]);
    expect(await contentsOf(join(fixture.trash.folder, '0 world'))).toMatchObject({
      'level.dat': 'bGV2ZWw=',
    });
  });

  it('keeps local files that were not transferred: links, and files that the user has skipped', async () => {
    const fixture = await openTransferFixture();
    await makeWorld(fixture.local);
    await symlink('level.dat', join(fixture.local, 'world', 'link'));
    await mkdir(join(fixture.remote, 'world', 'region'), { recursive: true });
    await writeFile(join(fixture.remote, 'world', 'region', 'c.1'), 'theirs');
    await fixture.moveThere([join(fixture.local, 'world')], 'skip');
    expect(await fixture.ended()).toMatchObject([
      { state: 'done', skipped: 2, files: { done: 21, total: 21 } },
    ]);
    expect(Object.keys(await contentsOf(fixture.local)).sort()).toEqual([
      'world/',
      'world/link',
      'world/region/',
      'world/region/c.1',
    ]);
    expect(await readFile(join(fixture.remote, 'world', 'region', 'c.1'), 'utf8')).toBe('theirs');
  });

  it('removes no local files if the copies differ in size or content', async () => {
    const fixture = await hashing();
    const world = await makeWorld(fixture.local);
    const { hashesOf } = fixture.sources;
    // Simulate a faulty disk: the content of a file differs from the content that was written.
    fixture.sources.hashesOf = async (folder) => {
      await writeFile(join(fixture.remote, 'world', 'level.dat'), 'LEVEL');
      return hashesOf(folder);
    };
    await fixture.moveThere([join(fixture.local, 'world')]);
    const [failed] = await fixture.ended();
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'TRANSFER_FAILED' } });
    expect(failed?.error?.message).toContain('level.dat has different content there');
    expect(await contentsOf(fixture.local)).toEqual(world);
    expect(fixture.trash.paths).toEqual([]);
    // The disk works again, so a retry moves the file.
    await utimes(join(fixture.remote, 'world', 'level.dat'), 1, 1);
    fixture.sources.hashesOf = hashesOf;
    await fixture.transfers.retry(failed?.id ?? '');
    expect(await fixture.ended()).toMatchObject([{ state: 'done' }]);
    expect(await contentsOf(fixture.remote)).toEqual(world);
  });

  it('removes no local files if one of them was changed after it was copied', async () => {
    const fixture = await openTransferFixture();
    await makeWorld(fixture.local, { bytes: 60_000_000 });
    await fixture.moveThere([join(fixture.local, 'world')]);
    await waitFor(() =>
      access(join(fixture.remote, 'world', 'level.dat')).then(
        () => true,
        () => false,
      ),
    );
    await writeFile(join(fixture.local, 'world', 'level.dat'), 'changed while it was moved');
    const world = await contentsOf(fixture.local);
    const [failed] = await fixture.ended();
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'TRANSFER_FAILED' } });
    expect(failed?.error?.message).toContain('level.dat was changed while it was moved');
    expect(await contentsOf(fixture.local)).toEqual(world);
  });

  it('keeps a file that was added to the local folder during the comparison', async () => {
    const fixture = await openTransferFixture();
    await makeWorld(fixture.local);
    await writeFile(join(fixture.local, 'server.jar'), 'jar');
    fixture.sources.hashesOf = async () => {
      await writeFile(join(fixture.local, 'world', 'region', 'new'), 'new');
      return null;
    };
    await fixture.moveThere([join(fixture.local, 'world'), join(fixture.local, 'server.jar')]);
    expect((await fixture.ended()).map(({ state }) => state)).toEqual(['done', 'done']);
    expect(Object.keys(await contentsOf(fixture.local)).sort()).toEqual([
      'world/',
      'world/region/',
      'world/region/new',
    ]);
    expect(fixture.trash.paths).toContain(join(fixture.local, 'server.jar'));
    expect(await readFile(join(fixture.remote, 'server.jar'), 'utf8')).toBe('jar');
  });

  it('reports a file that cannot be moved to the trash, and continues after another attempt', async () => {
    const fixture = await openTransferFixture();
    const world = await makeWorld(fixture.local);
    const { trash } = fixture.sources;
    fixture.sources.trash = () => Promise.reject(new Error('this disk has no trash'));
    await fixture.moveThere([join(fixture.local, 'world')]);
    const [failed] = await fixture.ended();
    expect(failed?.error).toMatchObject({ code: 'SOURCE_REMAINS' });
    expect(failed?.error?.message).toContain('this disk has no trash');
    expect(await contentsOf(fixture.local)).toEqual(world);
    expect(await contentsOf(fixture.remote)).toEqual(world);
    fixture.sources.trash = trash;
    await fixture.transfers.retry(failed?.id ?? '');
    expect(await fixture.ended()).toMatchObject([{ state: 'done', bytes: { done: 300_195 } }]);
    expect(await readdir(fixture.local)).toEqual([]);
  });

  it('is refused for a link, and for a file in a read-only folder', async () => {
    const fixture = await openTransferFixture();
    await makeWorld(fixture.local);
    await symlink('world', join(fixture.local, 'link'));
    await expect(fixture.moveThere([join(fixture.local, 'link')])).rejects.toMatchObject({
      code: 'FILE_FORBIDDEN',
    });
    if (process.getuid?.() === 0) return;
    await chmod(fixture.local, 0o555);
    onTestFinished(() => chmod(fixture.local, 0o755));
    await expect(fixture.moveThere([join(fixture.local, 'world')])).rejects.toMatchObject({
      code: 'LOCAL_FILE_UNREADABLE',
    });
  });
});

describe('moving files from the master to this computer', () => {
  it('deletes the files on the master after all of them have arrived', async () => {
    const fixture = await hashing();
    const world = await makeWorld(fixture.remote);
    await writeFile(join(fixture.remote, 'server.jar'), 'jar');
    await fixture.moveHere(['/templates/lobby/world', '/templates/lobby/server.jar']);
    expect(await fixture.ended()).toMatchObject([
      { state: 'done', files: { done: 22, total: 22 } },
      { state: 'done', files: { done: 1, total: 1 } },
    ]);
    expect(await contentsOf(fixture.local)).toEqual({ ...world, 'server.jar': 'amFy' });
    expect(await readdir(fixture.remote)).toEqual([]);
  });

  it('keeps a folder on the master if a file was added to it during the move', async () => {
    const fixture = await openTransferFixture();
    await makeWorld(fixture.remote);
    fixture.sources.hashesOf = async () => {
      // Listings do not contain partial files of other people's uploads.
      await writeFile(join(fixture.remote, 'world', 'region', 'new.jar.part'), 'half');
      return null;
    };
    await fixture.moveHere(['/templates/lobby/world']);
    expect(await fixture.ended()).toMatchObject([{ state: 'done' }]);
    expect(Object.keys(await contentsOf(fixture.remote)).sort()).toEqual([
      'world/',
      'world/region/',
      'world/region/new.jar.part',
    ]);
  });
});

describe('a file that is moved onto itself because the master runs on this computer', () => {
  it.each(['to the master', 'to this computer'])('is not deleted by a move %s', async (where) => {
    const fixture = await openTransferFixture();
    const world = await makeWorld(fixture.remote);
    if (where === 'to the master') await fixture.moveThere([join(fixture.remote, 'world')], 'overwrite');
    else {
      const to = { folder: fixture.remote, move: true };
      const plan = await fixture.plans.planDownload(
        await fixture.session.files(),
        ['/templates/lobby/world'],
        to,
      );
      await fixture.transfers.start(plan.plan ?? '', { rest: 'overwrite', each: {} });
    }
    expect(await fixture.ended()).toMatchObject([{ state: 'failed', error: { code: 'FILE_FORBIDDEN' } }]);
    expect(await contentsOf(fixture.remote)).toEqual(world);
    expect(fixture.trash.paths).toEqual([]);
  });
});

describe('a move of files that continues after an interruption', () => {
  it.each(['cancelled', 'failed'] as const)(
    'keeps all original files if the state of the transfer is %s',
    async (how) => {
      const fixture = await openTransferFixture(how === 'failed' ? { diskMb: 8 } : {});
      const world = await makeWorld(fixture.local, { bytes: 40_000_000 });
      await fixture.moveThere([join(fixture.local, 'world')]);
      await fixture.moved(1_000_000);
      if (how === 'cancelled') fixture.transfers.cancel(fixture.transfers.list()[0]?.id ?? '');
      expect(await fixture.ended()).toMatchObject([{ state: how }]);
      expect(await contentsOf(fixture.local)).toEqual(world);
      expect(fixture.trash.paths).toEqual([]);
    },
  );

  it('continues after the app was killed while files were being copied', async () => {
    const fixture = await openTransferFixture();
    const world = await makeWorld(fixture.local, { bytes: 60_000_000 });
    await fixture.moveThere([join(fixture.local, 'world')]);
    await fixture.moved(5_000_000);
    await fixture.crash();
    expect(await contentsOf(fixture.local)).toEqual(world);
    await fixture.connect();
    await fixture.openApp();
    expect(await fixture.ended()).toMatchObject([{ state: 'done', move: true }]);
    expect(await contentsOf(fixture.remote)).toEqual(world);
    expect(await readdir(fixture.local)).toEqual([]);
  });

  it('keeps original files that were changed on the master while the app was not running', async () => {
    const fixture = await openTransferFixture();
    const world = await makeWorld(fixture.remote, { chunks: 2000 });
    await fixture.moveHere(['/templates/lobby/world']);
    // The first file is deleted, and the deletion of the other files is in progress.
    await waitFor(async () => !(await readdir(join(fixture.remote, 'world'))).includes('level.dat'));
    await fixture.crash();
    const left = (await readdir(join(fixture.remote, 'world', 'region'))).filter((name) =>
      name.startsWith('c.'),
    );
    expect(left.length, 'it was killed in the middle').toBeGreaterThan(1);
    const [changed = ''] = left;
    await writeFile(join(fixture.remote, 'world', 'region', changed), 'changed by someone else');
    await fixture.connect();
    await fixture.openApp();
    const [ended] = await fixture.ended();
    expect(ended).toMatchObject({ state: 'failed', error: { code: 'SOURCE_REMAINS' } });
    expect(Object.keys(await contentsOf(fixture.remote))).toEqual([
      'world/',
      'world/region/',
      `world/region/${changed}`,
    ]);
    expect(await contentsOf(fixture.local)).toEqual(world);
  });

  it('is complete if the app was killed after it had removed the last original file', async () => {
    const fixture = await openTransferFixture();
    const world = await makeWorld(fixture.local);
    const { trash } = fixture.sources;
    let crashed: Promise<void> | null = null;
    fixture.sources.trash = async (path) => {
      await trash(path);
      crashed ??= fixture.crash();
      // This promise never resolves, because the app counts as killed now.
      await new Promise(() => undefined);
    };
    await fixture.moveThere([join(fixture.local, 'world')]);
    // Wait until the killed app's connection is closed. Otherwise, the next connection would be closed instead.
    await waitFor(() => crashed !== null && !fixture.isConnected);
    fixture.sources.trash = trash;
    await rm(join(fixture.local, 'world'), { recursive: true, force: true });
    await fixture.connect();
    await fixture.openApp();
    expect(await fixture.ended()).toMatchObject([{ state: 'done', error: null }]);
    expect(await contentsOf(fixture.remote)).toEqual(world);
    await expect(access(join(fixture.local, 'world'))).rejects.toThrow('ENOENT');
  });

  /** Moves a world with a link, and pauses the move after it has removed one original file of several. */
  async function pauseWhileRemoving(): Promise<{ readonly fixture: Stage; readonly id: string }> {
    const fixture = await openTransferFixture();
    await makeWorld(fixture.local);
    await symlink('level.dat', join(fixture.local, 'world', 'link'));
    const { trash } = fixture.sources;
    fixture.sources.trash = async (path) => {
      await trash(path);
      fixture.transfers.pause(null);
    };
    await fixture.moveThere([join(fixture.local, 'world')]);
    const { id } = await fixture.state('paused');
    await waitFor(() => fixture.trash.paths.length > 0);
    fixture.sources.trash = trash;
    return { fixture, id };
  }

  it('can be paused and resumed while it removes original files', async () => {
    const { fixture } = await pauseWhileRemoving();
    fixture.transfers.resume(null);
    expect(await fixture.ended()).toMatchObject([{ state: 'done', step: 'removing' }]);
    expect(await contentsOf(fixture.local)).toEqual({ 'world/': '', 'world/link': 'a link' });
  });

  it('cannot be cancelled once it removes original files, even while it is paused or waits', async () => {
    const { fixture, id } = await pauseWhileRemoving();
    fixture.transfers.cancel(id);
    expect(fixture.transfers.list()).toMatchObject([{ state: 'paused', step: 'removing' }]);
    await fixture.cut();
    fixture.transfers.resume(id);
    fixture.transfers.cancel(id);
    expect(fixture.transfers.list()).toMatchObject([{ state: 'waiting', step: 'removing' }]);
    await fixture.connect();
    expect(await fixture.ended()).toMatchObject([{ state: 'done' }]);
    expect(await contentsOf(fixture.local)).toEqual({ 'world/': '', 'world/link': 'a link' });
  });

  it('is stored as a move that removes its source before it removes the first original file', async () => {
    const fixture = await openTransferFixture();
    await makeWorld(fixture.local);
    let stored = '';
    const { trash } = fixture.sources;
    fixture.sources.trash = async (path) => {
      stored = await readFile(join(fixture.journalFolder, 'queue.json'), 'utf8');
      await trash(path);
    };
    await fixture.moveThere([join(fixture.local, 'world')]);
    expect(await fixture.ended()).toMatchObject([{ state: 'done' }]);
    expect(JSON.parse(stored)).toMatchObject({ transfers: [{ transfer: { step: 'removing' } }] });
  });

  it('says that the source remains if its connection is removed while it removes original files', async () => {
    const { fixture } = await pauseWhileRemoving();
    await fixture.cut();
    fixture.removeConnection('home');
    const [ended] = await fixture.ended();
    expect(ended).toMatchObject({ state: 'failed', error: { code: 'SOURCE_REMAINS' } });
    expect(ended?.error?.message).toContain(join(fixture.local, 'world'));
  });
});
