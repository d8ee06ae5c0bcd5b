import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Client, SFTPWrapper } from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, startAdminMaster, type AdminMaster } from '#test/support/master/admin-master.ts';
import { openSshAs } from '#test/support/files/openssh.ts';
import { call, openSftp, statusOf } from '#test/support/files/sftp.ts';
import { canMount, smallDisk } from '#test/support/files/small-disk.ts';
import { runs, timeoutForRounds } from '#test/support/fuzz/runs.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Number of rounds of the race between a session and an attacker who swaps a folder with a link. */
const ROUNDS = runs({ change: 300, night: 100_000 });

let master: AdminMaster;
let client: Client;
let sftp: SFTPWrapper;
let lobby: string;
let arena: string;
const L = '/templates/lobby';

beforeAll(async () => {
  master = await startAdminMaster();
  client = await connect(master, await master.authorize('operator'));
  sftp = await openSftp(client);
  lobby = join(master.data, 'templates', 'lobby');
  arena = join(master.data, 'templates', 'arena');
});
afterAll(async () => {
  client.end();
  await master.close();
});
beforeEach(async () => {
  for (const folder of [lobby, arena]) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
  }
});

describe('file names on the SFTP server', () => {
  it('may have 255 bytes, but not 256 bytes', async () => {
    for (const name of ['n'.repeat(255), 'ü'.repeat(127) + 'n']) {
      await call((done) => sftp.writeFile(`${L}/${name}`, 'x', done));
      await call((done) => sftp.rename(`${L}/${name}`, `${L}/short`, done));
      await call((done) => sftp.rename(`${L}/short`, `${L}/${name}`, done));
      const listed = await call<{ filename: string }[]>((done) => sftp.readdir(L, done));
      expect(listed.map(({ filename }) => filename)).toEqual([name]);
      await call((done) => sftp.unlink(`${L}/${name}`, done));
    }
    await expect(
      statusOf(call((done) => sftp.writeFile(`${L}/${'n'.repeat(256)}`, 'x', done))),
    ).resolves.toBe(4);
  });

  it('are different if they differ only in upper and lower case', async () => {
    await call((done) => sftp.writeFile(`${L}/Readme`, 'A', done));
    await call((done) => sftp.writeFile(`${L}/README`, 'B', done));
    expect((await readdir(lobby)).sort()).toEqual(['README', 'Readme']);
    expect(await readFile(join(lobby, 'Readme'), 'utf8')).toBe('A');
  });
});

describe('renaming on the SFTP server', () => {
  it('moves files between templates and shared files, but never creates or replaces a template', async () => {
    await mkdir(join(lobby, 'plugins'));
    await writeFile(join(lobby, 'plugins', 'a'), 'a');
    await call((done) => sftp.rename(`${L}/plugins`, '/templates/arena/plugins', done));
    await call((done) => sftp.rename('/templates/arena/plugins', '/files/plugins', done));
    for (const target of ['/templates/plugins', '/plugins', '/templates', '/files']) {
      await expect(
        statusOf(call((done) => sftp.rename('/files/plugins', target, done))),
      ).resolves.toBeGreaterThan(1);
      await expect(
        statusOf(call((done) => sftp.ext_openssh_rename('/files/plugins', target, done))),
      ).resolves.toBeGreaterThan(1);
    }
    expect(await readFile(join(master.data, 'files', 'plugins', 'a'), 'utf8')).toBe('a');
    await rm(join(master.data, 'files', 'plugins'), { recursive: true });
  });

  it(
    'moves nothing into or out of the permitted folders while a folder and a link swap their names',
    timeoutForRounds(ROUNDS),
    async () => {
      const outside = join(master.data, 'outside');
      await mkdir(outside, { recursive: true });
      await writeFile(join(outside, 'secret'), 'secret');
      const [swap, aside, link] = [join(lobby, 'swap'), join(lobby, 'aside'), join(lobby, 'link')];
      await mkdir(aside);
      await symlink(outside, swap);
      const stop = new AbortController();
      const swapping = (async () => {
        while (!stop.signal.aborted) {
          await rename(swap, link);
          await rename(aside, swap);
          await rename(swap, aside);
          await rename(link, swap);
        }
      })();
      let moved = 0;
      for (let round = 0; round < ROUNDS; round += 1) {
        await writeFile(join(lobby, 'mine'), 'mine');
        const [into] = await Promise.allSettled([
          call((done) => sftp.ext_openssh_rename(`${L}/mine`, `${L}/swap/mine`, done)),
          call((done) => sftp.rename(`${L}/swap/secret`, `${L}/got-${round}`, done)),
          call((done) => sftp.mkdir(`${L}/swap/made-${round}`, done)),
        ]);
        if (into.status === 'fulfilled') moved += 1;
      }
      stop.abort();
      await swapping;
      // In some rounds, the name was the folder, and the file was moved. In rounds in which the name was the link, no
      // file was moved.
      expect(moved).toBeGreaterThan(0);
      expect(await readdir(outside)).toEqual(['secret']);
      expect((await readdir(lobby)).filter((name) => name.startsWith('got'))).toEqual([]);
    },
  );
});

