import { execFile } from 'node:child_process';
import {
  mkdir,
  open as openFile,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createHash, randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Duplex } from 'node:stream';
import ssh2, { type Client, type SFTPWrapper } from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  connect,
  openSubsystem,
  startAdminMaster,
  type AdminMaster,
} from '#test/support/master/admin-master.ts';
import { openSshAs, type OpenSsh } from '#test/support/files/openssh.ts';
import { call, openSftp, statusOf } from '#test/support/files/sftp.ts';
import { waitFor } from '#test/support/wait-for.ts';

const status = ssh2.utils.sftp.STATUS_CODE;
const L = '/templates/lobby';

let master: AdminMaster;
let client: Client;
let sftp: SFTPWrapper;
let openSsh: OpenSsh;
let lobby: string;
let operatorName: string;

beforeAll(async () => {
  master = await startAdminMaster();
  const operator = await master.authorize('operator');
  operatorName = operator.name;
  client = await connect(master, operator);
  sftp = await openSftp(client);
  openSsh = await openSshAs(master, operator);
  lobby = join(master.data, 'templates', 'lobby');
});
afterAll(async () => {
  client.end();
  await openSsh.close();
  await master.close();
});
beforeEach(async () => {
  await rm(lobby, { recursive: true, force: true });
  await mkdir(lobby, { recursive: true });
  master.fileEvents.length = 0;
});

describe("with OpenSSH's client", () => {
  it('uploads, lists, renames, downloads, removes, and exits', async () => {
    const content = randomBytes(3_000_000);
    const local = join(master.data, 'local');
    await writeFile(`${local}.up`, content);
    const result = await openSsh.sftp(
      [
        `put ${local}.up ${L}/server.jar.part`,
        `rename ${L}/server.jar.part ${L}/server.jar`,
        `mkdir ${L}/plugins`,
        `ls -la ${L}`,
        `get ${L}/server.jar ${local}.down`,
        `df ${L}`,
        `chmod 600 ${L}/server.jar`,
        `rmdir ${L}/plugins`,
        'pwd',
      ].join('\n'),
    );
    expect(result).toMatchObject({ code: 0 });
    expect(result.output).toMatch(/-rw-r----- +1 +\S+ +\S+ +3000000 .* (\/templates\/lobby\/)?server\.jar/);
    expect(result.output).toContain('Remote working directory: /');
    expect(sha(await readFile(join(lobby, 'server.jar')))).toBe(sha(content));
    expect(sha(await readFile(`${local}.down`))).toBe(sha(content));
    expect((await stat(join(lobby, 'server.jar'))).mode & 0o777).toBe(0o600);
    expect(master.fileEvents).toEqual([
      { kind: 'files.written', path: `${L}/server.jar.part`, template: 'lobby', actor: operatorName },
      {
        kind: 'files.renamed',
        path: `${L}/server.jar.part`,
        to: `${L}/server.jar`,
        template: 'lobby',
        actor: operatorName,
      },
      { kind: 'files.deleted', path: `${L}/plugins`, template: 'lobby', actor: operatorName },
    ]);
  });

  it('uploads whole folders and downloads them with their times', async () => {
    const source = join(master.data, 'source');
    await mkdir(join(source, 'a', 'b'), { recursive: true });
    for (let i = 0; i < 50; i += 1) await writeFile(join(source, 'a', 'b', `file ${i}`), `content ${i}`);
    const there = await openSsh.sftp(`put -pR ${source} ${L}\n`);
    expect(there).toMatchObject({ code: 0 });
    const back = await openSsh.sftp(`get -pR ${L}/source ${source}.back\n`);
    expect(back).toMatchObject({ code: 0 });
    expect(await readdir(join(`${source}.back`, 'a', 'b'))).toHaveLength(50);
    const [first, last] = await Promise.all([
      stat(join(source, 'a', 'b', 'file 7')),
      stat(join(lobby, 'source', 'a', 'b', 'file 7')),
    ]);
    expect(Math.floor(last.mtimeMs / 1000)).toBe(Math.floor(first.mtimeMs / 1000));
  });

  it('receives the reason of a refusal in words', async () => {
    const { code, output } = await openSsh.sftp(`rm ${L}/no\n`);
    expect(code).toBe(1);
    expect(output).toMatch(/No such file/i);
    // OpenSSH uses its own words for the status; other clients show the master's sentence.
    await expect(call((done) => sftp.mkdir('/templates/new', done))).rejects.toThrow(
      'in the app, not by SFTP',
    );
  });

  it('rekeys during a transfer', async () => {
    const content = randomBytes(8_000_000);
    await writeFile(join(master.data, 'big'), content);
    const result = await openSsh.sftp(`put ${join(master.data, 'big')} ${L}/big\n`, '-o', 'RekeyLimit=1M');
    expect(result).toMatchObject({ code: 0 });
    expect(sha(await readFile(join(lobby, 'big')))).toBe(sha(content));
  });
});

