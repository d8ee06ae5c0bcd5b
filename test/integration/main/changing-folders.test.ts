import { randomBytes } from 'node:crypto';
import {
  appendFile,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { LocalFile } from '#main/transfers/operations/local-file.ts';
import { RemoteFiles } from '#main/transfers/remote/remote-files.ts';
import type { Source } from '#main/transfers/remote/copy-bytes.ts';
import { RemoteHandle } from '#main/transfers/remote/remote-handle.ts';
import { openTransferFixture } from '#test/support/files/transfer-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

type Fixture = Awaited<ReturnType<typeof openTransferFixture>>;

/** Name of a partial file. */
const PART = '.overworld-0123456789abcdef0123456789abcdef.part';

/** Runs `change` after the folders were listed, and before the first file on the master is opened. */
function beforeFirstFile(change: () => Promise<void>): void {
  let changed: Promise<void> | null = null;
  const spy = vi.spyOn(RemoteFiles.prototype, 'open').mockImplementation(async function (
    this: RemoteFiles,
    ...options
  ) {
    await (changed ??= change());
    spy.mockRestore();
    return this.open(...options);
  });
  onTestFinished(() => spy.mockRestore());
}

/** Runs `change` after each of the first `times` reads of a file on one side. */
function afterReads(side: Source, times: number, change: () => Promise<void>): void {
  const spy = vi.spyOn(side, 'readAt').mockImplementation(async function (this: Source, ...options) {
    spy.mockRestore();
    const read = await this.readAt(...options);
    await change();
    if (times > 1) afterReads(side, times - 1, change);
    return read;
  });
  onTestFinished(() => spy.mockRestore());
}

async function makeFolder(folder: string, names: readonly string[]): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const name of names) await writeFile(join(folder, name), `content of ${name}`);
}

describe('the download of a folder whose files change meanwhile', () => {
  it('takes the new content of changed files, and skips removed files', async () => {
    const fixture = await openTransferFixture();
    const world = join(fixture.remote, 'world');
    await makeFolder(world, ['level.dat', 'region.mca', 'session.lock']);
    beforeFirstFile(async () => {
      await appendFile(join(world, 'region.mca'), ', which has grown');
      await rm(join(world, 'session.lock'));
    });
    await fixture.download(['/templates/lobby/world']);
    const bytes = 'content of level.dat'.length + 'content of region.mca, which has grown'.length;
    expect(await fixture.ended()).toMatchObject([
      {
        ...{ state: 'done', error: null, skipped: 1 },
        files: { done: 2, total: 2 },
        bytes: { done: bytes, total: bytes },
      },
    ]);
    const copy = join(fixture.local, 'world');
    expect((await readdir(copy)).sort()).toEqual(['level.dat', 'region.mca']);
    expect(await readFile(join(copy, 'region.mca'), 'utf8')).toBe('content of region.mca, which has grown');
  });

  it('copies a file again that was changed while it was read, and counts its bytes once', async () => {
    const fixture = await openTransferFixture();
    const world = join(fixture.remote, 'world');
    await makeFolder(world, ['region.mca']);
    afterReads(RemoteHandle.prototype, 2, () => appendFile(join(world, 'region.mca'), ', which has grown'));
    await fixture.download(['/templates/lobby/world']);
    const content = 'content of region.mca, which has grown, which has grown';
    const bytes = { done: content.length, total: content.length };
    expect(await fixture.ended()).toMatchObject([{ state: 'done', error: null, bytes }]);
    const copy = join(fixture.local, 'world');
    expect(await readFile(join(copy, 'region.mca'), 'utf8')).toBe(content);
    expect(await readdir(copy)).toEqual(['region.mca']);
  });

  it('fails if a file is changed during each of three reads', async () => {
    const fixture = await openTransferFixture();
    const world = join(fixture.remote, 'world');
    await makeFolder(world, ['region.mca']);
    afterReads(RemoteHandle.prototype, 3, () => appendFile(join(world, 'region.mca'), '!'));
    await fixture.download(['/templates/lobby/world']);
    const [failed] = await fixture.ended();
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'TRANSFER_FAILED' } });
    expect(failed?.error?.message).toContain('/world/region.mca failed: it was changed while it was read');
    expect(await readdir(join(fixture.local, 'world'))).toEqual([]);
  });

  it('fails if the folder itself was removed', async () => {
    const fixture = await openTransferFixture();
    const world = join(fixture.remote, 'world');
    await makeFolder(world, ['level.dat']);
    beforeFirstFile(() => rm(world, { recursive: true }));
    await fixture.download(['/templates/lobby/world']);
    expect(await fixture.ended()).toMatchObject([{ state: 'failed', error: { code: 'FILE_NOT_FOUND' } }]);
  });

  it('deletes nothing on the master if it is a move', async () => {
    const fixture = await openTransferFixture();
    const world = join(fixture.remote, 'world');
    await makeFolder(world, ['level.dat', 'region.mca']);
    beforeFirstFile(() => appendFile(join(world, 'region.mca'), ', which has grown'));
    await fixture.moveHere(['/templates/lobby/world']);
    const [failed] = await fixture.ended();
    expect(failed).toMatchObject({ state: 'failed', error: { code: 'TRANSFER_FAILED' } });
    expect(failed?.error?.message).toContain('region.mca was changed while it was moved');
    expect((await readdir(world)).sort()).toEqual(['level.dat', 'region.mca']);
  });
});

