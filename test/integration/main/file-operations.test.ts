import { chmod, mkdir, readdir, readFile, stat, symlink, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { requests } from '#shared/ipc/contract.ts';
import { DragOut } from '#main/transfers/operations/drag-out.ts';
import { FileTasks } from '#main/transfers/operations/file-tasks.ts';
import { deleteEntries, moveEntries, setModes } from '#main/transfers/operations/file-operations.ts';
import { openTransferFixture } from '#test/support/files/transfer-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

const at = (name: string) => `/templates/lobby/${name}`;

async function setUp() {
  const fixture = await openTransferFixture();
  await mkdir(join(fixture.remote, 'plugins', 'deep'), { recursive: true });
  for (const name of ['a', 'b', 'plugins/c', 'plugins/deep/d'])
    await writeFile(join(fixture.remote, name), name);
  return { fixture, remote: fixture.remote, files: await fixture.session.files() };
}

describe('moving files of the master', () => {
  it('moves files and folders without overwriting others', async () => {
    const { remote, files } = await setUp();
    await moveEntries(files, [at('a'), at('b'), at('a'), at('plugins/c')], at('plugins'));
    expect((await readdir(join(remote, 'plugins'))).sort()).toEqual(['a', 'b', 'c', 'deep']);
    expect(await readFile(join(remote, 'plugins', 'a'), 'utf8')).toBe('a');
  });

  it('moves nothing if a name exists, if two names are the same, or if a folder would contain itself', async () => {
    const { remote, files } = await setUp();
    await writeFile(join(remote, 'plugins', 'b'), 'theirs');
    await mkdir(join(remote, 'other'));
    await writeFile(join(remote, 'other', 'a'), '');
    await expect(moveEntries(files, [at('a'), at('b')], at('plugins'))).rejects.toMatchObject({
      code: 'FILE_EXISTS',
      details: { path: at('plugins/b') },
    });
    await expect(moveEntries(files, [at('a'), at('other/a')], at('plugins'))).rejects.toMatchObject({
      code: 'FILE_EXISTS',
    });
    for (const folder of ['plugins', 'plugins/deep']) {
      await expect(moveEntries(files, [at('plugins')], at(folder))).rejects.toMatchObject({
        code: 'FILE_FORBIDDEN',
      });
    }
    expect((await readdir(remote)).sort()).toEqual(['a', 'b', 'other', 'plugins']);
  });
});

describe('the permissions of files of the master', () => {
  const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);

  it('are set exactly as requested, and a change of a whole folder adds execute bits to its subfolders', async () => {
    const { remote, files } = await setUp();
    await chmod(join(remote, 'plugins', 'c'), 0o755);
    await setModes(files, [at('a'), at('plugins')], { mode: 0o640, within: true });
    expect(await mode(join(remote, 'a'))).toBe('640');
    expect(await mode(join(remote, 'plugins'))).toBe('750');
    expect(await mode(join(remote, 'plugins', 'deep'))).toBe('750');
    expect(await mode(join(remote, 'plugins', 'c'))).toBe('640');
    await setModes(files, [at('plugins')], { mode: 0o700, within: false });
    expect(await mode(join(remote, 'plugins'))).toBe('700');
    expect(await mode(join(remote, 'plugins', 'deep', 'd'))).toBe('640');
  });

  it('cannot be set on a link, and a change of a whole folder ignores links', async () => {
    const { fixture, remote, files } = await setUp();
    const precious = join(fixture.local, 'precious');
    await writeFile(precious, '', { mode: 0o600 });
    await symlink(precious, join(remote, 'plugins', 'out'));
    await setModes(files, [at('plugins')], { mode: 0o777, within: true });
    expect(await mode(precious)).toBe('600');
    await expect(setModes(files, [at('plugins/out')], { mode: 0o777, within: false })).rejects.toMatchObject({
      code: 'FILE_FORBIDDEN',
    });
  });
});

describe('deleting files of the master', () => {
  it('takes a short time for a folder with thousands of files', async () => {
    const { remote, files } = await setUp();
    const many = join(remote, 'many');
    await mkdir(join(many, 'sub'), { recursive: true });
    for (let n = 0; n < 2000; n++) await writeFile(join(many, n % 2 === 0 ? 'sub' : '', `f${n}`), '');
    await deleteEntries(files, [at('many'), at('a'), at('gone')]);
    expect((await readdir(remote)).sort()).toEqual(['b', 'plugins']);
  });
});

