import {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toOverworldError } from '#shared/errors/overworld-error.ts';
import { fetchTree, type FetchRequest } from '#master/files/tasks/fetch/fetch.ts';
import { secretFilter } from '#master/files/tasks/fetch/secret-filter.ts';
import type { FileSource } from '#master/files/tasks/fetch/source.ts';
import { Progress } from '#master/files/tasks/progress.ts';
import { listFiles, readFile as readLive } from '#master/runtime/process/live-files.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { MAX_PIECE_BYTES } from '#shared/model/service-files.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const SECRET = '0123456789abcdef';

/** Creates a folder of a service. Returns the folder, and a function that fetches from it as the master does. */
async function fetching() {
  const [top, into] = [temporaryFolder(), temporaryFolder()];
  const source: FileSource = {
    list: (path, after) => listFiles({ id: 'lobby-1', top, path }, after),
    read: (path, piece) => readLive({ id: 'lobby-1', top, path }, piece),
  };
  const seen: { done: number; total: number | null }[] = [];
  const abort = new AbortController();
  const work = { signal: abort.signal, progress: new Progress(({ bytes }) => seen.push(bytes)) };
  const fetch = (request: Partial<FetchRequest> = {}, from = source) =>
    fetchTree(
      from,
      {
        ...{ paths: [''], into, reserve: noReserves().of(into) },
        ...{ leavesOut: () => false, secret: secretFilter(SECRET), admit: () => undefined },
        ...request,
      },
      work,
    );
  await mkdir(join(top, 'plugins/Essentials'), { recursive: true });
  await mkdir(join(top, 'world/empty'), { recursive: true });
  await writeFile(join(top, 'plugins/Essentials/config.yml'), 'a: 1\n');
  await writeFile(join(top, 'world/level.dat'), 'level');
  return { top, into, source, fetch, abort, seen };
}

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'none',
    (error: unknown) => toOverworldError(error).code,
  );