describe('files', () => {
  it('are preserved at sizes around the packet size', async () => {
    for (const size of [0, 1, 32_767, 32_768, 32_769, 262_144, 1_000_001]) {
      const content = randomBytes(size);
      await call((done) => sftp.writeFile(`${L}/edge`, content, done));
      const back = await call<Buffer>((done) => sftp.readFile(`${L}/edge`, done));
      expect(sha(back)).toBe(sha(content));
    }
  });

  it('handle requests in the order in which they were sent without waiting', async () => {
    const handle = await call<Buffer>((done) => sftp.open(`${L}/order`, 'w+', done));
    const seen: string[] = [];
    const requests = [
      call((done) => sftp.write(handle, Buffer.from('aaaa'), 0, 4, 0, done)),
      call((done) => sftp.write(handle, Buffer.from('bbbb'), 0, 4, 2, done)),
      call((done) => sftp.write(handle, Buffer.from('cc'), 0, 2, 6, done)),
      call<ssh2.Stats>((done) => sftp.fstat(handle, done)).then(({ size }) => seen.push(`size ${size}`)),
      call((done) => sftp.fsetstat(handle, { size: 7 }, done)),
      call((done) => sftp.ext_openssh_fsync(handle, done)),
      call((done) => sftp.close(handle, done)),
    ];
    await Promise.all(requests);
    expect(seen).toEqual(['size 8']);
    await expect(readFile(join(lobby, 'order'), 'utf8')).resolves.toBe('aabbbbc');
  });

  it('append at the end whatever offset the client sends', async () => {
    await writeFile(join(lobby, 'log'), 'first ');
    const handle = await call<Buffer>((done) => sftp.open(`${L}/log`, 'a', done));
    await call((done) => sftp.write(handle, Buffer.from('second'), 0, 6, 0, done));
    await call((done) => sftp.close(handle, done));
    await expect(readFile(join(lobby, 'log'), 'utf8')).resolves.toBe('first second');
  });

  it('are created, written, closed and removed many times in a row', async () => {
    // More often than it takes until the event loop makes these calls.
    for (let n = 0; n < 20; n += 1) {
      const handle = await call<Buffer>((done) => sftp.open(`${L}/new`, 'wx', done));
      await call((done) => sftp.write(handle, Buffer.from(`text ${n}`), 0, 6, 0, done));
      await expect(statusOf(call((done) => sftp.open(`${L}/new`, 'wx', done)))).resolves.toBe(status.FAILURE);
      await call((done) => sftp.close(handle, done));
      await expect(readFile(join(lobby, 'new'), 'utf8')).resolves.toBe(`text ${n}`.slice(0, 6));
      expect((await stat(join(lobby, 'new'))).mode & 0o777).toBe(0o640);
      await call((done) => sftp.unlink(`${L}/new`, done));
      await expect(statusOf(call((done) => sftp.unlink(`${L}/new`, done)))).resolves.toBe(
        status.NO_SUCH_FILE,
      );
    }
  });

  it('return data that was written after they were opened', async () => {
    const path = join(lobby, 'small');
    await writeFile(path, 'first');
    const handle = await call<Buffer>((done) => sftp.open(`${L}/small`, 'r', done));
    const read = async (position: number): Promise<string> => {
      const into = Buffer.alloc(100_000);
      const bytes = await call<number>((done) => sftp.read(handle, into, 0, into.length, position, done));
      return into.toString('utf8', 0, bytes);
    };
    // More often than it takes until the event loop reads.
    for (const text of ['first', 'FIRST', 'other', '12345', 'again', 'again and more']) {
      await writeFile(path, text);
      expect(await read(0)).toBe(text);
    }
    expect(await read(5)).toBe(' and more');
    await writeFile(path, Buffer.alloc(90_000, 'x'));
    expect(await read(0)).toBe('x'.repeat(90_000));
    await call((done) => sftp.close(handle, done));
  });

  it('are created with restricted permissions; the execute bit is kept', async () => {
    const cases: readonly (readonly [number, number])[] = [
      [0o666, 0o640],
      [0o777, 0o750],
      [0o4777, 0o750],
    ];
    for (const [asked, got] of cases) {
      await rm(join(lobby, 'new'), { force: true });
      const handle = await call<Buffer>((done) => sftp.open(`${L}/new`, 'w', { mode: asked }, done));
      await call((done) => sftp.close(handle, done));
      expect((await stat(join(lobby, 'new'))).mode & 0o7777).toBe(got);
    }
    await call((done) => sftp.chmod(`${L}/new`, 0o6444, done));
    expect((await stat(join(lobby, 'new'))).mode & 0o7777).toBe(0o644);
    await call((done) => sftp.mkdir(`${L}/folder`, done));
    expect((await stat(join(lobby, 'folder'))).mode & 0o7777).toBe(0o750);
    await expect(statusOf(call((done) => sftp.chown(`${L}/new`, 1, 1, done)))).resolves.toBe(
      status.PERMISSION_DENIED,
    );
  });

  const refused: { readonly name: string; readonly want: number; readonly run: () => Promise<unknown> }[] = [
    {
      name: 'reading a missing file',
      want: status.NO_SUCH_FILE,
      run: () => call((done) => sftp.open(`${L}/no`, 'r', done)),
    },
    {
      name: 'using a file as a folder',
      want: status.NO_SUCH_FILE,
      run: () => call((done) => sftp.stat(`${L}/file/x`, done)),
    },
    {
      name: 'exclusive creation of an existing file',
      want: status.FAILURE,
      run: () => call((done) => sftp.open(`${L}/file`, 'wx', done)),
    },
    { name: 'opening a folder', want: status.FAILURE, run: () => call((done) => sftp.open(L, 'r', done)) },
    {
      name: 'removing a folder as a file',
      want: status.FAILURE,
      run: () => call((done) => sftp.unlink(`${L}/full`, done)),
    },
    {
      name: 'removing a folder that is not empty',
      want: status.FAILURE,
      run: () => call((done) => sftp.rmdir(`${L}/full`, done)),
    },
    {
      name: 'listing a file',
      want: status.FAILURE,
      run: () => call((done) => sftp.opendir(`${L}/file`, done)),
    },
    {
      name: 'renaming over a file',
      want: status.FAILURE,
      run: () => call((done) => sftp.rename(`${L}/file`, `${L}/other`, done)),
    },
    {
      name: 'renaming over an empty folder',
      want: status.FAILURE,
      run: () => call((done) => sftp.rename(`${L}/full`, `${L}/empty`, done)),
    },
    {
      name: 'moving a folder into itself',
      want: status.FAILURE,
      run: () => call((done) => sftp.rename(`${L}/full`, `${L}/full/x`, done)),
    },
    {
      name: 'creating an existing folder',
      want: status.FAILURE,
      run: () => call((done) => sftp.mkdir(`${L}/full`, done)),
    },
    {
      name: 'reading a pipe',
      want: status.FAILURE,
      run: () => call((done) => sftp.open(`${L}/pipe`, 'r', done)),
    },
    {
      name: 'writing to a pipe',
      want: status.FAILURE,
      run: () => call((done) => sftp.open(`${L}/pipe`, 'w', done)),
    },
    {
      name: 'an invalid handle',
      want: status.FAILURE,
      run: () => call((done) => sftp.close(Buffer.from('nope!'), done)),
    },
    {
      name: 'creating a hard link',
      want: status.PERMISSION_DENIED,
      run: () => call((done) => sftp.ext_openssh_hardlink(`${L}/file`, `${L}/twin`, done)),
    },
  ];
  it.each(refused)('return an error status: $name', async ({ want, run }) => {
    await writeFile(join(lobby, 'file'), 'mine');
    await writeFile(join(lobby, 'other'), 'other');
    await mkdir(join(lobby, 'full', 'of'), { recursive: true });
    await mkdir(join(lobby, 'empty'));
    await makePipe(join(lobby, 'pipe'));
    // The library checks the announced extensions; hardlink is not announced, so this sends it anyway.
    (sftp as unknown as { _extensions: Record<string, string> })._extensions['hardlink@openssh.com'] = '1';
    await expect(statusOf(run())).resolves.toBe(want);
    await expect(readFile(join(lobby, 'other'), 'utf8')).resolves.toBe('other');
    expect((await readdir(lobby)).sort()).toEqual(['empty', 'file', 'full', 'other', 'pipe']);
  });

  it('are replaced atomically by posix-rename', async () => {
    await writeFile(join(lobby, 'new'), 'new');
    await writeFile(join(lobby, 'old'), 'old');
    await call((done) => sftp.ext_openssh_rename(`${L}/new`, `${L}/old`, done));
    await expect(readFile(join(lobby, 'old'), 'utf8')).resolves.toBe('new');
  });

  it('return the target of a link', async () => {
    await symlink('target', join(lobby, 'link'));
    await expect(call<string>((done) => sftp.readlink(`${L}/link`, done))).resolves.toBe('target');
  });
});