describe('a long file operation', () => {
  it('reports its progress, and stops when it is cancelled', async () => {
    const { remote, files } = await setUp();
    const many = join(remote, 'many');
    await mkdir(many);
    for (let n = 0; n < 600; n++) await writeFile(join(many, `f${n}`), '');
    const news: number[] = [];
    const tasks = new FileTasks(({ task, files: { done } }) => {
      expect(task).toBe('t');
      news.push(done);
    });
    const deletion = tasks.run({ task: 't', what: 'The deletion' }, (steps) =>
      deleteEntries(files, [at('many')], {
        ...steps,
        done: () => {
          steps.done();
          // Cancel after the first report of progress. Progress is reported ten times a second, so the operation is
          // still running.
          if (news.length > 0) tasks.cancel('t');
        },
      }),
    );
    await expect(deletion).rejects.toMatchObject({ code: 'TASK_CANCELLED' });
    expect(news[0]).toBeGreaterThanOrEqual(1);
    expect(news[0]).toBeLessThan(600);
    const left = (await readdir(many)).length;
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThan(600);
    tasks.cancel('t');
    await tasks.run({ task: undefined, what: '' }, (steps) => deleteEntries(files, [at('many')], steps));
    expect(await readdir(remote)).not.toContain('many');
  });
});

describe('the log of file requests', () => {
  it('contains the last 500 requests with their answers, but no file content', async () => {
    const { fixture, remote, files } = await setUp();
    await writeFile(join(fixture.local, 'secret.txt'), 'token=hunter2');
    await writeFile(join(fixture.local, 'large.txt'), 'token=hunter2'.padEnd(70_000));
    await fixture.upload([join(fixture.local, 'secret.txt'), join(fixture.local, 'large.txt')]);
    await fixture.ended();
    await expect(files.list(at('none'))).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    const lines = requests['files.log'].result.parse(fixture.session.requests.list());
    const texts = lines.map(({ text }) => text);
    expect(texts).toContainEqual(`PUT ${at('secret.txt')} (13 bytes)`);
    expect(texts).toContainEqual(expect.stringMatching(/^OPEN .*\.part \(wx\)$/));
    expect(texts).toContainEqual(expect.stringMatching(/^CLOSE .*70000 written\)$/));
    expect(lines.at(-1)).toMatchObject({
      text: `READDIR ${at('none')}`,
      error: expect.stringContaining('none') as string,
    });
    expect(lines.every(({ ms, at: time }) => ms >= 0 && time > 0)).toBe(true);
    expect(JSON.stringify(lines)).not.toContain('hunter2');
    for (let n = 0; n < 600; n++) await files.find(at(`f${n}`));
    const last = fixture.session.requests.list();
    expect(last).toHaveLength(500);
    expect(last.at(-1)?.text).toBe(`LSTAT ${at('f599')}`);
    expect(await readdir(remote)).toContain('secret.txt');
  });
});

describe('dragging files of the master out of the window', () => {
  it('downloads the files, even two with the same name, and deletes the downloads later', async () => {
    const { remote, files } = await setUp();
    await writeFile(join(remote, 'plugins', 'a'), 'other');
    const drag = new DragOut();
    onTestFinished(() => drag.close());
    const [a, plugins, other] = await drag.fetch(files, [at('a'), at('plugins'), at('plugins/a')]);
    expect(await readFile(a ?? '', 'utf8')).toBe('a');
    expect(await readFile(join(plugins ?? '', 'deep', 'd'), 'utf8')).toBe('plugins/deep/d');
    expect(await readFile(other ?? '', 'utf8')).toBe('other');
    for (let n = 0; n < 3; n++) await drag.fetch(files, [at('b')]);
    await expect(stat(a ?? '')).rejects.toMatchObject({ code: 'ENOENT' });
    await drag.close();
  });

  it('refuses to download more than 256 MB', async () => {
    const { remote, files } = await setUp();
    await writeFile(join(remote, 'big'), '');
    await truncate(join(remote, 'big'), 257 * 1_048_576);
    const drag = new DragOut();
    await expect(drag.fetch(files, [at('a'), at('big')])).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
  });

  it('stops the download if a file has grown since it was listed', async () => {
    const { remote, files } = await setUp();
    await writeFile(join(remote, 'first'), Buffer.alloc(20 * 1_048_576));
    await writeFile(join(remote, 'grows'), 'small');
    const drag = new DragOut(30 * 1_048_576);
    onTestFinished(() => drag.close());
    const before = new Set(await readdir(tmpdir()));
    const fetched = drag.fetch(files, [at('first'), at('grows')]);
    const refused = expect(fetched).rejects.toMatchObject({ code: 'FILE_TOO_LARGE' });
    // The folder for the copies is created after all sizes have been read.
    const isNew = (name: string) => name.startsWith('overworld-drag-') && !before.has(name);
    const folder = await waitFor(async () => (await readdir(tmpdir())).find(isNew));
    await truncate(join(remote, 'grows'), 40 * 1_048_576);
    await refused;
    const left = await readdir(join(tmpdir(), folder), { recursive: true });
    expect(left.filter((name) => /grows|part/.test(name))).toEqual([]);
  });
});
