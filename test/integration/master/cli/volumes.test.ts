import { execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import {
  chmod,
  mkdir,
  readdir,
  readFile,
  stat,
  symlink,
  truncate,
  unlink,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { Save, Volume } from '#shared/model/volume.ts';
import { localSocketPath } from '#master/admin/local-socket.ts';
import { saveAllChanges } from '#master/cli/commands/volumes/save-changes.ts';
import { cliOf, type Printed } from '#test/support/master/command-line.ts';
import { masterProgram, MasterProcess } from '#test/support/master/master-process.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Packs a folder with one world into an archive, like an admin who imports a world. */
async function packedWorld(level: string): Promise<string> {
  const folder = temporaryFolder();
  await mkdir(join(folder, 'server/world/region'), { recursive: true });
  await writeFile(join(folder, 'server/world/level.dat'), level);
  await writeFile(join(folder, 'server/world/region/r.0.0.mca'), 'chunks');
  const archive = join(folder, 'world.tar.gz');
  execFileSync('tar', ['-C', join(folder, 'server'), '-caf', archive, '.']);
  return archive;
}

/** Expects the exit code of a command, and a part of its output. */
async function expectEnd(command: Promise<Printed>, code: number, part: string | RegExp = ''): Promise<void> {
  const printed = await command;
  expect(printed.code, printed.err).toBe(code);
  expect(printed.out + printed.err).toMatch(part);
}

it('commands import, list, restore, clone, export and delete volumes', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 26_550, to: 26_559 });
  onTestFinished(() => master.shutDown());
  await master.start();
  const cli = cliOf(master.data);
  const saves = async (): Promise<Save[]> => {
    const { code, out } = await cli('volume', 'saves', 'survival/1', '--json');
    expect(code).toBe(0);
    // This type describes the JSON output of the command.
    return JSON.parse(out) as Save[];
  };

  await expectEnd(cli('volume', 'list'), 0, 'No volumes.');
  for (const level of ['old', 'new']) {
    await expectEnd(cli('volume', 'import', 'survival/1', await packedWorld(level)), 0);
  }
  const [newest, older] = await saves();
  expect([newest?.current, older?.current]).toEqual([true, false]);
  expect(newest).toMatchObject({ files: 2, consistent: null, node: null, cause: 'imported by local' });
  expect(await readdir(join(master.data, 'volumes'))).toEqual(['survival']);

  await expectEnd(cli('volume', 'restore', 'survival/1', older?.save ?? ''), 0);
  expect((await saves()).map(({ save }) => save)).toEqual([older?.save, newest?.save]);
  await expectEnd(cli('volume', 'clone', 'survival/1', 'survival/2'), 0);
  await expectEnd(cli('volume', 'clone', 'survival/1', 'survival/2'), 1, 'exists already');
  await expectEnd(cli('volume', 'list'), 0, /survival\/1 +0\.0 MB +2 +0\.0 MB +\d+ s ago/);

  const exported = join(temporaryFolder(), 'survival.tar');
  await expectEnd(cli('volume', 'export', 'survival/2', exported), 0);
  const there = temporaryFolder();
  execFileSync('tar', ['-C', there, '-xf', exported]);
  expect(await readFile(join(there, 'world/level.dat'), 'utf8')).toBe('old');

  await expectEnd(cli('volume', 'attach', 'survival/1'), 2);
  await expectEnd(cli('volume', 'attach', 'survival/1', '--accept-loss'), 0, 'nothing is lost');
  await expectEnd(cli('volume', 'save', 'survival/1'), 1, 'No service uses volume survival/1');
  await expectEnd(cli('volume', 'restore', 'survival/1', '0123456789abcdef'), 1, 'no longer stored');
  await expectEnd(cli('volume', 'delete', 'survival/2'), 0);
  const list = await cli('volume', 'list', '--json');
  expect(list.code).toBe(0);
  // This type describes the JSON output of the command.
  expect((JSON.parse(list.out) as Volume[]).map(({ id }) => id)).toEqual(['survival/1']);
});

