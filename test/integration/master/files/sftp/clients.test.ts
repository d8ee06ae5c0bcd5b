import { execFileSync, spawn } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  chmod,
  cp,
  lstat,
  mkdir,
  readdir,
  readFile,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import type { Stats } from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { inPath } from '../../../../../build/scripts/set-up/system-packages.mjs';
import {
  connect,
  startAdminMaster,
  type AdminMaster,
  type Person,
} from '#test/support/master/admin-master.ts';
import { openSshAs, type Finished, type OpenSsh } from '#test/support/files/openssh.ts';
import { call, openSftp, statusOf } from '#test/support/files/sftp.ts';

/**
 * These tests use third-party clients as packaged by Debian. Clients that are not installed are skipped and named
 * in the report.
 */

let master: AdminMaster;
let person: Person;
let tools: OpenSsh;
/** Folder of the template on the master's disk. `local` is a folder on the user's machine. */
let lobby: string;
let local: string;
const L = '/templates/lobby';
const at = (): string => `overworld@${master.server.host}`;

beforeAll(async () => {
  master = await startAdminMaster();
  person = await master.authorize('operator');
  tools = await openSshAs(master, person);
  lobby = join(master.data, 'templates', 'lobby');
  local = join(master.data, 'local');
});
afterAll(async () => {
  await tools.close();
  await master.close();
});

beforeEach(async () => {
  for (const folder of [lobby, local]) {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder);
  }
  const tree = join(local, 'tree');
  await mkdir(join(tree, 'plugins', 'Chat Plus'), { recursive: true });
  await mkdir(join(tree, 'empty'));
  await writeFile(join(tree, 'server.jar'), randomBytes(1_500_000));
  await writeFile(join(tree, 'plugins', 'Chat Plus', 'Grüße [1].yml'), 'hello: "world"\n');
  await writeFile(join(tree, 'zero'), '');
  for (let n = 0; n < 40; n++) await writeFile(join(tree, 'plugins', `small-${n}.json`), `{"n": ${n}}`);
  await writeFile(join(tree, 'start.sh'), '#!/bin/sh\n');
  await chmod(join(tree, 'start.sh'), 0o755);
  await utimes(join(tree, 'start.sh'), 1_600_000_000, 1_600_000_000);
});

/** Returns all files and folders below a folder by path. The value of a file is the hash of its content. */
async function contentOf(folder: string): Promise<Record<string, string>> {
  const content: Record<string, string> = {};
  for (const path of (await readdir(folder, { recursive: true })).sort()) {
    const isFolder = (await lstat(join(folder, path))).isDirectory();
    content[path] = isFolder
      ? 'folder'
      : createHash('sha256')
          .update(await readFile(join(folder, path)))
          .digest('hex');
  }
  return content;
}

function expectDone({ code, output }: Finished): string {
  expect(code, output).toBe(0);
  return output;
}

/** Verifies that each folder has the same content as the uploaded folder. */
async function expectSame(...folders: string[]): Promise<void> {
  const sent = await contentOf(join(local, 'tree'));
  expect(Object.keys(sent)).toHaveLength(47);
  for (const folder of folders) expect(await contentOf(folder)).toEqual(sent);
}

describe('scp, as an SFTP client,', () => {
  it.each([{ mode: ['-s'] }, { mode: [] }])(
    'copies whole folders in both directions with the options $mode',
    async ({ mode }) => {
      const base = [...tools.options, '-P', String(master.server.port), ...mode, '-r', '-p'];
      expectDone(await tools.run('scp', [...base, join(local, 'tree'), `${at()}:${L}/tree`]));
      expectDone(await tools.run('scp', [...base, `${at()}:${L}/tree`, join(local, 'back')]));
      await expectSame(join(lobby, 'tree'), join(local, 'back'));
      const { mode: bits, mtimeMs } = await stat(join(lobby, 'tree', 'start.sh'));
      expect([bits & 0o777, mtimeMs]).toEqual([0o755, 1_600_000_000_000]);
    },
  );

  it('is refused at once with -O (the old SCP protocol), which needs a shell', async () => {
    const base = [...tools.options, '-P', String(master.server.port), '-O'];
    const { code } = await tools.run('scp', [...base, join(local, 'tree', 'zero'), `${at()}:${L}/zero`]);
    expect(code).not.toBe(0);
    expect(await readdir(lobby)).toEqual([]);
  });
});

