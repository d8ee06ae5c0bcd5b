import { chmod, link, mkdir, readFile, readdir, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Client, SFTPWrapper } from 'ssh2';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect, startAdminMaster, type AdminMaster } from '#test/support/master/admin-master.ts';
import { call, openSftp, statusOf } from '#test/support/files/sftp.ts';
import { swapNames } from '#test/support/files/swap-names.ts';
import { nightly } from '#test/lab/kit/nightly.ts';
import { runs, timeoutForRounds } from '#test/support/fuzz/runs.ts';

/** Number of rounds of the race between a session and an attacker who swaps a folder with a link. */
const ROUNDS = runs({ change: 300, night: 100_000 });

let master: AdminMaster;
let client: Client;
let sftp: SFTPWrapper;
/** Folder outside of the jail. No session may read, change or discover this folder. */
let outside: string;
let lobby: string;

beforeAll(async () => {
  master = await startAdminMaster();
  client = await connect(master, await master.authorize('operator'));
  sftp = await openSftp(client);
  outside = join(master.data, 'config');
  lobby = join(master.data, 'templates', 'lobby');
});
afterAll(async () => {
  client.end();
  await master.close();
});

beforeEach(async () => {
  await rm(lobby, { recursive: true, force: true });
  await rm(join(outside, 'victim'), { recursive: true, force: true });
  await mkdir(join(lobby, 'plugins'), { recursive: true });
  await mkdir(join(outside, 'victim'), { recursive: true });
  await mkdir(join(outside, 'empty'), { recursive: true });
  await writeFile(join(outside, 'victim', 'secret'), 'secret');
  await chmod(join(outside, 'victim', 'secret'), 0o600);
  await writeFile(join(lobby, 'mine'), 'mine');
  await symlink(outside, join(lobby, 'out'));
  await symlink(join(outside, 'victim', 'secret'), join(lobby, 'out-file'));
  await symlink('../../config', join(lobby, 'out-relative'));
  await symlink(join(outside, 'new'), join(lobby, 'out-dangling'));
  await symlink('/', join(lobby, 'slash'));
  await symlink('..', join(lobby, 'up'));
  await symlink('loop', join(lobby, 'loop'));
  await symlink('plugins', join(lobby, 'inside'));
  await symlink('mine', join(lobby, 'inside-file'));
});

const L = '/templates/lobby';

/**
 * Requests that try to access files outside of the jail. Each request must be refused, and must change nothing
 * outside.
 */