it('changes of a volume over SFTP are saved before the volume is exported or backed up', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 26_570, to: 26_579 });
  onTestFinished(() => master.shutDown());
  await master.start();
  const cli = cliOf(master.data);
  const file = (): string => join(temporaryFolder(), 'survival.tar');
  const levelIn = async (archive: string): Promise<string> => {
    const folder = temporaryFolder();
    execFileSync('tar', ['-C', folder, '-xf', archive]);
    return readFile(join(folder, 'world/level.dat'), 'utf8');
  };
  for (const id of ['survival/1', 'survival/2'])
    await expectEnd(cli('volume', 'import', id, await packedWorld('saved')), 0);
  const saves = await cli('volume', 'saves', 'survival/1', '--json');
  expect(saves.code).toBe(0);
  // This type describes the JSON output of the command.
  const [saved] = JSON.parse(saves.out) as Save[];

  // Leave changes in the working copies for the next master.
  await master.terminate();
  const copies = ['survival/1', 'survival/2'].map((id) => join(master.data, 'working-copies', id));
  for (const copy of copies) {
    await mkdir(join(copy, 'world'), { recursive: true });
    await writeFile(join(copy, 'world/level.dat'), 'changed');
  }
  expect(await saveAllChanges(master.data)).toEqual([
    expect.stringMatching(/^Volume survival\/1 has changes over SFTP .* not in the backup: /),
    expect.stringMatching(/^Volume survival\/2 has changes over SFTP .* not in the backup: /),
  ]);
  await master.start();
  const changed = file();
  await expectEnd(cli('volume', 'export', 'survival/1', changed), 0);
  expect(await levelIn(changed)).toBe('changed');
  expect(await saveAllChanges(master.data)).toEqual([]);
  expect(copies.filter((copy) => existsSync(copy))).toEqual([]);

  // A working copy that cannot become a save stays.
  await master.terminate();
  const [copy = ''] = copies;
  await mkdir(copy, { recursive: true });
  await symlink('/etc', join(copy, 'world'));
  await master.start();
  const refused = file();
  await expectEnd(cli('volume', 'export', 'survival/1', refused), 1, 'cannot become a save');
  expect(existsSync(refused)).toBe(false);
  expect(await saveAllChanges(master.data)).toEqual([expect.stringContaining('cannot become a save')]);
  const earlier = file();
  await expectEnd(cli('volume', 'export', 'survival/1', earlier, '--save', saved?.save ?? ''), 0);
  expect(await levelIn(earlier)).toBe('saved');
});

it('a backup that waits for a save does not close the files of clients, and can be interrupted', async () => {
  const data = temporaryFolder();
  await mkdir(join(data, 'working-copies/survival/1'), { recursive: true });
  const path = localSocketPath(data);
  await mkdir(dirname(path), { recursive: true });
  let asked = '';
  const interrupt = new AbortController();
  // A master that never answers.
  const server = createServer((socket) => {
    socket.on('data', (text) => {
      asked += text.toString();
      if (asked.includes('volumes.save')) interrupt.abort();
    });
    socket.on('error', () => undefined);
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(path, resolve));
  await expect(saveAllChanges(data, interrupt.signal)).rejects.toThrow('it was interrupted');
  expect(asked).toContain('"unlessOpen":true');
});

it('an archive with a link that leads out of the archive is not imported', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 26_560, to: 26_569 });
  onTestFinished(() => master.shutDown());
  await master.start();
  const folder = temporaryFolder();
  await mkdir(join(folder, 'world'));
  await symlink('/etc', join(folder, 'world/region'));
  const archive = join(temporaryFolder(), 'world.tar');
  execFileSync('tar', ['-C', folder, '-cf', archive, '.']);
  await expectEnd(cliOf(master.data)('volume', 'import', 'survival/1', archive), 1, 'cannot become a save');
  expect(await readdir(join(master.data, 'volumes/survival'))).toEqual([]);
});

it('an export stores files with equal content as separate files, with the modes and times of the newest save', async () => {
  const master = new MasterProcess(temporaryFolder(), { from: 26_540, to: 26_549 });
  onTestFinished(() => master.shutDown());
  await master.start();
  const cli = cliOf(master.data);
  const long = `plugins/${'very long name '.repeat(12).trim()}/große Welt.yml`;
  // The last two saves have the same contents as the first save, but other modes and times.
  const files = [
    { path: 'ops.json', mode: 0o640, at: 1_600_000_000, content: '[]' },
    { path: 'whitelist.json', mode: 0o600, at: 1_500_000_000, content: '[]' },
    { path: 'start.sh', mode: 0o755, at: 1_400_000_000, content: 'exec java' },
    { path: long, mode: 0o644, at: 1_300_000_000, content: 'size: 10' },
  ];
  const folder = join(temporaryFolder(), 'server');
  const archive = join(temporaryFolder(), 'world.tar');
  for (const later of [0, 50]) {
    await mkdir(join(folder, 'world/datapacks'), { recursive: true });
    for (const { path, mode, at, content } of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
      await chmod(join(folder, path), later === 0 ? 0o644 : mode);
      await utimes(join(folder, path), at + later, at + later);
    }
    execFileSync('tar', ['-C', folder, '-cf', archive, '.']);
    await expectEnd(cli('volume', 'import', 'survival/1', archive), 0);
  }
  for (const name of ['survival.tar', 'survival.tar.gz', 'survival.tgz', 'survival.tar.xz']) {
    const exported = join(temporaryFolder(), name);
    await expectEnd(cli('volume', 'export', 'survival/1', exported), 0);
    const compressed = !name.endsWith('.tar');
    expect((await readFile(exported)).subarray(257, 262).equals(Buffer.from('ustar'))).toBe(!compressed);
    const there = temporaryFolder();
    execFileSync('tar', ['-C', there, '-xpf', exported]);
    expect(await readdir(there)).toEqual(['ops.json', 'plugins', 'start.sh', 'whitelist.json', 'world']);
    expect(await readdir(join(there, 'world'))).toEqual(['datapacks']);
    for (const { path, mode, at, content } of files) {
      const stats = await stat(join(there, path));
      const found = { links: stats.nlink, mode: stats.mode & 0o777, at: stats.mtimeMs / 1000 };
      expect(found, `${path} in ${name}`).toEqual({ links: 1, mode, at: at + 50 });
      expect(await readFile(join(there, path), 'utf8')).toBe(content);
    }
  }
});

