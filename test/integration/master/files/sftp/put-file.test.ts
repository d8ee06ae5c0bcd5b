import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PUT_FILE_MOST_BYTES } from '#shared/sftp/put-file.ts';
import { PutChannel } from '#main/transfers/remote/put-channel.ts';
import { initPacket, putPacket, type WholeFile } from '#main/transfers/remote/put-packets.ts';
import {
  connect,
  openSubsystem,
  startAdminMaster,
  type AdminMaster,
} from '#test/support/master/admin-master.ts';
import { call, openSftp, statusOf } from '#test/support/files/sftp.ts';

/** These tests check `put-file@overworld`, the master's own extension, through the channel that the app uses. */

const L = '/templates/lobby';
const PART = `${L}/.overworld-1.part`;

let master: AdminMaster;
let client: Client;
let puts: PutChannel;
let lobby: string;
let outside: string;
let actor: string;

beforeAll(async () => {
  master = await startAdminMaster();
  const operator = await master.authorize('operator');
  actor = operator.name;
  client = await connect(master, operator);
  puts = await openPuts(client);
  lobby = join(master.data, 'templates', 'lobby');
  outside = await mkdtemp(join(tmpdir(), 'overworld-outside-'));
});
afterAll(async () => {
  client.end();
  await master.close();
  await rm(outside, { recursive: true, force: true });
});
beforeEach(async () => {
  await rm(lobby, { recursive: true, force: true });
  await mkdir(lobby, { recursive: true });
  master.fileEvents.length = 0;
});

async function openPuts(of: Client): Promise<PutChannel> {
  const opened = await PutChannel.open(of);
  if (opened === null) throw new Error('the master does not offer it');
  return opened;
}

function file(change: Partial<WholeFile> = {}): WholeFile {
  return {
    part: PART,
    target: `${L}/eula.txt`,
    mode: 0o644,
    modifiedAt: 1_600_000_000,
    data: Buffer.from('eula=true\n'),
    replace: true,
    ...change,
  };
}

describe('the SFTP extension put-file (uploads a small file with one request)', () => {
  it('writes the file with content, mode and time, and creates one event', async () => {
    await puts.put(file({ mode: 0o751 }));
    expect(await readdir(lobby)).toEqual(['eula.txt']);
    expect(await readFile(join(lobby, 'eula.txt'), 'utf8')).toBe('eula=true\n');
    const { mode, mtimeMs } = await stat(join(lobby, 'eula.txt'));
    expect([mode & 0o777, mtimeMs]).toEqual([0o751, 1_600_000_000_000]);
    expect(master.fileEvents).toEqual([
      { kind: 'files.written', path: `${L}/eula.txt`, template: 'lobby', actor },
    ]);
  });

  it('keeps the file readable and writable for the master, for any requested mode', async () => {
    await puts.put(file({ mode: 0o004 }));
    expect((await stat(join(lobby, 'eula.txt'))).mode & 0o777).toBe(0o604);
  });

  it('accepts an empty file, and a file of the maximum size', async () => {
    const data = randomBytes(PUT_FILE_MOST_BYTES);
    await puts.put(file({ data: Buffer.alloc(0), target: `${L}/empty` }));
    await puts.put(file({ data, target: `${L}/large` }));
    expect((await stat(join(lobby, 'empty'))).size).toBe(0);
    expect((await readFile(join(lobby, 'large'))).equals(data)).toBe(true);
  });

  it('preserves file names that are not ASCII', async () => {
    await puts.put(file({ target: `${L}/ünï “code”.txt` }));
    expect(await readdir(lobby)).toEqual(['ünï “code”.txt']);
  });

  it('does not mix the content of hundreds of parallel requests', async () => {
    const all = Array.from({ length: 300 }, (_, n) => ({
      name: `f${n}`,
      data: randomBytes((n * 211) % 40_000),
    }));
    const sent = all.map(({ name, data }) =>
      puts.put(file({ part: `${L}/.overworld-${name}.part`, target: `${L}/${name}`, data })),
    );
    await Promise.all(sent);
    expect((await readdir(lobby)).length).toBe(300);
    for (const { name, data } of all) {
      expect((await readFile(join(lobby, name))).equals(data)).toBe(true);
    }
  });
});