describe('the sftp program of OpenSSH, as a client,', () => {
  it('continues interrupted uploads and downloads', async () => {
    const jar = join(local, 'tree', 'server.jar');
    await cp(jar, join(lobby, 'server.jar'));
    await truncate(join(lobby, 'server.jar'), 400_000);
    await cp(jar, join(local, 'half.jar'));
    await truncate(join(local, 'half.jar'), 700_000);
    const batch = [`reput ${jar} ${L}/server.jar`, `reget ${L}/server.jar ${join(local, 'half.jar')}`];
    expectDone(await tools.sftp(`${batch.join('\n')}\n`));
    const sent = await readFile(jar);
    expect((await readFile(join(lobby, 'server.jar'))).equals(sent)).toBe(true);
    expect((await readFile(join(local, 'half.jar'))).equals(sent)).toBe(true);
  });

  it('shows long listings like ls, changes permissions, and cannot create links that lead outside', async () => {
    await cp(join(local, 'tree'), lobby, { recursive: true, preserveTimestamps: true });
    const lines = expectDone(await tools.sftp(`ls -la ${L}\n`)).split('\n');
    expect(lines.find((line) => line.endsWith('start.sh'))).toMatch(
      /^-rwxr-xr-x +\S+ +\S+ +\S+ +10 Sep 13 +2020 start\.sh$/,
    );
    expect(lines.find((line) => line.endsWith('plugins'))).toMatch(/^drwx/);
    expectDone(
      await tools
        .sftp(`df ${L}\nchmod 600 ${L}/start.sh\nln -s /etc/passwd ${L}/link\n`)
        .then(() => ({ code: 0, output: '' })),
    );
    expect((await stat(join(lobby, 'start.sh'))).mode & 0o777).toBe(0o600);
    expect(await readdir(lobby)).not.toContain('link');
  });
});

describe.skipIf(!inPath('lftp'))('lftp, as an SFTP client,', () => {
  const lftp = (...commands: string[]): Promise<Finished> => {
    const ssh = ['ssh', '-a', '-x', ...tools.options].join(' ');
    const set = ['set net:max-retries 1', 'set net:timeout 10', `set sftp:connect-program "${ssh}"`];
    const open = `open -u overworld,unused -p ${master.server.port} sftp://${master.server.host}`;
    const script = ['set cmd:fail-exit yes', ...set, open, ...commands, 'bye'].join('\n');
    return tools.run('lftp', ['--norc', '-c', script]);
  };

  it('copies whole folders in both directions, several files at a time', async () => {
    expectDone(
      await lftp(
        `mirror -R --parallel=4 ${join(local, 'tree')} ${L}/tree`,
        `mirror --parallel=4 ${L}/tree ${join(local, 'back')}`,
      ),
    );
    await expectSame(join(lobby, 'tree'), join(local, 'back'));
  });

  it('continues interrupted transfers, renames, changes permissions and deletes', async () => {
    const jar = join(local, 'tree', 'server.jar');
    await cp(jar, join(lobby, 'server.jar'));
    await truncate(join(lobby, 'server.jar'), 100_000);
    await writeFile(join(lobby, 'old.txt'), 'old');
    expectDone(
      await lftp(
        `cd ${L}`,
        `put -c ${jar} -o server.jar`,
        `get -c server.jar -o ${join(local, 'got.jar')}`,
        'mv old.txt new.txt',
        'chmod 755 new.txt',
        'mkdir made',
        'rmdir made',
        'cls -l',
      ),
    );
    expect((await readFile(join(local, 'got.jar'))).equals(await readFile(jar))).toBe(true);
    expect((await readdir(lobby)).sort()).toEqual(['new.txt', 'server.jar']);
    expect((await stat(join(lobby, 'new.txt'))).mode & 0o777).toBe(0o755);
    expectDone(await lftp(`rm ${L}/new.txt`));
    expect(await readdir(lobby)).toEqual(['server.jar']);
  });
});

