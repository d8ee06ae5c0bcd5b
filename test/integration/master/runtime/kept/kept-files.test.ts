import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { hasCode } from '#shared/errors/overworld-error.ts';
import { KeptFiles, type CollectedFile } from '#master/runtime/kept/kept-files.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const log = (text: string | Buffer, path = 'logs/latest.log'): CollectedFile => ({
  path,
  changedAt: 7,
  whole: true,
  content: Buffer.from(text),
});

describe('the files that are kept of exited services', () => {
  it('are listed by the next master, with the newest run first', async () => {
    const folder = temporaryFolder();
    const first = new KeptFiles(folder);
    await first.add('lobby-1', 1000, [log('one')]);
    await first.add('lobby-1', 2000, [log('two'), log('why', 'crash-reports/a.txt')]);
    await first.add('lobby-2', 1500, []);
    const next = new KeptFiles(folder);
    expect(await next.list('lobby-1')).toEqual([
      {
        endedAt: 2000,
        files: [
          { path: 'logs/latest.log', changedAt: 7, whole: true, bytes: 3 },
          { path: 'crash-reports/a.txt', changedAt: 7, whole: true, bytes: 3 },
        ],
      },
      { endedAt: 1000, files: [{ path: 'logs/latest.log', changedAt: 7, whole: true, bytes: 3 }] },
    ]);
    expect(await next.read('lobby-1', 1000, 'logs/latest.log')).toEqual({ text: 'one', whole: true });
    expect(await next.list('lobby-2')).toEqual([]);
  });

  it('are limited to the last three runs of each service, and older files are deleted', async () => {
    const folder = temporaryFolder();
    const kept = new KeptFiles(folder);
    for (const at of [1, 2, 3, 4, 5]) await kept.add('lobby-1', at, [log(`${at}`)]);
    expect((await kept.list('lobby-1')).map(({ endedAt }) => endedAt)).toEqual([5, 4, 3]);
    expect(await readdir(join(folder, 'lobby-1.files'))).toEqual(['3', '4', '5']);
  });

  it('have a total size limit for all services, and the oldest files are deleted', async () => {
    const folder = temporaryFolder();
    const kept = new KeptFiles(folder, { maxBytes: 250 });
    await kept.add('lobby-1', 1, [log('x'.repeat(100))]);
    await kept.add('lobby-2', 2, [log('x'.repeat(100))]);
    await kept.add('lobby-3', 3, [log('x'.repeat(100))]);
    expect(await kept.list('lobby-1')).toEqual([]);
    expect(await readdir(folder)).toEqual(['lobby-2.files', 'lobby-3.files']);
    // The next master also counts the files that the previous master has stored.
    await new KeptFiles(folder, { maxBytes: 250 }).add('lobby-4', 4, [log('x'.repeat(100))]);
    expect(await readdir(folder)).toEqual(['lobby-3.files', 'lobby-4.files']);
  });

  it('stay within the size limit if many services exit at the same time', async () => {
    const kept = new KeptFiles(temporaryFolder(), { maxBytes: 2000 });
    const ids = Array.from({ length: 40 }, (_, at) => `lobby-${at + 1}`);
    await Promise.all(ids.map((id, at) => kept.add(id, at, [log('x'.repeat(100))])));
    const left = await Promise.all(ids.map((id) => kept.list(id)));
    expect(left.filter((runs) => runs.length > 0)).toHaveLength(20);
  });

  it('are stored for both runs if the clock was set back between the runs', async () => {
    const kept = new KeptFiles(temporaryFolder());
    await kept.add('lobby-1', 5, [log('one')]);
    await kept.add('lobby-1', 5, [log('two')]);
    expect((await kept.read('lobby-1', 5, 'logs/latest.log')).text).toBe('one');
    expect((await kept.read('lobby-1', 6, 'logs/latest.log')).text).toBe('two');
  });

  it('are returned as text if they are compressed logs, unless the text is too large', async () => {
    const kept = new KeptFiles(temporaryFolder());
    const large = gzipSync(Buffer.alloc(2_000_000));
    await kept.add('lobby-1', 1, [
      log(gzipSync('hello'), 'logs/a.log.gz'),
      log(large, 'logs/large.log.gz'),
      log('no gzip', 'logs/broken.log.gz'),
    ]);
    expect((await kept.read('lobby-1', 1, 'logs/a.log.gz')).text).toBe('hello');
    for (const path of ['logs/large.log.gz', 'logs/broken.log.gz']) {
      const refused = await kept.read('lobby-1', 1, path).catch((error: unknown) => error);
      expect(hasCode(refused, 'FILE_FORBIDDEN')).toBe(true);
    }
  });

  it('include no files of an interrupted write, and no files outside of their folder', async () => {
    const folder = temporaryFolder();
    await mkdir(join(folder, 'lobby-1.files/7.part'), { recursive: true });
    await mkdir(join(folder, 'lobby-1.files/8'));
    await writeFile(join(folder, 'lobby-1.files/8/index.json'), '[{"path":"../../secret"}]');
    await writeFile(join(folder, 'lobby-1.log'), 'console');
    const kept = new KeptFiles(folder);
    expect(await kept.list('lobby-1')).toEqual([]);
    expect(await readdir(join(folder, 'lobby-1.files'))).toEqual([]);
    const refused = await kept.read('lobby-1', 8, '../../lobby-1.log').catch((error: unknown) => error);
    expect(hasCode(refused, 'FILE_NOT_FOUND')).toBe(true);
  });

  it('are deleted together with the console log', async () => {
    const folder = temporaryFolder();
    const kept = new KeptFiles(folder);
    await kept.add('lobby-1', 1, [log('one')]);
    await kept.remove('lobby-1');
    expect(await readdir(folder)).toEqual([]);
    // A person may also remove the folder.
    await kept.add('lobby-1', 2, [log('one')]);
    await rm(join(folder, 'lobby-1.files'), { recursive: true });
    expect(await kept.list('lobby-1')).toEqual([]);
    await kept.add('lobby-1', 3, [log('two')]);
    expect((await kept.list('lobby-1')).map(({ endedAt }) => endedAt)).toEqual([3]);
  });
});
