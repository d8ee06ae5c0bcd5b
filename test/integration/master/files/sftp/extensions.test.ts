import { createHash, randomBytes } from 'node:crypto';
import {
  mkdir,
  mkdtemp,
  open as openFile,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'ssh2';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { connect, startAdminMaster, type AdminMaster } from '#test/support/master/admin-master.ts';
import { openSshAs, type OpenSsh } from '#test/support/files/openssh.ts';
import { field, openRawSftp, u32, u64, type RawSftp } from '#test/support/files/raw-sftp.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** These tests check `copy-data` and `check-file` of draft-ietf-secsh-filexfer-extensions-00. */

const L = '/templates/lobby';
const OPEN = 3;
const CLOSE = 4;
const READ = 5;
const EXTENDED = 200;
const status = { OK: 0, EOF: 1, NO_SUCH_FILE: 2, PERMISSION_DENIED: 3, FAILURE: 4 };
const flags = { READ: 1, WRITE: 2, CREAT: 8, TRUNC: 16 };

let master: AdminMaster;
let client: Client;
let raw: RawSftp;
let tools: OpenSsh;
let lobby: string;
let outside: string;
const content = randomBytes(1_000_003);

beforeAll(async () => {
  master = await startAdminMaster();
  const operator = await master.authorize('operator');
  client = await connect(master, operator);
  raw = await openRawSftp(client);
  tools = await openSshAs(master, operator);
  lobby = join(master.data, 'templates', 'lobby');
  outside = await mkdtemp(join(tmpdir(), 'overworld-outside-'));
  await mkdir(lobby);
  await writeFile(join(lobby, 'big'), content);
  await writeFile(join(outside, 'secret'), 'secret');
  await symlink(join(outside, 'secret'), join(lobby, 'out'));
  await symlink('big', join(lobby, 'in'));
});
afterAll(async () => {
  client.end();
  await tools.close();
  await master.close();
  await rm(outside, { recursive: true });
});

async function open(path: string, how: number): Promise<Buffer> {
  const answer = await raw.ask(OPEN, field(path), u32(how), u32(0));
  expect(answer.type).toBe(102);
  return answer.body.subarray(4);
}

const close = (handle: Buffer): Promise<unknown> => raw.ask(CLOSE, field(handle));

interface Copy {
  readonly from: Buffer;
  readonly offset?: number;
  readonly length?: number;
  readonly to: Buffer;
  readonly position?: number;
}

async function copy({ from, offset = 0, length = 0, to, position = 0 }: Copy): Promise<number | null> {
  const range = [u64(offset), u64(length)];
  return (await raw.ask(EXTENDED, field('copy-data'), field(from), ...range, field(to), u64(position)))
    .status;
}

/**
 * Requests hashes.
 *
 * @returns the fields of the answer after the request ID
 */
const check = (
  extension: string,
  what: Buffer | string,
  { algorithms = 'sha256', offset = 0, length = 0, block = 0 } = {},
): ReturnType<RawSftp['ask']> =>
  raw.ask(EXTENDED, field(extension), field(what), field(algorithms), u64(offset), u64(length), u32(block));

const sha256 = (bytes: Buffer): Buffer => createHash('sha256').update(bytes).digest();

it('the SFTP server announces its extensions', () => {
  for (const name of ['copy-data', 'check-file', 'check-file-handle', 'check-file-name']) {
    expect(raw.extensions).toContain(name);
  }
});

describe('the SFTP extension copy-data (copies within the master)', () => {
  it('works with the sftp program of OpenSSH', async () => {
    master.fileEvents.length = 0;
    const { code, output } = await tools.sftp(`cp ${L}/big ${L}/copy\n`);
    expect(code, output).toBe(0);
    expect((await readFile(join(lobby, 'copy'))).equals(content)).toBe(true);
    expect(master.fileEvents.map(({ kind, path }) => [kind, path])).toEqual([['files.written', `${L}/copy`]]);
  });

  it('copies a part of a file, and reports if the file ends earlier', async () => {
    const from = await open(`${L}/big`, flags.READ);
    const to = await open(`${L}/part`, flags.WRITE | flags.CREAT | flags.TRUNC);
    expect(await copy({ from, offset: 100, length: 300_000, to, position: 10 })).toBe(status.OK);
    expect(await copy({ from, offset: 1_000_000, length: 4, to, position: 0 })).toBe(status.EOF);
    const expected = Buffer.concat([Buffer.alloc(10), content.subarray(100, 300_100)]);
    content.copy(expected, 0, 1_000_000);
    expect((await readFile(join(lobby, 'part'))).equals(expected)).toBe(true);
    await Promise.all([close(from), close(to)]);
  });

  it('copies after earlier writes and before later reads of the same files', async () => {
    const a = await open(`${L}/turn-a`, flags.READ | flags.WRITE | flags.CREAT | flags.TRUNC);
    const b = await open(`${L}/turn-b`, flags.READ | flags.WRITE | flags.CREAT | flags.TRUNC);
    const data = randomBytes(200_000);
    const answers = await Promise.all([
      raw.ask(6, field(a), u64(0), field(data)),
      raw.ask(EXTENDED, field('copy-data'), field(a), u64(0), u64(0), field(b), u64(0)),
      raw.ask(EXTENDED, field('copy-data'), field(b), u64(0), u64(0), field(a), u64(200_000)),
      raw.ask(READ, field(b), u64(150_000), u32(50_000)),
      close(a),
      close(b),
    ]);
    expect(answers[3].body.subarray(4).equals(data.subarray(150_000))).toBe(true);
    const twice = Buffer.concat([data, data]);
    expect((await readFile(join(lobby, 'turn-a'))).equals(twice)).toBe(true);
  });

  it('refuses to copy a file to itself, and to use files that are not open for reading or writing', async () => {
    const from = await open(`${L}/big`, flags.READ);
    const same = await open(`${L}/in`, flags.WRITE);
    expect(await copy({ from, to: same })).toBe(status.FAILURE);
    expect(await copy({ from: same, to: from })).toBe(status.PERMISSION_DENIED);
    expect(await copy({ from: Buffer.from('none'), to: same })).toBe(status.FAILURE);
    await Promise.all([close(from), close(same)]);
    expect((await readFile(join(lobby, 'big'))).equals(content)).toBe(true);
  });

  it('copies between two different files that were opened with the same name', async () => {
    await writeFile(join(lobby, 'name'), content);
    const from = await open(`${L}/name`, flags.READ);
    await rename(join(lobby, 'name'), join(lobby, 'renamed'));
    const to = await open(`${L}/name`, flags.WRITE | flags.CREAT | flags.TRUNC);
    expect(await copy({ from, to })).toBe(status.OK);
    await Promise.all([close(from), close(to)]);
    for (const name of ['name', 'renamed'])
      expect((await readFile(join(lobby, name))).equals(content), name).toBe(true);
  });

  it('is not permitted for the role "viewer"', async () => {
    const viewer = await openSshAs(master, await master.authorize('viewer'));
    expect((await viewer.sftp(`cp ${L}/big ${L}/viewed\n`)).code).not.toBe(0);
    await expect(readFile(join(lobby, 'viewed'))).rejects.toMatchObject({ code: 'ENOENT' });
    await viewer.close();
  });
});

describe('the SFTP extension check-file (returns hashes)', () => {
  it('returns the hash of a file with the first requested algorithm that the master supports', async () => {
    const answer = await check('check-file-name', `${L}/big`, { algorithms: 'whirlpool,sha256,md5' });
    expect(answer.type).toBe(201);
    expect(answer.body).toEqual(Buffer.concat([field('sha256'), sha256(content)]));
    const iana = await check('check-file-name', `${L}/in`, { algorithms: 'sha-1' });
    expect(iana.body).toEqual(Buffer.concat([field('sha-1'), createHash('sha1').update(content).digest()]));
  });

  it('returns one hash per block for a part of an open file', async () => {
    const handle = await open(`${L}/big`, flags.READ);
    const answer = await check('check-file-handle', handle, { offset: 7, length: 400_000, block: 150_000 });
    const blocks = [
      content.subarray(7, 150_007),
      content.subarray(150_007, 300_007),
      content.subarray(300_007, 400_007),
    ];
    expect(answer.body).toEqual(Buffer.concat([field('sha256'), ...blocks.map(sha256)]));
    await close(handle);
  });

  it('begins its answer with the name "check-file", as paramiko expects', async () => {
    const handle = await open(`${L}/big`, flags.READ);
    const answer = await check('check-file', handle);
    expect(answer.body).toEqual(Buffer.concat([field('check-file'), field('sha256'), sha256(content)]));
    await close(handle);
  });

  it('returns the hash of empty content for an empty file and after the end of a file', async () => {
    await writeFile(join(lobby, 'empty'), '');
    const nothing = Buffer.concat([field('sha256'), sha256(Buffer.alloc(0))]);
    expect((await check('check-file-name', `${L}/empty`)).body).toEqual(nothing);
    expect((await check('check-file-name', `${L}/big`, { offset: 2_000_000 })).body).toEqual(nothing);
  });

  it.each([
    { what: 'a link out of the jail', path: `${L}/out`, code: status.PERMISSION_DENIED },
    { what: 'a path out of the jail', path: `${L}/../../../../etc/passwd`, code: status.NO_SUCH_FILE },
    { what: 'a folder', path: L, code: status.FAILURE },
    { what: 'a missing file', path: `${L}/none`, code: status.NO_SUCH_FILE },
    { what: 'unknown algorithms', path: `${L}/big`, algorithms: 'crc8,tiger', code: status.FAILURE },
    { what: 'blocks below 256 bytes', path: `${L}/big`, block: 255, code: status.FAILURE },
  ])('refuses $what', async ({ path, code, ...more }) => {
    expect((await check('check-file-name', path, more)).status).toBe(code);
  });

  it('refuses a request whose hashes do not fit into one answer', async () => {
    await writeFile(join(lobby, 'many'), Buffer.alloc(256 * 10_000));
    expect((await check('check-file-name', `${L}/many`, { block: 256 })).status).toBe(status.FAILURE);
  });

  it('stops reading when its session closes', async () => {
    const sparse = await openFile(join(lobby, 'sparse'), 'w');
    await sparse.truncate(200 * 2 ** 30);
    await sparse.close();
    const other = await connect(master, await master.authorize('operator'));
    const session = await openRawSftp(other);
    const what = [field('check-file-name'), field(`${L}/sparse`), field('sha512'), u64(0), u64(0), u32(0)];
    const gone = expect(session.ask(EXTENDED, ...what)).rejects.toThrow('closed');
    await waitFor(async () => (await openPaths()).includes(join(lobby, 'sparse')), { what: 'it to be read' });
    other.end();
    await gone;
    // Hashing 200 GB would take minutes, so the closed file proves that the master has stopped reading the file.
    await waitFor(async () => !(await openPaths()).includes(join(lobby, 'sparse')), {
      what: 'the file to be closed',
    });
  });
});

async function openPaths(): Promise<string[]> {
  const numbers = await readdir('/proc/self/fd');
  return Promise.all(numbers.map((number) => readlink(`/proc/self/fd/${number}`).catch(() => '')));
}