describe('the SFTP server', () => {
  it('lists 100,000 files with limited time and memory, while it serves other requests', async () => {
    const crowd = join(lobby, 'crowd');
    await mkdir(crowd);
    execFileSync('sh', ['-c', 'seq -f entry-%g 0 99999 | xargs touch'], { cwd: crowd });
    const openSsh = await openSshAs(master, await master.authorize('viewer'));
    const before = process.memoryUsage().rss;
    let [longest, most, ended] = [0, 0, false];
    const listing = openSsh.sftp(`ls -1f ${L}/crowd\n`).then((result) => {
      ended = true;
      return result;
    });
    while (!ended) {
      const asked = performance.now();
      await call<unknown>((done) => sftp.stat(L, done));
      longest = Math.max(longest, performance.now() - asked);
      most = Math.max(most, process.memoryUsage().rss - before);
    }
    const { code, output } = await listing;
    await openSsh.close();
    expect(code, output.slice(-300)).toBe(0);
    expect(output.split('\n').filter((line) => line.includes('entry-'))).toHaveLength(100_000);
    expect(longest).toBeLessThan(5_000);
    // This process also stores the output of the client, which is about 4 MB.
    expect(most).toBeLessThan(150 * 1_048_576);
  });

  it.runIf(canMount)('explains a full disk in the error message, and keeps the existing file', async () => {
    const disk = smallDisk(4);
    const full = await startAdminMaster({ folders: { templates: join(disk, 'templates') } });
    const openSsh = await openSshAs(full, await full.authorize('operator'));
    const folder = join(disk, 'templates', 'lobby');
    await mkdir(folder);
    await writeFile(join(folder, 'world'), 'old');
    await writeFile(join(full.data, 'large'), Buffer.alloc(8_000_000, 1));
    const put = await openSsh.sftp(`put ${join(full.data, 'large')} ${L}/.overworld-1.part\n`);
    expect(put.code).not.toBe(0);
    const other = await connect(full, await full.authorize('operator'));
    const channel = await openSftp(other);
    const more = call((done) => channel.writeFile(`${L}/.overworld-2.part`, Buffer.alloc(8_000_000), done));
    await expect(more).rejects.toThrow('The disk is full');
    other.end();
    expect(await readFile(join(folder, 'world'), 'utf8')).toBe('old');
    const after = await openSsh.sftp(
      `rm ${L}/.overworld-*.part\nput ${join(full.data, 'config', 'keys.json')} ${L}/small\n`,
    );
    expect(after.code, after.output).toBe(0);
    await openSsh.close();
    await full.close();
  });

  it('stops the upload of a client whose key is removed, and keeps the existing file', async () => {
    const person = await master.authorize('operator');
    const going = await connect(master, person);
    const closed = once(going, 'close');
    const channel = await openSftp(going);
    await writeFile(join(lobby, 'world'), 'old');
    const handle = await call<Buffer>((done) => channel.open(`${L}/.overworld-1.part`, 'wx', done));
    const piece = Buffer.alloc(32_768, 7);
    let [written, cut] = [0, false];
    const writing = (async () => {
      for (;;) {
        await call((done) => channel.write(handle, piece, 0, piece.length, written, done));
        written += piece.length;
      }
    })().catch(() => {
      cut = true;
    });
    await waitFor(() => (written > 1_000_000 ? true : null));
    const revokedAt = performance.now();
    await master.keys.remove(person.name);
    await closed;
    // The connection closes at once, but slow machines take longer.
    expect(performance.now() - revokedAt).toBeLessThan(5_000);
    // The pending write gets no answer. The library either reports the missing answer, or never settles the promise.
    await Promise.race([
      writing,
      waitFor(() => (cut ? true : null), { timeoutMs: 500 }).catch(() => undefined),
    ]);
    expect(await readFile(join(lobby, 'world'), 'utf8')).toBe('old');
    await expect(connect(master, person)).rejects.toThrow();
    // The master has closed the file, so its size no longer changes.
    const size = (await readFile(join(lobby, '.overworld-1.part'))).length;
    await call((done) => sftp.unlink(`${L}/.overworld-1.part`, done));
    expect(size).toBeLessThan(written + 64 * piece.length);
  });
});

describe('a client that behaves like FileZilla', () => {
  it('can use several channels, parallel requests and keepalives, and can set times of closed files', async () => {
    const person = await master.authorize('operator');
    const own = await connect(master, person, { keepaliveInterval: 50, keepaliveCountMax: 2 });
    const channels = await Promise.all(Array.from({ length: 4 }, () => openSftp(own)));
    const [browsing, ...moving] = channels;
    if (browsing === undefined) throw new Error('no channel was opened');
    await expect(call<unknown>((done) => browsing.realpath('.', done))).resolves.toBe('/');
    await expect(call<unknown>((done) => browsing.realpath(`${L}/..`, done))).resolves.toBe('/templates');
    await Promise.all(
      moving.map(async (channel, n) => {
        const path = `${L}/file-${n}`;
        for (let round = 0; round < 20; round += 1) {
          await statusOf(call((done) => channel.stat(path, done)));
          const handle = await call<Buffer>((done) => channel.open(path, 'w', done));
          await call((done) =>
            channel.write(handle, Buffer.from(`${round}`), 0, String(round).length, 0, done),
          );
          await call((done) => channel.close(handle, done));
          await call((done) =>
            channel.setstat(path, { atime: 1_600_000_000, mtime: 1_600_000_000 + n }, done),
          );
        }
      }),
    );
    const listed = await call<{ filename: string; longname: string; attrs: { mtime: number } }[]>((done) =>
      browsing.readdir(L, done),
    );
    expect(listed.map(({ filename, attrs }) => [filename, attrs.mtime]).sort()).toEqual(
      moving.map((_, n) => [`file-${n}`, 1_600_000_000 + n]),
    );
    expect(listed[0]?.longname).toMatch(/^-rw-r----- +\d+ +\S+ +\S+ +2 Sep 13 +2020 file-\d$/);
    let alive = true;
    own.once('close', () => {
      alive = false;
    });
    // Wait for twenty keep-alive intervals. The client would disconnect after two intervals without an answer.
    const until = performance.now() + 1_000;
    await waitFor(() => (performance.now() > until ? true : null));
    expect(alive).toBe(true);
    own.end();
  });
});
