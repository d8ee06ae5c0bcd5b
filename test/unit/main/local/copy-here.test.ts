import { execFile } from 'node:child_process';
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  readlink,
  stat,
  symlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { copyHere } from '#main/local/copy-here.ts';
import { FileTasks } from '#main/transfers/operations/file-tasks.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/** Size of a file that is copied in several chunks. */
const LARGE = 40 * 1_048_576;
const PIECE = 1_048_576;

async function setUp() {
  const root = temporaryFolder();
  const [from, to] = [join(root, 'from'), join(root, 'to')];
  await mkdir(join(from, 'world', 'region'), { recursive: true });
  await mkdir(to);
  await writeFile(join(from, 'world', 'region', 'r.mca'), 'blocks');
  await writeFile(join(from, 'server.jar'), 'jar');
  await symlink('region/r.mca', join(from, 'world', 'link'));
  await utimes(join(from, 'server.jar'), 1_650_000_000, 1_650_000_000);
  return { from, to };
}

describe('copyHere (copies files within this computer)', () => {
  it('copies a folder with content, times and links', async () => {
    const { from, to } = await setUp();
    await copyHere([join(from, 'world'), join(from, 'server.jar')], to);
    expect(await readFile(join(to, 'world', 'region', 'r.mca'), 'utf8')).toBe('blocks');
    expect(await readlink(join(to, 'world', 'link'))).toBe('region/r.mca');
    expect((await stat(join(to, 'server.jar'))).mtimeMs).toBe(1_650_000_000_000);
    expect(await readFile(join(from, 'server.jar'), 'utf8'), 'the source stays').toBe('jar');
  });

  it('never replaces an existing entry, but chooses a free name', async () => {
    const { from, to } = await setUp();
    await writeFile(join(to, 'server.jar'), 'another');
    await copyHere([join(from, 'server.jar')], to);
    await copyHere([join(from, 'server.jar')], from);
    expect(await readFile(join(to, 'server.jar'), 'utf8')).toBe('another');
    expect(await readFile(join(to, 'server (2).jar'), 'utf8')).toBe('jar');
    expect((await readdir(from)).sort()).toEqual(['server (2).jar', 'server.jar', 'world']);
  });

  it('refuses to copy a folder into itself', async () => {
    const { from } = await setUp();
    for (const folder of [join(from, 'world'), join(from, 'world', 'region')]) {
      await expect(copyHere([join(from, 'server.jar'), join(from, 'world')], folder)).rejects.toMatchObject({
        code: 'FILE_FORBIDDEN',
      });
    }
    expect((await readdir(join(from, 'world'))).sort()).toEqual(['link', 'region']);
  });

  it('preserves permissions, and also copies read-only files', async () => {
    const { from, to } = await setUp();
    await chmod(join(from, 'world', 'region', 'r.mca'), 0o440);
    await chmod(join(from, 'world', 'region'), 0o555);
    await utimes(join(from, 'world', 'region'), 1_640_000_000, 1_640_000_000);
    await copyHere([join(from, 'world')], to);
    const [folder, file] = [join(to, 'world', 'region'), join(to, 'world', 'region', 'r.mca')];
    expect((await stat(folder)).mode & 0o777).toBe(0o555);
    expect((await stat(folder)).mtimeMs).toBe(1_640_000_000_000);
    expect((await stat(file)).mode & 0o777).toBe(0o440);
    for (const path of [folder, join(from, 'world', 'region')]) await chmod(path, 0o755);
  });

  it('reports the total size and the progress, even during a large file', async () => {
    const { from, to } = await setUp();
    await writeFile(join(from, 'world', 'large'), Buffer.alloc(LARGE, 'x'));
    const told: { files: number | null; bytes: number; total: number | null }[] = [];
    const tasks = new FileTasks(({ files, bytes }) =>
      told.push({ files: files.done, bytes: bytes.done, total: bytes.total }),
    );
    await tasks.run({ task: 't', what: 'The copy' }, (steps) => copyHere([join(from, 'world')], to, steps));
    await waitFor(() => told.at(-1)?.files === 2, { what: 'the last news' });
    expect(told.at(-1)).toEqual({ files: 2, bytes: LARGE + 6, total: LARGE + 6 });
    expect((await stat(join(to, 'world', 'large'))).size).toBe(LARGE);
  });

  it('removes the unfinished file when the copy is cancelled, and keeps the finished files', async () => {
    const { from, to } = await setUp();
    await writeFile(join(from, 'large'), Buffer.alloc(LARGE, 'x'));
    const tasks = new FileTasks(() => undefined);
    const copy = tasks.run({ task: 't', what: 'The copy' }, (steps) =>
      copyHere([join(from, 'server.jar'), join(from, 'large')], to, {
        ...steps,
        moved: (bytes) => {
          // Cancel in the middle of the large file.
          if (bytes === PIECE) expect(tasks.cancel('t')).toBe(true);
        },
      }),
    );
    await expect(copy).rejects.toMatchObject({ code: 'TASK_CANCELLED' });
    expect(await readdir(to)).toEqual(['server.jar']);
    expect((await readdir(from)).sort()).toEqual(['large', 'server.jar', 'world']);
    expect(tasks.cancel('t'), 'there is none any more').toBe(false);
  });

  it('refuses sockets, pipes and devices', async () => {
    const { from, to } = await setUp();
    await promisify(execFile)('mkfifo', [join(from, 'world', 'pipe')]);
    await expect(copyHere([join(from, 'world')], to)).rejects.toMatchObject({ code: 'FILE_FORBIDDEN' });
  });

  it('names the path of a missing source in the error', async () => {
    const { from, to } = await setUp();
    await expect(copyHere([join(from, 'gone')], to)).rejects.toMatchObject({ code: 'LOCAL_FILE_UNREADABLE' });
  });
});
