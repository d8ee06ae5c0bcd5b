import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { SFTPWrapper } from 'ssh2';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MessageConnection } from 'vscode-jsonrpc/node';
import { filesHandlers } from '#master/admin/handlers/files.ts';
import { Tasks } from '#master/files/tasks/tasks.ts';
import { PutChannel } from '#main/transfers/remote/put-channel.ts';
import { toRemoteError } from '#main/transfers/remote/file-errors.ts';
import { connect, openRpc, startAdminMaster, type AdminMaster } from '#test/support/master/admin-master.ts';
import { openRawSftp, field, u32, u64, type RawSftp } from '#test/support/files/raw-sftp.ts';
import { call, openSftp } from '#test/support/files/sftp.ts';
import { canMount, smallDisk } from '#test/support/files/small-disk.ts';

/** These tests check the reserve with a real disk of 16 MB. A quarter of the disk is reserved. */

const MB = 1_048_576;
const DISK = 16 * MB;
const RESERVE = 4 * MB;
const FAILURE = 4;
const L = '/templates/lobby';
const SIZE_ATTR = 1;
const request = { OPEN: 3, CLOSE: 4, WRITE: 6, SETSTAT: 9, FSETSTAT: 10, EXTENDED: 200 };
const flags = { READ: 1, WRITE: 2, CREAT: 8, TRUNC: 16 };

interface Place {
  readonly master: AdminMaster;
  readonly sftp: SFTPWrapper;
  readonly raw: RawSftp;
  readonly puts: PutChannel;
  readonly rpc: MessageConnection;
  /** Folder of the template `lobby` on the small disk. */
  readonly lobby: string;
  /** Reads the free space of the disk (bytes). */
  readonly free: () => Promise<number>;
}

async function start(): Promise<Place> {
  const disk = smallDisk(DISK / MB);
  const folders = { templates: join(disk, 'templates'), files: join(disk, 'files') };
  const master = await startAdminMaster({
    folders,
    reserveBytes: 1024 * MB,
    handlers: (jobs) =>
      filesHandlers({
        ...{ jobs, events: { add: () => undefined }, viewersRead: () => true, tasks: new Tasks() },
      }),
  });
  const client = await connect(master, await master.authorize('operator'));
  onTestFinished(async () => {
    client.end();
    await master.close();
  });
  const lobby = join(folders.templates, 'lobby');
  await mkdir(lobby);
  const puts = await PutChannel.open(client);
  if (puts === null) throw new Error('the master does not offer put-file');
  const free = async (): Promise<number> => {
    const { bavail, bsize } = await statfs(disk);
    return bavail * bsize;
  };
  const [sftp, raw, rpc] = [await openSftp(client), await openRawSftp(client), await openRpc(client)];
  return { master, sftp, raw, rpc, puts, lobby, free };
}

const write = (sftp: SFTPWrapper, path: string, bytes: number): Promise<void> =>
  call((done) => sftp.writeFile(path, Buffer.alloc(bytes, 1), done));

/** Opens a file and returns its handle. */
async function openRaw(raw: RawSftp, name: string, how = flags.WRITE | flags.CREAT): Promise<Buffer> {
  const { body, status } = await raw.ask(request.OPEN, field(`${L}/${name}`), u32(how), u32(0));
  expect(status).toBeNull();
  return body.subarray(4);
}

/** Returns status and text of a refused request. */
function refusal({ status, body }: { status: number | null; body: Buffer }): [number | null, string] {
  return [status, body.subarray(8, 8 + body.readUInt32BE(4)).toString()];
}