describe('folders', () => {
  it('list the areas in the root', async () => {
    const entries = await call<{ filename: string }[]>((done) => sftp.readdir('/', done));
    expect(entries.map(({ filename }) => filename)).toEqual(['templates', 'files']);
    await expect(
      call<string>((done) => sftp.realpath('templates/../templates/./lobby/', done)),
    ).resolves.toBe(L);
    await expect(call<string>((done) => sftp.realpath('../../..', done))).resolves.toBe('/');
  });

  it('of 10,000 files are listed completely while other requests are answered', async () => {
    await mkdir(join(lobby, 'many'));
    for (let i = 0; i < 10_000; i += 1) await (await openFile(join(lobby, 'many', `file-${i}`), 'w')).close();
    let meanwhile = 0;
    const listed = new AbortController();
    const other = await openSftp(client);
    const asking = (async () => {
      while (!listed.signal.aborted) {
        await call<ssh2.Stats>((done) => other.stat(L, done));
        meanwhile += 1;
      }
    })();
    const entries = await call<{ filename: string }[]>((done) => sftp.readdir(`${L}/many`, done));
    listed.abort();
    await asking;
    expect(new Set(entries.map(({ filename }) => filename)).size).toBe(10_000);
    expect(meanwhile).toBeGreaterThan(10);
  });

  it('with names that are not UTF-8 can be listed and emptied', async () => {
    const name = Buffer.from([0x66, 0xff, 0xfe, 0x2e]);
    await writeFile(Buffer.concat([Buffer.from(`${lobby}/`), name]), 'x');
    const result = await openSsh.sftp(`rm ${L}/*\n`);
    expect(result).toMatchObject({ code: 0 });
    await expect(readdir(lobby)).resolves.toEqual([]);
  });
});

