import { createHash, randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, SFTPWrapper } from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, startAdminMaster, type AdminMaster } from '#test/support/master/admin-master.ts';
import { openSshAs, type OpenSsh } from '#test/support/files/openssh.ts';
import { call, openSftp } from '#test/support/files/sftp.ts';

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

describe('the sftp program of OpenSSH, as a client of the master,', () => {
  it('uploads, lists, renames, downloads and removes files', async () => {
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

  it('causes an event for each template that a renamed file leaves or enters, without a name in the other', async () => {
    await mkdir(join(master.data, 'templates', 'bedwars'), { recursive: true });
    await writeFile(join(lobby, 'a.txt'), 'a');
    const result = await openSsh.sftp(
      [`rename ${L}/a.txt /templates/bedwars/b.txt`, 'rename /templates/bedwars/b.txt /files/c.txt'].join(
        '\n',
      ),
    );
    expect(result).toMatchObject({ code: 0 });
    expect(master.fileEvents).toEqual([
      { kind: 'files.deleted', path: `${L}/a.txt`, template: 'lobby', actor: operatorName },
      { kind: 'files.written', path: '/templates/bedwars/b.txt', template: 'bedwars', actor: operatorName },
      { kind: 'files.deleted', path: '/templates/bedwars/b.txt', template: 'bedwars', actor: operatorName },
      { kind: 'files.written', path: '/files/c.txt', template: null, actor: operatorName },
    ]);
  });

  it('uploads whole folders, and downloads them with their times', async () => {
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

  it('shows why the master has refused a request', async () => {
    const { code, output } = await openSsh.sftp(`rm ${L}/no\n`);
    expect(code).toBe(1);
    expect(output).toMatch(/No such file/i);
    // OpenSSH shows its own words for the status. Other clients show the master's sentence.
    await expect(call((done) => sftp.mkdir('/templates/new', done))).rejects.toThrow(
      'in the app, not over SFTP',
    );
  });

  it('exchanges new encryption keys during a transfer', async () => {
    const content = randomBytes(8_000_000);
    await writeFile(join(master.data, 'big'), content);
    const result = await openSsh.sftp(`put ${join(master.data, 'big')} ${L}/big\n`, '-o', 'RekeyLimit=1M');
    expect(result).toMatchObject({ code: 0 });
    expect(sha(await readFile(join(lobby, 'big')))).toBe(sha(content));
  });

  it('lists and removes files whose names are not UTF-8', async () => {
    const name = Buffer.from([0x66, 0xff, 0xfe, 0x2e]);
    await writeFile(Buffer.concat([Buffer.from(`${lobby}/`), name]), 'x');
    const result = await openSsh.sftp(`rm ${L}/*\n`);
    expect(result).toMatchObject({ code: 0 });
    await expect(readdir(lobby)).resolves.toEqual([]);
  });
});

function sha(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