describe.skipIf(!inPath('rclone'))('rclone, as an SFTP client,', () => {
  const rclone = (...args: string[]): Promise<Finished> =>
    tools.run('rclone', [...args, '--retries', '1', '--low-level-retries', '1', '--contimeout', '10s'], {
      env: {
        RCLONE_CONFIG: join(tools.files.folder, 'none'),
        RCLONE_CONFIG_OW_TYPE: 'sftp',
        RCLONE_CONFIG_OW_HOST: master.server.host,
        RCLONE_CONFIG_OW_PORT: String(master.server.port),
        RCLONE_CONFIG_OW_USER: 'overworld',
        RCLONE_CONFIG_OW_KEY_FILE: tools.files.key,
        RCLONE_CONFIG_OW_KNOWN_HOSTS_FILE: tools.files.knownHosts,
        RCLONE_CONFIG_OW_SHELL_TYPE: 'none',
        RCLONE_CONFIG_OW_DISABLE_HASHCHECK: 'true',
      },
    });

  it('synchronises in both directions by size and time, and then finds nothing more to transfer', async () => {
    const tree = join(local, 'tree');
    expectDone(await rclone('sync', tree, `ow:${L}/tree`, '--create-empty-src-dirs'));
    expectDone(await rclone('sync', `ow:${L}/tree`, join(local, 'back'), '--create-empty-src-dirs'));
    await expectSame(join(lobby, 'tree'), join(local, 'back'));
    expectDone(await rclone('check', tree, `ow:${L}/tree`, '--size-only'));
    const again = expectDone(await rclone('sync', tree, `ow:${L}/tree`, '-v', '--stats-one-line'));
    expect(again).toMatch(/There was nothing to transfer/);
  });

  it('replaces changed files, and deletes removed files', async () => {
    const tree = join(local, 'tree');
    expectDone(await rclone('sync', tree, `ow:${L}/tree`, '--create-empty-src-dirs'));
    await writeFile(join(tree, 'zero'), 'no more');
    await rm(join(tree, 'plugins', 'small-7.json'));
    await writeFile(join(tree, 'plugins', 'small-77.json'), '{"n": 77}');
    expectDone(await rclone('sync', tree, `ow:${L}/tree`, '--create-empty-src-dirs'));
    await expectSame(join(lobby, 'tree'));
    expectDone(await rclone('purge', `ow:${L}/tree`));
    expect(await readdir(lobby)).toEqual([]);
  });
});

describe.skipIf(!inPath('psftp') || !inPath('puttygen'))('psftp and pscp of PuTTY, as SFTP clients,', () => {
  let login: string[];
  beforeAll(() => {
    const key = join(tools.files.folder, 'key.ppk');
    execFileSync('puttygen', [tools.files.key, '-O', 'private', '-o', key]);
    login = ['-batch', '-i', key, '-hostkey', master.hostKey.fingerprint, '-P', String(master.server.port)];
  });

  it('copy whole folders in both directions', async () => {
    const batch = join(local, 'batch');
    await writeFile(
      batch,
      [`cd ${L}`, `lcd ${local}`, 'put -r tree', 'get -r tree back', 'ls', 'quit', ''].join('\n'),
    );
    const output = expectDone(await tools.run('psftp', [...login, '-b', batch, at()]));
    await expectSame(join(lobby, 'tree'), join(local, 'back'));
    expect(output).toMatch(/drwx\S+ +\S+ +\S+ +\S+ +\d+ \w+ +\d+ +[\d:]+ tree/);
    await rm(join(lobby, 'tree'), { recursive: true });
    await rm(join(local, 'back'), { recursive: true });
    expectDone(
      await tools.run('pscp', [...login, '-sftp', '-r', '-p', join(local, 'tree'), `${at()}:${L}/`]),
    );
    expectDone(await tools.run('pscp', [...login, '-sftp', '-r', `${at()}:${L}/tree`, join(local, 'back')]));
    await expectSame(join(lobby, 'tree'), join(local, 'back'));
    expect((await stat(join(lobby, 'tree', 'start.sh'))).mtimeMs).toBe(1_600_000_000_000);
  });

  it('continue an interrupted transfer, rename, change permissions and delete', async () => {
    const jar = join(local, 'tree', 'server.jar');
    await cp(jar, join(lobby, 'server.jar'));
    await truncate(join(lobby, 'server.jar'), 100_000);
    const batch = join(local, 'batch');
    const lines = [
      'reput server.jar',
      'chmod 755 server.jar',
      'mv server.jar new.jar',
      'mkdir made',
      'rmdir made',
    ];
    await writeFile(batch, [`cd ${L}`, `lcd ${join(local, 'tree')}`, ...lines, 'quit', ''].join('\n'));
    expectDone(await tools.run('psftp', [...login, '-b', batch, at()]));
    expect(await readdir(lobby)).toEqual(['new.jar']);
    expect((await readFile(join(lobby, 'new.jar'))).equals(await readFile(jar))).toBe(true);
    expect((await stat(join(lobby, 'new.jar'))).mode & 0o777).toBe(0o755);
  });
});