describe('a viewer', () => {
  it('reads everything and changes nothing', async () => {
    const viewer = await connect(master, await master.authorize('viewer'));
    const view = await openSftp(viewer);
    await writeFile(join(lobby, 'file'), 'mine');
    await expect(call<Buffer>((done) => view.readFile(`${L}/file`, done))).resolves.toEqual(
      Buffer.from('mine'),
    );
    const changes = [
      call((done) => view.writeFile(`${L}/file`, 'x', done)),
      call<Buffer>((done) => view.open(`${L}/file`, 'r+', done)),
      call<Buffer>((done) => view.open(`${L}/new`, 'wx', done)),
      call((done) => view.unlink(`${L}/file`, done)),
      call((done) => view.rename(`${L}/file`, `${L}/x`, done)),
      call((done) => view.ext_openssh_rename(`${L}/file`, `${L}/x`, done)),
      call((done) => view.mkdir(`${L}/x`, done)),
      call((done) => view.rmdir(`${L}/x`, done)),
      call((done) => view.chmod(`${L}/file`, 0o777, done)),
    ];
    const statuses = await Promise.all(changes.map(statusOf));
    expect(statuses).toEqual(changes.map(() => status.PERMISSION_DENIED));
    await expect(readFile(join(lobby, 'file'), 'utf8')).resolves.toBe('mine');
    viewer.end();
  });
});