describe('fetching the files of a service from its node', () => {
  it('copies all files with their times, including empty folders and large files', async () => {
    const { top, into, fetch, seen } = await fetching();
    const large = Buffer.alloc(3 * MAX_PIECE_BYTES + 11, 'x');
    await writeFile(join(top, 'world/r.mca'), large);
    await utimes(join(top, 'world/r.mca'), 1000, 1000);
    expect(await fetch()).toEqual({ files: 3, bytes: large.length + 10, skipped: [], changed: [] });
    expect((await readFile(join(into, 'world/r.mca'))).equals(large)).toBe(true);
    expect((await stat(join(into, 'world/r.mca'))).mtimeMs).toBe(1_000_000);
    expect(await readdir(join(into, 'world'))).toEqual(['empty', 'level.dat', 'r.mca']);
    expect(seen[0]).toEqual({ done: 0, total: large.length + 10 });
  });

  it('copies only the selected paths, each once, to the same places', async () => {
    const { into, fetch } = await fetching();
    const paths = ['plugins/Essentials/config.yml', 'plugins/Essentials', 'plugins/Essentials/config.yml'];
    expect(await fetch({ paths })).toMatchObject({ files: 1, bytes: 5 });
    expect(await readFile(join(into, 'plugins/Essentials/config.yml'), 'utf8')).toBe('a: 1\n');
    expect(await readdir(into)).toEqual(['plugins']);
    expect(await codeOf(fetch({ paths: ['nothing'] }))).toBe('FILE_NOT_FOUND');
  });

  it('skips links, excluded files, and files that are deleted during the copy', async () => {
    const { top, into, source, fetch } = await fetching();
    await symlink('/etc/passwd', join(top, 'link'));
    await writeFile(join(top, 'gone'), 'x');
    const vanishing: FileSource = {
      ...source,
      read: async (path, piece) => {
        if (path === 'gone') await rm(join(top, 'gone'), { force: true });
        return source.read(path, piece);
      },
    };
    const leavesOut = (path: string): boolean => path === 'plugins/Essentials/config.yml';
    expect(await fetch({ leavesOut }, vanishing)).toEqual({
      ...{ files: 1, bytes: 5, changed: [] },
      skipped: ['gone', 'link', 'plugins/Essentials/config.yml'],
    });
    expect(await readdir(into)).toEqual(['plugins', 'world']);
  });

  it('reports files that change during the copy, and ends even if a file grows faster than it is read', async () => {
    const { top, source, fetch } = await fetching();
    await writeFile(join(top, 'latest.log'), Buffer.alloc(MAX_PIECE_BYTES + 1, 'x'));
    const growing: FileSource = {
      ...source,
      read: async (path, piece) => {
        const read = await source.read(path, piece);
        if (path === 'latest.log')
          await appendFile(join(top, 'latest.log'), Buffer.alloc(2 * MAX_PIECE_BYTES));
        return read;
      },
    };
    const copied = await fetch({ paths: ['latest.log'] }, growing);
    expect(copied).toEqual({ files: 1, bytes: MAX_PIECE_BYTES + 1, skipped: [], changed: ['latest.log'] });
  });

  it("removes the network's secret from configuration files", async () => {
    const { top, into, fetch } = await fetching();
    await writeFile(join(top, 'paper-global.yml'), Buffer.from(`secret: '${SECRET}'\n# \xe9`, 'latin1'));
    await fetch();
    expect(await readFile(join(into, 'paper-global.yml'), 'latin1')).toBe(
      // The replacement is as long as the secret, so that the size stays the same.
      "secret: 'removed-by-overw'\n# \xe9",
    );
    expect(await readFile(join(into, 'world/level.dat'), 'utf8')).toBe('level');
  });

  it("removes the network's secret at any position in a large file", async () => {
    const { top, into, fetch } = await fetching();
    const at = [0, MAX_PIECE_BYTES - 1, 2 * MAX_PIECE_BYTES - SECRET.length + 1, 3 * MAX_PIECE_BYTES];
    const [content, hidden] = [SECRET, 'removed-by-overw'].map((text) => {
      const whole = Buffer.alloc(3 * MAX_PIECE_BYTES + SECRET.length, 0xe9);
      for (const position of at) whole.write(text, position, 'latin1');
      return whole;
    });
    if (content === undefined || hidden === undefined) throw new Error('no content');
    // If the end of the file looks like the beginning of the secret, it is not removed.
    const end = Buffer.from(SECRET.slice(0, -1));
    await writeFile(join(top, 'latest.log'), Buffer.concat([content, end]));
    await fetch({ paths: ['latest.log'] });
    const fetched = await readFile(join(into, 'latest.log'));
    expect(fetched.length).toBe(content.length + end.length);
    expect(fetched.equals(Buffer.concat([hidden, end]))).toBe(true);
  });

  it('copies the remaining content of a file that is truncated during the copy', async () => {
    const { top, into, source, fetch } = await fetching();
    const file = join(top, 'latest.log');
    await writeFile(file, Buffer.alloc(2 * MAX_PIECE_BYTES, 'x'));
    const shrinking: FileSource = {
      ...source,
      read: async (path, piece) => {
        const read = await source.read(path, piece);
        await truncate(file, MAX_PIECE_BYTES);
        return read;
      },
    };
    await fetch({ paths: ['latest.log'] }, shrinking);
    expect((await stat(join(into, 'latest.log'))).size).toBe(MAX_PIECE_BYTES);
  });

  it.runIf(process.platform === 'linux')(
    'writes nothing through a link that replaces a folder of the copy meanwhile',
    async () => {
      const { top, into, source, fetch } = await fetching();
      const outside = temporaryFolder();
      for (const name of ['a', 'b', 'c']) await writeFile(join(top, name), 'evil');
      for (const name of ['keys.json', 'new.json']) await writeFile(join(top, 'world', name), 'evil');
      await writeFile(join(outside, 'keys.json'), 'secret');
      const attacked: FileSource = {
        ...source,
        read: async (...args) => {
          await rename(join(into, 'world'), join(into, 'aside')).catch(() => undefined);
          await symlink(outside, join(into, 'world')).catch(() => undefined);
          return source.read(...args);
        },
      };
      await expect(fetch({ paths: ['a', 'b', 'c', 'world'] }, attacked)).rejects.toThrow(
        'replaced by a link',
      );
      expect(await readdir(outside)).toEqual(['keys.json']);
      expect(await readFile(join(outside, 'keys.json'), 'utf8')).toBe('secret');
    },
  );

  it('copies nothing if its caller refuses the total size, and stops when it is cancelled', async () => {
    const { into, fetch, abort } = await fetching();
    const admit = (bytes: number): void => {
      throw new Error(`${bytes} bytes are too much`);
    };
    await expect(fetch({ admit })).rejects.toThrow('10 bytes are too much');
    expect(await readdir(into)).toEqual([]);
    abort.abort(new Error('cancelled'));
    await expect(fetch()).rejects.toThrow('cancelled');
  });
});