describe('the upload of a local folder', () => {
  it('copies a file again that was changed while it was read, and counts its bytes once', async () => {
    const fixture = await openTransferFixture();
    const world = join(fixture.local, 'world');
    await mkdir(world);
    await writeFile(join(world, 'region.mca'), randomBytes(100_000));
    afterReads(LocalFile.prototype, 1, () => appendFile(join(world, 'region.mca'), 'which has grown'));
    await fixture.upload([world]);
    const bytes = { done: 100_015, total: 100_015 };
    expect(await fixture.ended()).toMatchObject([{ state: 'done', error: null, bytes }]);
    const copy = join(fixture.remote, 'world');
    expect(await readdir(copy)).toEqual(['region.mca']);
    expect(await readFile(join(copy, 'region.mca'))).toEqual(await readFile(join(world, 'region.mca')));
  });

  it('skips the partial file of an unfinished download', async () => {
    const fixture = await openTransferFixture();
    await makeFolder(join(fixture.local, 'world'), ['level.dat', PART]);
    await fixture.upload([join(fixture.local, 'world')]);
    expect(await fixture.ended()).toMatchObject([{ state: 'done', error: null, skipped: 1 }]);
    expect(await readdir(join(fixture.remote, 'world'))).toEqual(['level.dat']);
  });

  it('keeps the partial file of an unfinished download here if it is a move', async () => {
    const fixture = await openTransferFixture();
    await makeFolder(join(fixture.local, 'world'), ['level.dat', PART]);
    await fixture.moveThere([join(fixture.local, 'world')]);
    expect(await fixture.ended()).toMatchObject([{ state: 'done', skipped: 1 }]);
    expect(await readdir(join(fixture.local, 'world'))).toEqual([PART]);
  });

  it.skipIf(process.platform !== 'linux')('skips a file whose name is not valid UTF-8', async () => {
    const fixture = await openTransferFixture();
    const world = join(fixture.local, 'world');
    await makeFolder(world, ['level.dat']);
    await writeFile(Buffer.concat([Buffer.from(`${world}/`), Buffer.from([0x66, 0xff])]), 'raw');
    await fixture.upload([world]);
    expect(await fixture.ended()).toMatchObject([{ state: 'done', error: null, skipped: 1 }]);
    expect(await readdir(join(fixture.remote, 'world'))).toEqual(['level.dat']);
  });
});

describe('the files of a master', () => {
  it('are open in at most 200 handles at a time; others wait', async () => {
    const fixture = await openTransferFixture();
    await writeFile(join(fixture.remote, 'level.dat'), 'level');
    const files = await fixture.session.files();
    const open: RemoteHandle[] = [];
    let closes = false;
    const all = Promise.allSettled(
      Array.from({ length: 300 }, async () => {
        const handle = await files.open('/templates/lobby/level.dat', 'r');
        if (closes) await handle.close();
        else open.push(handle);
      }),
    );
    await waitFor(() => open.length >= 200);
    closes = true;
    for (const handle of open) await handle.close();
    expect((await all).filter(({ status }) => status === 'rejected')).toEqual([]);
    expect(open).toHaveLength(200);
  });
});

/** Two files of equal size and time, but different content. */
async function makeLookAlikes(here: string, there: string, names: readonly string[]): Promise<void> {
  for (const [folder, text] of [
    [here, 'mine!!'],
    [there, 'theirs'],
  ] as const) {
    await mkdir(folder, { recursive: true });
    for (const name of names) {
      await writeFile(join(folder, name), text);
      await utimes(join(folder, name), 1_650_000_000, 1_650_000_000);
    }
  }
}