/** Starts a master with a volume. Returns an empty folder, and a path in it for the exported archive. */
async function aWorldToExport() {
  const master = new MasterProcess(temporaryFolder(), { from: 26_540, to: 26_549 });
  onTestFinished(() => master.shutDown());
  await master.start();
  const cli = cliOf(master.data);
  await expectEnd(cli('volume', 'import', 'survival/1', await packedWorld('level')), 0);
  const folder = temporaryFolder();
  return { data: master.data, cli, folder, file: join(folder, 'survival.tar.gz') };
}

it('an export fails without leaving a file if a stored file is damaged or the compression fails', async () => {
  const { data, cli, folder, file } = await aWorldToExport();
  const path = process.env['PATH'] ?? '';
  onTestFinished(() => void (process.env['PATH'] = path));
  process.env['PATH'] = folder;
  await writeFile(join(folder, 'gzip'), '#!/bin/sh\necho no memory >&2\nexit 1\n', { mode: 0o755 });
  await expectEnd(
    cli('volume', 'export', 'survival/1', file),
    1,
    'gzip -c" failed on this machine: no memory',
  );
  await unlink(join(folder, 'gzip'));
  await expectEnd(cli('volume', 'export', 'survival/1', join(folder, 'no/world.tar')), 1, 'does not exist');
  await expectEnd(cli('volume', 'export', 'survival/1', folder), 1, 'it is a folder');
  await expectEnd(cli('volume', 'export', 'survival/1', file), 1, 'this program is not installed');
  process.env['PATH'] = path;

  const saves = join(data, 'volumes/survival/1/saves');
  const [save = ''] = (await readdir(saves)).filter((name) => !name.endsWith('.json'));
  const level = join(saves, save, 'world/level.dat');
  await truncate(level, 2);
  await expectEnd(cli('volume', 'export', 'survival/1', file), 1, /level\.dat has 2 instead of 5 bytes/);
  await unlink(level);
  await symlink('/etc/hostname', level);
  await expectEnd(cli('volume', 'export', 'survival/1', file), 1, 'cannot be read');
  expect(await readdir(folder)).toEqual([]);
});

it('an export that fails or is interrupted keeps the existing archive, and one that succeeds replaces it', async () => {
  const { data, cli, folder, file } = await aWorldToExport();
  await expectEnd(cli('volume', 'export', 'survival/1', file), 0);
  const archive = await readFile(file);

  const tools = temporaryFolder();
  await writeFile(join(tools, 'gzip'), '#!/bin/sh\necho started\nexec sleep 600\n', { mode: 0o755 });
  const command = [await masterProgram(), 'volume', 'export', 'survival/1', file, '--data', data];
  const child = spawn(process.execPath, command, {
    env: { ...process.env, PATH: `${tools}:${process.env['PATH'] ?? ''}` },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let err = '';
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const partial = join(folder, `.survival.tar.gz.${child.pid}.partial`);
  await waitFor(async () => (await stat(partial).catch(() => ({ size: 0 }))).size > 0);
  expect(await readFile(file)).toEqual(archive);
  child.kill('SIGINT');
  expect(await ended).toBe(1);
  expect(err).toContain('failed: the command was interrupted. No partial file was left behind.');
  expect(await readdir(folder)).toEqual(['survival.tar.gz']);

  await expectEnd(cli('volume', 'import', 'survival/1', await packedWorld('other')), 0);
  await chmod(file, 0o600);
  await expectEnd(cli('volume', 'export', 'survival/1', file), 0);
  expect(await readFile(file)).not.toEqual(archive);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const replaced = await readFile(file);
  const saves = join(data, 'volumes/survival/1/saves');
  for (const save of (await readdir(saves)).filter((name) => !name.endsWith('.json')))
    await truncate(join(saves, save, 'world/level.dat'), 2);
  await expectEnd(cli('volume', 'export', 'survival/1', file), 1, /level\.dat has 2 instead of 5 bytes/);
  expect(await readFile(file)).toEqual(replaced);
  expect(await readdir(folder)).toEqual(['survival.tar.gz']);
});