const attacks: { readonly name: string; readonly run: () => Promise<unknown> }[] = [
  { name: 'read through ..', run: () => read('/templates/../../config/victim/secret') },
  { name: 'read through .. from deep inside', run: () => read(`${L}/plugins/../../../config/victim/secret`) },
  { name: 'read an absolute path of the server', run: () => read(`${outside}/victim/secret`) },
  { name: 'read through an absolute link to a folder', run: () => read(`${L}/out/victim/secret`) },
  { name: 'read through a relative link to a folder', run: () => read(`${L}/out-relative/victim/secret`) },
  { name: 'read through a link to a file', run: () => read(`${L}/out-file`) },
  { name: 'read through a link to the server root', run: () => read(`${L}/slash/etc/passwd`) },
  { name: 'read through a link to itself', run: () => read(`${L}/loop`) },
  { name: 'read through /proc', run: () => read(`${L}/slash/proc/self/environ`) },
  { name: 'overwrite through a link to a file', run: () => write(`${L}/out-file`) },
  {
    name: 'truncate through a link to a file',
    run: () => call((done) => sftp.open(`${L}/out-file`, 'w', done)),
  },
  {
    name: 'append through a link to a file',
    run: () => call((done) => sftp.open(`${L}/out-file`, 'a', done)),
  },
  { name: 'create a file through a dangling link', run: () => write(`${L}/out-dangling`) },
  { name: 'create a file through a linked folder', run: () => write(`${L}/out/victim/new`) },
  {
    name: 'create a file exclusively through a linked folder',
    run: () => write(`${L}/out/victim/new`, 'wx'),
  },
  { name: 'list a linked folder', run: () => call((done) => sftp.readdir(`${L}/out`, done)) },
  {
    name: 'stat through a linked folder',
    run: () => call((done) => sftp.stat(`${L}/out/victim/secret`, done)),
  },
  {
    name: 'lstat through a linked folder',
    run: () => call((done) => sftp.lstat(`${L}/out/victim/secret`, done)),
  },
  { name: 'stat a link to outside', run: () => call((done) => sftp.stat(`${L}/out-file`, done)) },
  { name: 'chmod through a link', run: () => call((done) => sftp.chmod(`${L}/out-file`, 0o777, done)) },
  { name: 'set times through a link', run: () => call((done) => sftp.utimes(`${L}/out-file`, 1, 1, done)) },
  {
    name: 'truncate with setstat through a link',
    run: () => call((done) => sftp.setstat(`${L}/out-file`, { size: 0 }, done)),
  },
  {
    name: 'remove through a linked folder',
    run: () => call((done) => sftp.unlink(`${L}/out/victim/secret`, done)),
  },
  { name: 'remove a folder through a link', run: () => call((done) => sftp.rmdir(`${L}/out/empty`, done)) },
  {
    name: 'create a folder through a link',
    run: () => call((done) => sftp.mkdir(`${L}/out/victim/new`, done)),
  },
  {
    name: 'move a file in from outside',
    run: () => call((done) => sftp.rename(`${L}/out/victim/secret`, `${L}/got`, done)),
  },
  {
    name: 'move a file out',
    run: () => call((done) => sftp.rename(`${L}/mine`, `${L}/out/victim/new`, done)),
  },
  {
    name: 'replace a file outside by posix-rename',
    run: () => call((done) => sftp.ext_openssh_rename(`${L}/mine`, `${L}/out/victim/secret`, done)),
  },
  {
    name: 'create a symbolic link',
    run: () => call((done) => sftp.symlink(`${outside}/victim`, `${L}/mylink`, done)),
  },
  {
    name: 'read a link beyond a linked folder',
    run: () => call((done) => sftp.readlink(`${L}/slash/proc/self/exe`, done)),
  },
  { name: 'use a NUL byte in a path', run: () => read(`${L}/mine\0.txt`) },
  { name: 'use a name of 300 bytes', run: () => write(`${L}/${'n'.repeat(300)}`) },
  { name: 'use a path of 5,000 bytes', run: () => write(`${L}/${'n/'.repeat(2500)}`) },
  { name: 'create a template', run: () => call((done) => sftp.mkdir('/templates/evil', done)) },
  {
    name: 'create a template through a link to the templates',
    run: () => call((done) => sftp.mkdir(`${L}/up/evil`, done)),
  },
  { name: 'create a file beside the templates', run: () => write('/templates/evil') },
  { name: 'remove a template', run: () => call((done) => sftp.rmdir(L, done)) },
  { name: 'rename a template', run: () => call((done) => sftp.rename(L, '/templates/evil', done)) },
  {
    name: 'turn a folder into a template',
    run: () => call((done) => sftp.rename(`${L}/plugins`, '/templates/evil', done)),
  },
  { name: 'create a folder in the root', run: () => call((done) => sftp.mkdir('/evil', done)) },
  { name: 'remove the templates', run: () => call((done) => sftp.rmdir('/templates', done)) },
  { name: 'rename the root', run: () => call((done) => sftp.rename('/', `${L}/root`, done)) },
  { name: 'change the mode of the root', run: () => call((done) => sftp.chmod('/', 0o777, done)) },
];

describe('the jail (the folders that an SFTP session may access)', () => {
  it.each(attacks)('forbids a session to $name', async ({ run }) => {
    await expect(statusOf(run())).resolves.toBeGreaterThanOrEqual(2);
    await untouched();
  });

  it('keeps the session usable after a forbidden request', async () => {
    await write(`${L}/after`);
    await expect(readFile(join(lobby, 'after'), 'utf8')).resolves.toBe('evil');
  });
});