describe.skipIf(!canMount)('the disk reserve (disk space that uploads and copies must not use)', () => {
  it('prevents an upload that would use it, explains why, and leaves no part of the file', async () => {
    const { sftp, lobby, free } = await start();
    await write(sftp, `${L}/small.jar`, 8 * MB);
    const error = await write(sftp, `${L}/world.zip`, 7 * MB).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: FAILURE });
    expect(String(error)).toMatch(/The master's disk has .* 4 MB are reserved for the master's own data\./);
    expect(toRemoteError(error, `${L}/world.zip`)).toMatchObject({ code: 'DISK_RESERVED' });
    expect(await readdir(lobby)).toEqual(['small.jar']);
    expect(await free()).toBeGreaterThanOrEqual(RESERVE);
    await call((done) => sftp.unlink(`${L}/small.jar`, done));
    await write(sftp, `${L}/world.zip`, 7 * MB);
  });

  it('remains free while uploads continue endlessly at the same time', async () => {
    const { sftp, free } = await start();
    const uploads = ['a', 'b', 'c', 'd'].map((name) => write(sftp, `${L}/${name}`, 5 * MB));
    let lowest = Infinity;
    const results = Promise.allSettled(uploads);
    const running = { now: true };
    void results.then(() => (running.now = false));
    while (running.now) lowest = Math.min(lowest, await free());
    expect((await results).some(({ status }) => status === 'rejected')).toBe(true);
    expect(lowest).toBeGreaterThanOrEqual(RESERVE);
  });

  it('prevents an upload that continues an existing file, and keeps this file', async () => {
    const { raw, lobby } = await start();
    await writeFile(join(lobby, 'world.zip'), Buffer.alloc(11 * MB));
    const handle = await openRaw(raw, 'world.zip', flags.WRITE);
    for (let at = 11 * MB; ; at += 200_000) {
      const answer = await raw.ask(request.WRITE, field(handle), u64(at), field(Buffer.alloc(200_000)));
      if (answer.status !== 0) break;
    }
    await raw.ask(request.CLOSE, field(handle));
    expect((await stat(join(lobby, 'world.zip'))).size).toBeGreaterThanOrEqual(11 * MB);
  });

  it('counts holes of sparse files, and prevents sizes and offsets far beyond the free space', async () => {
    const { raw, sftp, lobby } = await start();
    const handle = await openRaw(raw, 'sparse');
    const huge = 1024 * MB;
    const refused = [FAILURE, expect.stringContaining('This needs 1024')];
    const setstat = await raw.ask(request.SETSTAT, field(`${L}/sparse`), u32(SIZE_ATTR), u64(huge));
    expect(refusal(setstat)).toEqual(refused);
    expect(refusal(await raw.ask(request.FSETSTAT, field(handle), u32(SIZE_ATTR), u64(huge)))).toEqual(
      refused,
    );
    const far = await raw.ask(request.WRITE, field(handle), u64(huge), field('x'));
    expect(refusal(far)).toEqual([FAILURE, expect.stringContaining('This needs 1024')]);
    const announced = await raw.ask(
      request.OPEN,
      ...[field(`${L}/announced`), u32(flags.WRITE | flags.CREAT), u32(SIZE_ATTR), u64(huge)],
    );
    expect(refusal(announced)).toEqual(refused);
    expect((await stat(join(lobby, 'sparse'))).size).toBe(0);
    await call((done) => sftp.setstat(`${L}/sparse`, { size: 2 * MB }, done));
    expect((await stat(join(lobby, 'sparse'))).size).toBe(2 * MB);
    expect(await readdir(lobby)).toEqual(['sparse']);
  });

  it('prevents a file copy that does not fit, before the copy starts', async () => {
    const { raw, master, lobby } = await start();
    await writeFile(join(lobby, 'big'), Buffer.alloc(7 * MB, 1));
    const from = await openRaw(raw, 'big', flags.READ);
    const to = await openRaw(raw, 'copy', flags.WRITE | flags.CREAT | flags.TRUNC);
    const fields = [field(from), u64(0), u64(0), field(to), u64(0)];
    const answer = await raw.ask(request.EXTENDED, field('copy-data'), ...fields);
    expect(refusal(answer)).toEqual([FAILURE, expect.stringContaining('This needs 7 MB')]);
    expect((await stat(join(lobby, 'copy'))).size).toBe(0);
    expect(master.fileEvents).toEqual([]);
  });

  it('prevents a folder copy that does not fit, before the copy starts', async () => {
    const { rpc, lobby } = await start();
    await mkdir(join(lobby, 'world'));
    await writeFile(join(lobby, 'world', 'a'), Buffer.alloc(4 * MB, 1));
    await writeFile(join(lobby, 'world', 'b'), Buffer.alloc(3 * MB, 1));
    const copy = { task: randomUUID(), paths: [`${L}/world`], folder: L, onConflict: 'rename' };
    const refused: unknown = await rpc.sendRequest('files.copy', copy).catch((error: unknown) => error);
    expect(refused).toMatchObject({ data: { code: 'DISK_RESERVED' } });
    expect(String(refused)).toContain('This needs 7 MB');
    expect(await readdir(lobby)).toEqual(['world']);
  });

  it('prevents new files and folders once only the reserve is free, and keeps existing files', async () => {
    const { sftp, puts, lobby } = await start();
    await writeFile(join(lobby, 'old.jar'), 'old');
    await writeFile(join(lobby, 'ballast'), Buffer.alloc(DISK - RESERVE - MB / 2));
    await writeFile(join(lobby, 'more'), Buffer.alloc(MB / 2));
    const put = { part: `${L}/.overworld-1.part`, target: `${L}/old.jar`, mode: 0o644, modifiedAt: 1 };
    const code = { code: FAILURE };
    await expect(puts.put({ ...put, data: Buffer.from('new'), replace: true })).rejects.toMatchObject(code);
    await expect(write(sftp, `${L}/old.jar`, 10)).rejects.toMatchObject(code);
    await expect(call((done) => sftp.mkdir(`${L}/world`, done))).rejects.toMatchObject(code);
    expect(await readFile(join(lobby, 'old.jar'), 'utf8')).toBe('old');
    expect((await readdir(lobby)).sort()).toEqual(['ballast', 'more', 'old.jar']);
    await call((done) => sftp.rename(`${L}/old.jar`, `${L}/new.jar`, done));
    await call((done) => sftp.unlink(`${L}/more`, done));
    await write(sftp, `${L}/old.jar`, 10);
  });

  it('is not shown to clients as free space', async () => {
    const { sftp, free } = await start();
    const { f_bavail: blocks, f_bsize: size } = await call<{ f_bavail: number; f_bsize: number }>((done) =>
      sftp.ext_openssh_statvfs('/', done as never),
    );
    expect(blocks * size).toBe((await free()) - RESERVE);
  });
});