describe('a move that finds files of the same size and time', () => {
  it.each(['overwrite', 'resume'] as const)(
    'transfers their content with the choice "%s" even after an interruption',
    async (choice) => {
      const fixture = await openTransferFixture();
      const [here, there] = [join(fixture.local, 'world'), join(fixture.remote, 'world')];
      await makeLookAlikes(here, there, ['level.dat']);
      await fixture.pauseAtFirstFile(() => fixture.moveThere([here], choice));
      expect(await readFile(join(there, 'level.dat'), 'utf8')).toBe('theirs');
      await fixture.crash();
      await fixture.connect();
      await fixture.openApp();
      fixture.transfers.resume(null);
      expect(await fixture.ended()).toMatchObject([{ state: 'done', error: null }]);
      expect(await readFile(join(there, 'level.dat'), 'utf8')).toBe('mine!!');
      expect(fixture.trash.paths).toEqual([here]);
    },
  );

  it('reports that its list of files cannot be stored, and removes nothing', async () => {
    const fixture = await openTransferFixture();
    const here = join(fixture.local, 'world');
    await makeFolder(here, ['level.dat']);
    fixture.sources.hashesOf = async () => {
      await mkdir(join(fixture.journalFolder, `${fixture.transfers.list()[0]?.id}.json`));
      return null;
    };
    await fixture.moveThere([here]);
    const error = { code: 'LOCAL_FILE_UNREADABLE' };
    expect(await fixture.ended()).toMatchObject([{ state: 'failed', error }]);
    expect(await readdir(here)).toEqual(['level.dat']);
  });

  it('keeps the source of a file that it has skipped before an interruption', async () => {
    const fixture = await openTransferFixture();
    const [here, there] = [join(fixture.local, 'world'), join(fixture.remote, 'world')];
    await makeLookAlikes(here, there, ['level.dat']);
    await writeFile(join(here, 'new.dat'), 'new');
    await fixture.pauseAtFirstFile(() => fixture.moveThere([here], 'skip'));
    fixture.transfers.resume(null);
    expect(await fixture.ended()).toMatchObject([{ state: 'done', skipped: 1 }]);
    expect(await readdir(here)).toEqual(['level.dat']);
    expect(await readFile(join(there, 'level.dat'), 'utf8')).toBe('theirs');
  });
});

describe('a file copied to the path of a link with the choice to overwrite', () => {
  it.each(['upload', 'download', 'move'] as const)('replaces the link, not its target (%s)', async (how) => {
    const fixture = await openTransferFixture();
    const [source, target] =
      how === 'download' ? [fixture.remote, fixture.local] : [fixture.local, fixture.remote];
    await writeFile(join(source, 'a.txt'), 'new');
    await writeFile(join(target, 'b.txt'), 'old');
    await symlink('b.txt', join(target, 'a.txt'));
    if (how === 'upload') await fixture.upload([join(source, 'a.txt')]);
    else if (how === 'move') await fixture.moveThere([join(source, 'a.txt')]);
    else await fixture.download(['/templates/lobby/a.txt']);
    expect(await fixture.ended()).toMatchObject([{ state: 'done', error: null }]);
    expect((await lstat(join(target, 'a.txt'))).isFile()).toBe(true);
    expect(await readFile(join(target, 'a.txt'), 'utf8')).toBe('new');
    expect(await readFile(join(target, 'b.txt'), 'utf8')).toBe('old');
  });
});

describe('the list of files that were at the destination before', () => {
  /** Uploads a folder with a file of the same size and time, and a large file. Runs `change` before the latter. */
  async function uploadLookAlike(
    change: (fixture: Fixture, list: string) => Promise<void>,
  ): Promise<Fixture> {
    const fixture = await openTransferFixture();
    const [here, there] = [join(fixture.local, 'world'), join(fixture.remote, 'world')];
    await makeLookAlikes(here, there, ['level.dat']);
    await writeFile(join(here, 'region.mca'), randomBytes(3_000_000));
    beforeFirstFile(async () => {
      const [transfer] = fixture.transfers.list();
      await waitFor(async () => (await readFile(join(there, 'level.dat'), 'utf8')) === 'mine!!');
      await waitFor(() => fixture.transfers.list()[0]?.files.done === 1);
      await change(fixture, join(fixture.journalFolder, `${transfer?.id}.equal.json`));
    });
    await fixture.upload([here]);
    return fixture;
  }

  it('is removed when all of them are copied and the transfer is interrupted', async () => {
    const fixture = await uploadLookAlike(async ({ transfers }, list) => {
      expect(JSON.parse(await readFile(list, 'utf8'))).toEqual(['level.dat']);
      transfers.pause(null);
    });
    await fixture.state('paused');
    const hasList = async () =>
      (await readdir(fixture.journalFolder)).some((name) => name.endsWith('.equal.json'));
    await waitFor(async () => !(await hasList()));
    fixture.transfers.resume(null);
    expect(await fixture.ended()).toMatchObject([{ state: 'done', error: null }]);
  });

  it('does not make a complete copy fail if it cannot be removed', async () => {
    const fixture = await uploadLookAlike(async (_, list) => {
      await rm(list);
      await mkdir(list);
    });
    expect(await fixture.ended()).toMatchObject([{ state: 'done', error: null }]);
  });
});