describe('30 SFTP clients that create the same folders at the same time', () => {
  const CLIENTS = 30;
  const depth = ['a', 'b', 'c', 'd', 'e'];
  /** Returns the paths of all nested folders below a name, parents first. */
  const folders = (name: string): string[] =>
    depth.map((_, at) => [L, name, ...depth.slice(0, at + 1)].join('/'));
  /** Status that clients expect for a folder that another client has already created. */
  const EXISTS = 4;

  it('get no error except "already exists"', async () => {
    const clients = await Promise.all(Array.from({ length: CLIENTS }, () => connect(master, person)));
    const sessions = await Promise.all(clients.map(openSftp));
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(
        sessions.map(async (sftp) => {
          const codes: number[] = [];
          for (const path of [`${L}/round-${round}`, ...folders(`round-${round}`)]) {
            codes.push(await statusOf(call((done) => sftp.mkdir(path, done))));
            // Like real clients in this case, check that the path is a folder.
            if (codes.at(-1) !== 0) {
              const stats = await call<Stats>((done) => sftp.stat(path, done));
              expect(stats.isDirectory()).toBe(true);
            }
          }
          return codes;
        }),
      );
      expect(new Set(answers.flat())).toEqual(new Set([0, EXISTS]));
      // Each folder was created exactly once.
      expect(answers.flat().filter((code) => code === 0)).toHaveLength(depth.length + 1);
    }
    for (const client of clients) client.end();
  });

  it.skipIf(!inPath('lftp'))('all succeed if they are lftp clients that upload the same folder', async () => {
    const tree = join(local, 'folders', ...depth);
    await mkdir(tree, { recursive: true });
    const ssh = ['ssh', '-a', '-x', ...tools.options].join(' ');
    const script = [
      'set cmd:fail-exit yes',
      'set net:max-retries 1',
      `set sftp:connect-program "${ssh}"`,
      `open -u overworld,unused -p ${master.server.port} sftp://${master.server.host}`,
      `mirror -R ${join(local, 'folders')} ${L}/mirrored`,
      'bye',
    ].join('\n');
    const all = await Promise.all(
      Array.from({ length: CLIENTS }, () => tools.run('lftp', ['--norc', '-c', script])),
    );
    for (const finished of all) expectDone(finished);
    expect((await stat(join(lobby, 'mirrored', ...depth))).isDirectory()).toBe(true);
  });
});

const canMount = existsSync('/dev/fuse') && process.getuid?.() === 0;

describe.skipIf(!inPath('sshfs') || !canMount)('sshfs, as an SFTP client (needs /dev/fuse and root)', () => {
  /**
   * Runs shell commands in a separate process. The test process serves the mounted folder. If it used this folder, it
   * would wait for itself.
   */
  const shell = (...lines: string[]): Promise<Finished> => tools.run('sh', ['-euc', lines.join('\n')]);

  it('can copy, replace by renaming, append, change permissions and delete', async () => {
    const mount = join(local, 'mount');
    await mkdir(mount);
    const { key, knownHosts } = tools.files;
    const options = ['-f', '-F', '/dev/null', '-p', String(master.server.port), '-o', `IdentityFile=${key}`];
    const trust = ['-o', `UserKnownHostsFile=${knownHosts},StrictHostKeyChecking=yes,BatchMode=yes`];
    const child = spawn('sshfs', [`${at()}:/`, mount, ...options, ...trust], { stdio: 'ignore' });
    const ended = once(child, 'exit');
    try {
      expectDone(
        await shell(
          `until test -d ${mount}/templates/lobby; do sleep 0.05; done`,
          `cp -r ${local}/tree ${mount}/templates/lobby/tree`,
          `cp -r ${mount}/templates/lobby/tree ${local}/back`,
          `cd ${mount}/templates/lobby`,
          'printf a >a.txt; printf b >b.txt; mv -f a.txt b.txt; printf " and more" >>b.txt; chmod 600 b.txt',
          'truncate -s 1000 tree/zero',
          'if mkdir ../evil; then exit 1; fi',
        ),
      );
      expect((await stat(join(lobby, 'tree', 'zero'))).size).toBe(1_000);
      await truncate(join(lobby, 'tree', 'zero'));
      await expectSame(join(lobby, 'tree'), join(local, 'back'));
      expect(await readFile(join(lobby, 'b.txt'), 'utf8')).toBe('a and more');
      expect((await stat(join(lobby, 'b.txt'))).mode & 0o777).toBe(0o600);
      expectDone(await shell(`rm -r ${mount}/templates/lobby/tree`));
      expect(await readdir(lobby)).toEqual(['b.txt']);
    } finally {
      await tools.run('fusermount3', ['-u', '-z', mount]);
      await ended;
    }
  });
});