describe('an SFTP session', () => {
  it('allows 256 open files, and closes all of them when it ends', async () => {
    await writeFile(join(lobby, 'file'), 'x');
    const other = await openSftp(client);
    for (let i = 0; i < 256; i += 1) await call<Buffer>((done) => other.open(`${L}/file`, 'r', done));
    await expect(statusOf(call<Buffer>((done) => other.open(`${L}/file`, 'r', done)))).resolves.toBe(
      status.FAILURE,
    );
    expect(await openFiles()).toBeGreaterThanOrEqual(256);
    other.end();
    await waitFor(async () => (await openFiles()) < 10);
  });

  it('uses bounded memory for a client that requests much and reads nothing', async () => {
    await writeFile(join(lobby, 'big'), Buffer.alloc(2_000_000));
    const channel = await openSubsystem(client, 'sftp');
    channel.pause();
    const before = process.memoryUsage().rss;
    channel.write(packet(1, u32(3)));
    channel.write(packet(3, u32(1), text(`${L}/big`), u32(1), u32(0)));
    await waitFor(async () => (await openFiles()) >= 1);
    // 20,000 requests for 255 KB each: 5 GB if all were answered into memory.
    const read = packet(5, u32(2), u32(4), u32(1), u32(0), u32(0), u32(261_120));
    for (let i = 0; i < 200; i += 1) channel.write(Buffer.concat(Array.from({ length: 100 }, () => read)));
    // Other sessions continue meanwhile.
    await call<ssh2.Stats>((done) => sftp.stat(L, done));
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
    channel.destroy();
    await waitFor(async () => (await openFiles()) === 0);
  });

  const malformed: { readonly name: string; readonly bytes: Buffer }[] = [
    { name: 'a packet of 4 GB', bytes: u32(0xffff_ffff) },
    { name: 'a packet of 256 KB and one byte', bytes: u32(256 * 1024 + 1) },
    { name: 'an empty packet', bytes: u32(0) },
    { name: 'a missing INIT', bytes: packet(17, u32(1), text('/')) },
    { name: 'a second INIT', bytes: Buffer.concat([packet(1, u32(3)), packet(1, u32(3))]) },
    {
      name: 'a path longer than its packet',
      bytes: Buffer.concat([packet(1, u32(3)), packet(17, u32(1), u32(999))]),
    },
    { name: 'a request without an id', bytes: Buffer.concat([packet(1, u32(3)), packet(17)]) },
    {
      name: 'a wrong number of attributes',
      bytes: Buffer.concat([
        packet(1, u32(3)),
        packet(9, u32(1), text(L), u32(0x8000_0000), u32(0xffff_ffff)),
      ]),
    },
  ];
  it.each(malformed)('is closed alone after $name', async ({ bytes }) => {
    const channel = await openSubsystem(client, 'sftp');
    const end = closed(channel);
    channel.write(bytes);
    await end;
    const stats = await call<ssh2.Stats>((done) => sftp.stat('/', done));
    expect(stats.isDirectory()).toBe(true);
  });

  it('refuses unknown requests and continues', async () => {
    const channel = await openSubsystem(client, 'sftp');
    const received: Buffer[] = [];
    channel.on('data', (data: Buffer) => received.push(data));
    channel.write(packet(1, u32(3)));
    channel.write(packet(99, u32(7)));
    channel.write(packet(200, u32(8), text('sing@example.org')));
    channel.write(packet(16, u32(9), text('.')));
    const all = await waitFor(() => {
      const bytes = Buffer.concat(received);
      return bytes.includes(Buffer.concat([u32(9), u32(1), text('/')])) && bytes;
    });
    expect(all.includes(Buffer.concat([Buffer.from([101]), u32(7), u32(8)]))).toBe(true);
    expect(all.includes(Buffer.concat([Buffer.from([101]), u32(8), u32(8)]))).toBe(true);
    channel.destroy();
  });
});

/** Returns the number of the lobby's files that this process has open; the master runs in it. */
async function openFiles(): Promise<number> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return links.filter((path) => path.startsWith(lobby)).length;
}

async function makePipe(path: string): Promise<void> {
  await promisify(execFile)('mkfifo', [path]);
}

function closed(stream: Duplex): Promise<void> {
  stream.resume();
  return new Promise((resolve) => stream.on('close', () => resolve()));
}

function sha(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function u32(value: number): Buffer {
  const out = Buffer.alloc(4);
  out.writeUInt32BE(value);
  return out;
}

function text(value: string): Buffer {
  return Buffer.concat([u32(Buffer.byteLength(value)), Buffer.from(value)]);
}

function packet(type: number, ...fields: Buffer[]): Buffer {
  const body = Buffer.concat([Buffer.from([type]), ...fields]);
  return Buffer.concat([u32(body.length), body]);
}
