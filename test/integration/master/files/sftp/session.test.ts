import { mkdir, readdir, readlink, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import ssh2, { type Client, type SFTPWrapper } from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  connect,
  openSubsystem,
  startAdminMaster,
  type AdminMaster,
} from '#test/support/master/admin-master.ts';
import { field, framed, u32 } from '#test/support/files/raw-sftp.ts';
import { call, openSftp, statusOf } from '#test/support/files/sftp.ts';
import { waitFor } from '#test/support/wait-for.ts';

const status = ssh2.utils.sftp.STATUS_CODE;
const L = '/templates/lobby';

let master: AdminMaster;
let client: Client;
let sftp: SFTPWrapper;
let lobby: string;

beforeAll(async () => {
  master = await startAdminMaster();
  client = await connect(master, await master.authorize('operator'));
  sftp = await openSftp(client);
  lobby = join(master.data, 'templates', 'lobby');
});
afterAll(async () => {
  client.end();
  await master.close();
});
beforeEach(async () => {
  await rm(lobby, { recursive: true, force: true });
  await mkdir(lobby, { recursive: true });
});

describe('an SFTP session', () => {
  it('can have at most 256 open files, and closes them when it ends', async () => {
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

  it('uses limited memory if a client sends many requests and reads no answers', async () => {
    await writeFile(join(lobby, 'big'), Buffer.alloc(2_000_000));
    const channel = await openSubsystem(client, 'sftp');
    channel.pause();
    const before = process.memoryUsage().rss;
    channel.write(framed(1, u32(3)));
    channel.write(framed(3, u32(1), field(`${L}/big`), u32(1), u32(0)));
    await waitFor(async () => (await openFiles()) >= 1);
    // The answers to 20,000 requests for 255 KB each would take 5 GB if the server kept all of them in memory.
    const read = framed(5, u32(2), u32(4), u32(1), u32(0), u32(0), u32(261_120));
    for (let i = 0; i < 200; i += 1) channel.write(Buffer.concat(Array.from({ length: 100 }, () => read)));
    // Other sessions still get answers.
    await call<ssh2.Stats>((done) => sftp.stat(L, done));
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000);
    channel.destroy();
    await waitFor(async () => (await openFiles()) === 0);
  });

  const malformed: { readonly name: string; readonly bytes: Buffer }[] = [
    { name: 'a packet of 4 GB', bytes: u32(0xffff_ffff) },
    { name: 'a packet of 256 KB and one byte', bytes: u32(256 * 1024 + 1) },
    { name: 'an empty packet', bytes: u32(0) },
    { name: 'a missing INIT', bytes: framed(17, u32(1), field('/')) },
    { name: 'a second INIT', bytes: Buffer.concat([framed(1, u32(3)), framed(1, u32(3))]) },
    {
      name: 'a path longer than its packet',
      bytes: Buffer.concat([framed(1, u32(3)), framed(17, u32(1), u32(999))]),
    },
    { name: 'a request without an id', bytes: Buffer.concat([framed(1, u32(3)), framed(17)]) },
    {
      name: 'a wrong number of attributes',
      bytes: Buffer.concat([
        framed(1, u32(3)),
        framed(9, u32(1), field(L), u32(0x8000_0000), u32(0xffff_ffff)),
      ]),
    },
  ];
  it.each(malformed)('is closed without an effect on other sessions after $name', async ({ bytes }) => {
    const channel = await openSubsystem(client, 'sftp');
    const end = closed(channel);
    channel.write(bytes);
    await end;
    const stats = await call<ssh2.Stats>((done) => sftp.stat('/', done));
    expect(stats.isDirectory()).toBe(true);
  });

  it('refuses unknown requests, and can still be used', async () => {
    const channel = await openSubsystem(client, 'sftp');
    const received: Buffer[] = [];
    channel.on('data', (data: Buffer) => received.push(data));
    channel.write(framed(1, u32(3)));
    channel.write(framed(99, u32(7)));
    channel.write(framed(200, u32(8), field('sing@example.org')));
    channel.write(framed(16, u32(9), field('.')));
    const all = await waitFor(() => {
      const bytes = Buffer.concat(received);
      return bytes.includes(Buffer.concat([u32(9), u32(1), field('/')])) && bytes;
    });
    expect(all.includes(Buffer.concat([Buffer.from([101]), u32(7), u32(8)]))).toBe(true);
    expect(all.includes(Buffer.concat([Buffer.from([101]), u32(8), u32(8)]))).toBe(true);
    channel.destroy();
  });
});

/** Returns the number of files of the lobby that this process has open. The master runs in this process. */
async function openFiles(): Promise<number> {
  const links = await Promise.all(
    (await readdir('/proc/self/fd')).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => '')),
  );
  return links.filter((path) => path.startsWith(lobby)).length;
}

function closed(stream: Duplex): Promise<void> {
  stream.resume();
  return new Promise((resolve) => stream.on('close', () => resolve()));
}