describe('a folder that is replaced by a link out of the jail again and again', () => {
  it.runIf(process.platform === 'linux')(
    'never gives a session access to files outside of the jail (CVE-2024-27102)',
    timeoutForRounds(ROUNDS),
    async () => {
      await mkdir(join(lobby, 'aside'));
      await writeFile(join(lobby, 'aside', 'secret'), 'harmless');
      await symlink(join(outside, 'victim'), join(lobby, 'swap'));
      await swapNames({ folder: lobby, names: ['swap', 'aside'], pauseMs: 0.5 });
      const seen = new Map<string, number>();
      for (let round = 0; round < ROUNDS; round += 1) {
        const [outcome] = await Promise.all([
          read(`${L}/swap/secret`).catch(() => 'refused'),
          ...[
            write(`${L}/swap/new`),
            call((done) => sftp.chmod(`${L}/swap/secret`, 0o644, done)),
            call((done) => sftp.mkdir(`${L}/swap/folder`, done)),
            call((done) => sftp.unlink(`${L}/swap/secret2`, done)),
          ].map((attempt) => attempt.catch(() => undefined)),
        ]);
        seen.set(outcome, (seen.get(outcome) ?? 0) + 1);
      }
      // The session saw both the folder and the link, but never read the target of the link.
      expect([...seen.keys()].sort()).toEqual(['harmless', 'refused']);
      if (nightly) process.stdout.write(`swapped names: ${JSON.stringify(Object.fromEntries(seen))}\n`);
      await untouched();
    },
  );
});

describe('the jail, for permitted requests,', () => {
  it('follows links with a target inside the jail', async () => {
    await expect(read(`${L}/inside-file`)).resolves.toBe('mine');
    await write(`${L}/inside/new`);
    await expect(readdir(join(lobby, 'plugins'))).resolves.toEqual(['new']);
  });

  it('lists links that lead out of it, and lets a session remove these links', async () => {
    const names = await call<{ filename: string }[]>((done) => sftp.readdir(L, done));
    expect(names.map(({ filename }) => filename)).toContain('out-dangling');
    for (const name of ['out', 'out-file', 'out-dangling', 'loop']) {
      await call((done) => sftp.unlink(`${L}/${name}`, done));
    }
    await untouched();
    await expect(readdir(lobby)).resolves.not.toContain('out');
  });

  it('lets a session rename a link, and does not change its target', async () => {
    await call((done) => sftp.rename(`${L}/out-file`, `${L}/out-2`, done));
    await expect(readdir(lobby)).resolves.toContain('out-2');
    await untouched();
  });

  it('lets posix-rename replace a link, and does not change its target', async () => {
    await call((done) => sftp.ext_openssh_rename(`${L}/mine`, `${L}/out-file`, done));
    await expect(readFile(join(lobby, 'out-file'), 'utf8')).resolves.toBe('mine');
    await untouched();
  });

  it('treats a hard link that was created on the master like any other file', async () => {
    await link(join(lobby, 'mine'), join(lobby, 'twin'));
    await expect(read(`${L}/twin`)).resolves.toBe('mine');
  });

  it('lets a session move files between templates and shared files', async () => {
    await call((done) => sftp.rename(`${L}/mine`, '/files/shared', done));
    await expect(read('/files/shared')).resolves.toBe('mine');
    await call((done) => sftp.unlink('/files/shared', done));
  });
});

async function untouched(): Promise<void> {
  expect(await readdir(join(outside, 'victim'))).toEqual(['secret']);
  expect(await readdir(outside)).toEqual(['empty', 'host_key', 'keys.json', 'victim']);
  expect(await readFile(join(outside, 'victim', 'secret'), 'utf8')).toBe('secret');
  const { mode, mtimeMs } = await stat(join(outside, 'victim', 'secret'));
  expect(mode & 0o777).toBe(0o600);
  expect(mtimeMs).toBeGreaterThan(1_000_000);
  expect((await readdir(join(master.data, 'templates'))).sort()).toEqual(['lobby']);
}

async function read(path: string): Promise<string> {
  const content = await call<Buffer>((done) => sftp.readFile(path, done));
  return content.toString();
}

function write(path: string, flag: 'w' | 'wx' = 'w'): Promise<void> {
  return call((done) => sftp.writeFile(path, 'evil', { flag }, done));
}
