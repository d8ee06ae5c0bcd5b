import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, SFTPWrapper, Stats } from 'ssh2';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { connect, startAdminMaster, type AdminMaster } from '#test/support/master/admin-master.ts';
import { call, openSftp } from '#test/support/files/sftp.ts';

/**
 * These tests check guarantees that the protocol does not give, but on which clients rely. Without these guarantees,
 * clients fail or lose data.
 */

let master: AdminMaster;
let client: Client;
let sftp: SFTPWrapper;
const L = '/templates/lobby';

beforeAll(async () => {
  master = await startAdminMaster();
  client = await connect(master, await master.authorize('operator'));
  sftp = await openSftp(client);
  await mkdir(join(master.data, 'templates', 'lobby'));
});
afterAll(async () => {
  client.end();
  await master.close();
});

it('the SFTP server answers requests in their order, because scp -s would truncate files otherwise', async () => {
  await writeFile(join(master.data, 'templates', 'lobby', 'big'), randomBytes(4_000_000));
  const handle = await call<Buffer>((done) => sftp.open(`${L}/big`, 'r', done));
  for (let round = 0; round < 10; round += 1) {
    const order: number[] = [];
    // Long and short reads alternate with requests about names, which complete immediately.
    const asked = Array.from({ length: 60 }, (_, n) =>
      n % 3 === 2
        ? call<unknown>((done) => sftp.lstat(`${L}/big`, done)).then(() => order.push(n))
        : call<unknown>((done) => {
            const length = n % 3 === 0 ? 32_768 : 1;
            sftp.read(handle, Buffer.alloc(length), 0, length, n * 60_000, done);
          }).then(() => order.push(n)),
    );
    await Promise.all(asked);
    expect(order).toEqual([...order].sort((a, b) => a - b));
  }
  await call((done) => sftp.close(handle, done));
});

it('the SFTP server handles a request about a name after earlier changes to this name, as sshfs expects', async () => {
  for (let round = 0; round < 30; round += 1) {
    const folder = `${L}/new-${round}`;
    const results = await Promise.allSettled([
      call((done) => sftp.mkdir(folder, done)),
      call<Buffer>((done) => sftp.open(`${folder}/file`, 'wx', done)).then((handle) =>
        call((done) => sftp.close(handle, done)),
      ),
      call<unknown>((done) => sftp.lstat(`${folder}/file`, done)),
      call((done) => sftp.ext_openssh_rename(`${folder}/file`, `${folder}/other`, done)),
      call<unknown>((done) => sftp.stat(`${folder}/other`, done)),
      call((done) => sftp.unlink(`${folder}/other`, done)),
      call((done) => sftp.rmdir(folder, done)),
      call((done) => sftp.mkdir(folder, done)),
    ]);
    expect(results.map(({ status }) => status)).toEqual(results.map(() => 'fulfilled'));
  }
});

it('the SFTP server handles a request about a name after earlier writes to this file, as sshfs expects', async () => {
  for (let round = 0; round < 30; round += 1) {
    const path = `${L}/written-${round}`;
    const handle = await call<Buffer>((done) => sftp.open(path, 'w', done));
    const part = Buffer.alloc(32_768, 'x');
    const writes = Array.from({ length: 8 }, (_, n) =>
      call((done) => sftp.write(handle, part, 0, part.length, n * part.length, done)),
    );
    const times = call((done) => sftp.futimes(handle, 1_500_000_000, 1_600_000_000, done));
    const { size, mtime } = await call<Stats>((done) => sftp.lstat(path, done));
    expect([size, mtime]).toEqual([8 * part.length, 1_600_000_000]);
    await Promise.all([...writes, times]);
    await call((done) => sftp.close(handle, done));
  }
});

it('the SFTP server shows written data through all handles of a file', async () => {
  const path = `${L}/shared`;
  const writer = await call<Buffer>((done) => sftp.open(path, 'w', done));
  const reader = await call<Buffer>((done) => sftp.open(path, 'r', done));
  for (let round = 0; round < 30; round += 1) {
    const sent = randomBytes(100_000);
    const got = Buffer.alloc(30_000);
    const [, stats] = await Promise.all([
      call((done) => sftp.write(writer, sent, 0, sent.length, round * sent.length, done)),
      call<Stats>((done) => sftp.fstat(reader, done)),
      call<number>((done) => sftp.read(reader, got, 0, got.length, round * sent.length + 70_000, done)),
    ]);
    expect(stats.size).toBe((round + 1) * sent.length);
    expect(got.equals(sent.subarray(70_000))).toBe(true);
  }
  for (const handle of [writer, reader]) await call((done) => sftp.close(handle, done));
});