describe('the SFTP extension put-file, for an existing name,', () => {
  it('replaces the file on request', async () => {
    await writeFile(join(lobby, 'eula.txt'), 'old and longer than the new one');
    await puts.put(file());
    expect(await readFile(join(lobby, 'eula.txt'), 'utf8')).toBe('eula=true\n');
  });

  it('keeps the existing file and returns an error if the request does not ask for a replacement', async () => {
    await writeFile(join(lobby, 'eula.txt'), 'old');
    expect(await statusOf(puts.put(file({ replace: false })))).toBe(4);
    expect(await readFile(join(lobby, 'eula.txt'), 'utf8')).toBe('old');
    expect(await readdir(lobby)).toEqual(['eula.txt']);
    expect(master.fileEvents).toEqual([]);
    await puts.put(file({ replace: false, target: `${L}/new.txt` }));
    expect(await readdir(lobby)).toEqual(['eula.txt', 'new.txt']);
  });

  it('keeps a file that has the temporary name, and returns an error', async () => {
    await writeFile(join(master.data, 'templates', 'lobby', '.overworld-1.part'), 'half');
    expect(await statusOf(puts.put(file()))).toBe(4);
    expect(await readdir(lobby)).toEqual(['.overworld-1.part']);
    expect(await readFile(join(lobby, '.overworld-1.part'), 'utf8')).toBe('half');
  });

  it('keeps a folder with the same name, and leaves no temporary file', async () => {
    await mkdir(join(lobby, 'eula.txt'));
    expect(await statusOf(puts.put(file()))).toBe(4);
    expect(await readdir(lobby)).toEqual(['eula.txt']);
  });
});

describe('the SFTP extension put-file, for security,', () => {
  it('is not permitted for the role "viewer"', async () => {
    const viewer = await connect(master, await master.authorize('viewer'));
    expect(await statusOf((await openPuts(viewer)).put(file()))).toBe(3);
    expect(await readdir(lobby)).toEqual([]);
    viewer.end();
  });

  it('refuses paths that lead out of the jail, by name or by link', async () => {
    await symlink(outside, join(lobby, 'out'));
    await symlink(join(outside, 'made'), join(lobby, '.overworld-2.part'));
    await writeFile(join(outside, 'victim'), 'safe');
    const tries: Partial<WholeFile>[] = [
      { part: `${L}/out/x.part` },
      { target: `${L}/out/victim` },
      { part: `${L}/.overworld-2.part` },
      { part: '/etc/x.part' },
      { target: '/etc/x' },
      { target: '/templates/made' },
      { part: '/templates/made.part' },
      { target: '/x' },
      { target: `${L}/nul\0` },
    ];
    for (const change of tries) expect(await statusOf(puts.put(file(change)))).not.toBe(0);
    expect(await readdir(outside)).toEqual(['victim']);
    expect(await readFile(join(outside, 'victim'), 'utf8')).toBe('safe');
    expect((await readdir(lobby)).sort()).toEqual(['.overworld-2.part', 'out']);
    expect(await readdir(join(master.data, 'templates'))).toEqual(['lobby']);
  });

  it('replaces a link with the same name, and does not write to its target', async () => {
    await writeFile(join(outside, 'victim'), 'safe');
    await symlink(join(outside, 'victim'), join(lobby, 'eula.txt'));
    await puts.put(file());
    expect(await readFile(join(outside, 'victim'), 'utf8')).toBe('safe');
    expect((await stat(join(lobby, 'eula.txt'))).size).toBe(10);
  });

  it('refuses a file above the maximum size', async () => {
    expect(await statusOf(puts.put(file({ data: Buffer.alloc(PUT_FILE_MOST_BYTES + 1) })))).toBe(4);
    expect(await readdir(lobby)).toEqual([]);
  });

  it('closes the session of a client that sends a wrong length, and no other session', async () => {
    const hostile = await connect(master, await master.authorize('operator'));
    const stream = await openSubsystem(hostile, 'sftp');
    stream.resume();
    const ended = new Promise((resolve) => stream.once('close', resolve));
    const packet = putPacket(1, file());
    // Change the length field in front of the data.
    packet.writeUInt32BE(0xffff_ffff, packet.length - 14);
    stream.write(Buffer.concat([initPacket(), packet]));
    await ended;
    hostile.end();
    expect(await readdir(lobby)).toEqual([]);
    await puts.put(file());
    expect(await readdir(lobby)).toEqual(['eula.txt']);
  });
});

it('the SFTP extension put-file is handled in order with other requests about the same names', async () => {
  const sftp = await openSftp(client);
  for (let round = 0; round < 20; round += 1) {
    const target = `${L}/new-${round}`;
    // Send all requests before the first answer.
    const statuses = [
      statusOf(puts.put(file({ part: `${target}.part`, target }))),
      // This request is refused only if the first request was executed before it, because its temporary name is the
      // target of the first request.
      statusOf(puts.put(file({ part: target, target: `${target}-moved` }))),
      // This request succeeds only if the first request was executed before it, because both use the same temporary
      // name.
      statusOf(puts.put(file({ part: `${target}.part`, target: `${target}-2` }))),
    ];
    expect(await Promise.all(statuses)).toEqual([0, 4, 0]);
    await call<unknown>((done) => sftp.lstat(target, done));
  }
});
