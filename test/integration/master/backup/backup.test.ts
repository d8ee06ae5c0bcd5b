import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { CompleteBackup } from '#shared/model/backup.ts';
import { configureBackup } from '#master/backup/configure.ts';
import { backupPlaces } from '#master/backup/places.ts';
import { runBackup } from '#master/backup/run-backup.ts';
import { readBackupState } from '#master/backup/state.ts';
import { KeptFiles } from '#master/runtime/kept/kept-files.ts';
import { acquireLease } from '#master/store/lease.ts';
import { BusyData, inspect } from '#test/support/backup/busy-data.ts';
import { cliOf } from '#test/support/master/command-line.ts';
import { hasRestic } from '#test/support/backup/restic.ts';
import { restoreElsewhere } from '#test/support/backup/restore-elsewhere.ts';
import { canStartSshd, startSshd } from '#test/support/files/sshd.ts';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { serviceIn, setConfig } from '#test/support/master/network.ts';
import { counterIn, createSurvival, numberInLog, volumeOf } from '#test/support/master/world.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Number of backups that are made and restored while all data changes. */
const ROUNDS = process.env['OVERWORLD_NIGHTLY'] === '1' ? 25 : 4;

async function smallFolder(): Promise<{ data: string; repository: string; password: () => Promise<string> }> {
  const data = temporaryFolder();
  const repository = join(temporaryFolder(), 'repository');
  for (const name of ['config', 'state', 'files', 'templates/lobby/bin'])
    await mkdir(join(data, name), { recursive: true, mode: 0o700 });
  await writeFile(join(data, 'config/host_key'), 'a key', { mode: 0o600 });
  for (const name of ['services', 'allowances']) await writeFile(join(data, `state/${name}.json`), '{}');
  await writeFile(join(data, 'templates/lobby/bin/java'), 'a program', { mode: 0o755 });
  await symlink('bin/java', join(data, 'templates/lobby/run'));
  await writeFile(join(data, 'templates/lobby/plugin.jar.part'), 'an upload in progress');
  await configureBackup({ dataFolder: data, repository, retention: {} });
  const password = () => readFile(backupPlaces(data).password, 'utf8');
  return { data, repository, password };
}

describe.skipIf(!hasRestic)('a backup of a network (needs restic)', () => {
  it(`is complete even if files change during the backup (${ROUNDS} backups)`, async () => {
    const busy = new BusyData(temporaryFolder());
    const writing = busy.run();
    onTestFinished(() => {
      busy.stop();
      return writing;
    });
    await waitFor(() => busy.acknowledged > 3);
    const repository = join(temporaryFolder(), 'repository');
    await configureBackup({ dataFolder: busy.root, repository, retention: { last: 2, daily: 0, weekly: 0 } });
    const password = await readFile(backupPlaces(busy.root).password, 'utf8');
    for (let round = 1; round <= ROUNDS; round += 1) {
      const { acknowledged, revision } = busy;
      const { remarks } = await runBackup({ dataFolder: busy.root });
      expect(busy.acknowledged, 'saves were made meanwhile').toBeGreaterThan(acknowledged);
      const found = await inspect(await restoreElsewhere(repository, password));
      expect(found.faults, `round ${round}`).toEqual([]);
      expect(found.save).toBeGreaterThanOrEqual(acknowledged);
      expect(found.revision).toBeGreaterThanOrEqual(revision);
      // A remark is allowed for this file of the template: it changes all the time, so the backup may contain only
      // its last stored version.
      expect(remarks.filter((remark) => !remark.includes('templates/lobby/counter'))).toEqual([]);
    }
    busy.stop();
    await writing;
    expect(existsSync(join(busy.root, 'backup', 'stage'))).toBe(false);
    const { code, out } = await cliOf(busy.root)('backup', 'list', '--json');
    expect([code, (JSON.parse(out) as unknown[]).length]).toEqual([0, 2]);
    expect((await cliOf(busy.root)('backup', 'check', '--read-data')).code).toBe(0);
  });

  it('contains files, modes and links, but neither unfinished uploads nor the list of services', async () => {
    const { data, repository, password } = await smallFolder();
    await runBackup({ dataFolder: data });
    const there = await restoreElsewhere(repository, await password());
    const lobby = join(there, 'templates/lobby');
    expect((await readdir(lobby)).sort()).toEqual(['bin', 'run']);
    expect(await readFile(join(lobby, 'run'), 'utf8')).toBe('a program');
    expect((await stat(join(lobby, 'bin/java'))).mode & 0o777).toBe(0o755);
    expect((await stat(join(there, 'config/host_key'))).mode & 0o777).toBe(0o600);
    expect((await readdir(join(there, 'state'))).sort()).toEqual(['moved']);
  });

  it('leaves out a file or folder whose name is not UTF-8, and reports the name', async () => {
    const { data } = await smallFolder();
    const folder = Buffer.concat([
      Buffer.from(join(data, 'files/gr')),
      Buffer.from([0xf6]),
      Buffer.from('sse'),
    ]);
    await mkdir(folder);
    await writeFile(Buffer.concat([folder, Buffer.from('/world.zip')]), 'a world');
    const { remarks } = await runBackup({ dataFolder: data });
    expect(remarks).toEqual([
      'The name of files/gr\uFFFDsse is not UTF-8, so it is not in the backup. Rename it.',
    ]);
  });

  it('reports that it lacks the unsaved SFTP changes of a volume', async () => {
    const { data } = await smallFolder();
    await mkdir(join(data, 'working-copies/survival/1'), { recursive: true });
    const { code, out, err } = await cliOf(data)('backup', 'run');
    expect(code, err).toBe(0);
    expect(out).toContain(
      'Volume survival/1 has changes over SFTP that are not a save yet, and not in the backup',
    );
    expect((await readBackupState(data, Date.now())).lastComplete?.remarks).toHaveLength(1);
  });

  it('contains crash reports and logs of exited services, but no console output', async () => {
    const { data, repository, password } = await smallFolder();
    const kept = new KeptFiles(join(data, 'logs'));
    const file = (path: string, text: string) => ({
      path,
      changedAt: 1,
      whole: true,
      content: Buffer.from(text),
    });
    await kept.add('lobby-1', 1_000, [
      file('crash-reports/first.txt', 'first'),
      file('logs/latest.log', 'log'),
    ]);
    await kept.add('lobby-1', 2_000, [file('crash-reports/second.txt', 'second')]);
    await writeFile(join(data, 'logs', 'lobby-1.log'), 'a console');
    await mkdir(join(data, 'logs', 'lobby-1.files', '3000.part'));
    expect((await runBackup({ dataFolder: data })).remarks).toEqual([]);
    const restored = join(await restoreElsewhere(repository, await password()), 'logs');
    expect(await readdir(restored)).toEqual(['lobby-1.files']);
    const again = new KeptFiles(restored);
    expect(await again.list('lobby-1')).toEqual(await kept.list('lobby-1'));
    expect(await again.read('lobby-1', 1_000, 'crash-reports/first.txt')).toEqual({
      text: 'first',
      whole: true,
    });
  });

  it('stores only data that has changed since the previous backup', async () => {
    const { data } = await smallFolder();
    await writeFile(join(data, 'files/large'), 'x'.repeat(3_000_000));
    await runBackup({ dataFolder: data, now: () => Date.now() + 60_000 });
    const again = await runBackup({ dataFolder: data, now: () => Date.now() + 60_000 });
    expect(again.bytes).toBeGreaterThan(3_000_000);
    expect(again.addedBytes).toBeLessThan(1_000_000);
  });

  it('is restored over existing data only with --replace, which keeps the old data, and never while a master runs', async () => {
    const { data } = await smallFolder();
    await runBackup({ dataFolder: data });
    await writeFile(join(data, 'config/host_key'), 'a newer key');
    const cli = cliOf(data);
    const refused = await cli('backup', 'restore');
    expect(refused.code).toBe(1);
    expect(refused.err).toContain('--replace');
    const lease = await acquireLease(data);
    expect((await cli('backup', 'restore', '--replace')).err).toContain('Another master');
    await lease.release();
    expect(await readFile(join(data, 'config/host_key'), 'utf8')).toBe('a newer key');

    const { code, out, err } = await cli('backup', 'restore', '--replace', '--json');
    expect([code, err]).toEqual([0, '']);
    const { replaced } = JSON.parse(out) as { replaced: string };
    expect(await readFile(join(data, 'config/host_key'), 'utf8')).toBe('a key');
    expect(await readFile(join(replaced, 'config/host_key'), 'utf8')).toBe('a newer key');
  });

  // This test takes more than a minute, because restic repeats a failed read with growing delays.
  it('cannot be restored if it is damaged, and the check reports the damage', async () => {
    const { data, repository, password } = await smallFolder();
    await runBackup({ dataFolder: data });
    const [pack] = (await readdir(join(repository, 'data'), { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name));
    await chmod(pack ?? '', 0o600);
    // The length stays, because restic repeats reads of a file that is too short for minutes.
    await writeFile(pack ?? '', Buffer.alloc((await stat(pack ?? '')).size, 'not what was stored'));
    await expect(restoreElsewhere(repository, await password())).rejects.toMatchObject({
      code: 'BACKUP_REPOSITORY_FAILED',
    });
    expect((await cliOf(data)('backup', 'check', '--read-data')).code).toBe(1);
  });

  it('writes no secrets to command lines, messages or the settings file', async () => {
    const { data, repository } = await smallFolder();
    const secret = 'AKIDcanary0123456789';
    const folder = temporaryFolder();
    const [environment, seen] = [join(folder, 'environment'), join(folder, 'seen')];
    await writeFile(environment, `# of S3\nAWS_SECRET_ACCESS_KEY="${secret}"\n`, { mode: 0o600 });
    // Script that runs instead of restic, writes down its arguments and environment, and then runs restic.
    const spy = `#!/bin/sh\necho "args $@" >> ${seen}\necho "key $AWS_SECRET_ACCESS_KEY" >> ${seen}\nexec /usr/bin/restic "$@"\n`;
    await writeFile(join(folder, 'restic'), spy, { mode: 0o755 });
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const cli = cliOf(data);
    expect((await cli('backup', 'configure', repository, '--environment-file', environment)).err).toBe('');
    expect((await cli('backup', 'run')).code).toBe(0);
    const calls = (await readFile(seen, 'utf8')).split('\n');
    const { password, settings, environment: kept } = backupPlaces(data);
    const secrets = [secret, (await readFile(password, 'utf8')).trim()];
    expect(calls).toContain(`key ${secret}`);
    for (const call of calls.filter((line) => line.startsWith('args ')))
      for (const one of secrets) expect(call).not.toContain(one);
    for (const path of [password, kept, settings]) expect((await stat(path)).mode & 0o077).toBe(0);
    for (const one of secrets) expect(await readFile(settings, 'utf8')).not.toContain(one);

    const refused = await cli('backup', 'configure', `rest:https://user:${secret}@backup.example/`);
    expect(refused.err).toContain('it contains a password');
    expect(refused.err).not.toContain(secret);
    // The current repository stays in use.
    expect((await cli('backup', 'list')).code).toBe(0);
  });

  it('is recorded if it fails, and the failure is reported as a problem until a backup succeeds', async () => {
    const { data, repository } = await smallFolder();
    await runBackup({ dataFolder: data });
    await rm(repository, { recursive: true });
    await expect(runBackup({ dataFolder: data })).rejects.toMatchObject({ code: 'BACKUP_FAILED' });
    const state = await readBackupState(data, Date.now());
    expect(state).toMatchObject({ running: null, last: { outcome: 'failed' } });
    expect(state.problem).toContain('The last complete backup is');
    const password = await readFile(backupPlaces(data).password, 'utf8');
    await configureBackup({ dataFolder: data, repository, password, retention: {} });
    await runBackup({ dataFolder: data });
    expect((await readBackupState(data, Date.now())).problem).toBeNull();
  });

  it('restores a whole network on an empty machine', async () => {
    const old = new MasterProcess(temporaryFolder(), { from: 26_600, to: 26_619 });
    onTestFinished(() => old.shutDown());
    const { hostKey } = await old.start();
    await createSurvival(old);
    await serviceIn(old, 'RUNNING');
    await old.call('templates.create', { id: 'lobby', config: {} });
    await old.call('templates.hold', { id: 'lobby', held: true });
    await writeFile(join(old.data, 'files/motd.txt'), 'hello');
    const save = await old.call('volumes.save', { id: 'survival/1' });
    const repository = join(temporaryFolder(), 'repository');
    expect((await cliOf(old.data)('backup', 'configure', repository)).code).toBe(0);
    const made = await cliOf(old.data)('backup', 'run', '--json');
    expect(made.err).toBe('');
    const { id } = JSON.parse(made.out) as CompleteBackup;
    await waitFor(async () => (await old.call('backup.get', {})).lastComplete?.id === id);
    const told = await waitFor(async () => {
      const events = await old.call('activity.list', { limit: 50 });
      return events.find(({ kind }) => kind === 'backup.done');
    });
    expect(told.cause).toContain(id);
    const password = await readFile(backupPlaces(old.data).password, 'utf8');
    await setConfig(old, 'survival', { minimumRunningServers: 0 });
    await old.call('master.shutdown', { services: 'stop' });
    await waitFor(() => !old.alive);

    const data = temporaryFolder();
    const passwordFile = join(temporaryFolder(), 'password');
    await writeFile(passwordFile, password);
    const cli = cliOf(data);
    const opened = await cli('backup', 'configure', repository, '--password-file', passwordFile);
    expect(opened.out).toContain('Opened the repository');
    const said = await cli('backup', 'restore');
    expect([said.code, said.out]).toEqual([
      0,
      expect.stringContaining('its service starts from its last save'),
    ]);
    const restored = new MasterProcess(data, { from: 26_620, to: 26_639 });
    onTestFinished(() => restored.shutDown());
    expect((await restored.start()).hostKey).toBe(hostKey);
    const templates = await restored.call('templates.list', {});
    expect(templates.map((template) => [template.id, template.held])).toEqual([
      ['lobby', true],
      ['survival', false],
    ]);
    expect(await readFile(join(data, 'files/motd.txt'), 'utf8')).toBe('hello');
    expect((await volumeOf(restored))?.lastSave?.save).toBe(save.save);
    await serviceIn(restored, 'RUNNING');
    const begins = await numberInLog(restored, 'survival-1', 'world starts at ');
    expect(begins).toBe(await counterIn(restored, save));
  });

  it.skipIf(!canStartSshd)('can be stored in a repository over SFTP (needs root and sshd)', async () => {
    const { data } = await smallFolder();
    const sshd = await startSshd(['Subsystem sftp internal-sftp']);
    onTestFinished(() => sshd.stop());
    const folder = temporaryFolder();
    await writeFile(join(folder, 'key'), sshd.key, { mode: 0o600 });
    // restic starts the first `ssh` in PATH. Put a script there, because the real `ssh` would read root's settings.
    const options = `-i ${join(folder, 'key')} -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR`;
    await writeFile(join(folder, 'ssh'), `#!/bin/sh\nexec /usr/bin/ssh ${options} "$@"\n`, { mode: 0o755 });
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    onTestFinished(() => void vi.unstubAllEnvs());
    const repository = `sftp://root@127.0.0.1:${sshd.port}/${join(folder, 'repository')}`;
    const password = await readFile(backupPlaces(data).password, 'utf8');
    await configureBackup({ dataFolder: data, repository, password, retention: {} });
    await runBackup({ dataFolder: data });
    expect(await readdir(join(folder, 'repository'))).toContain('snapshots');
    const there = await restoreElsewhere(repository, password);
    expect(await readFile(join(there, 'config/host_key'), 'utf8')).toBe('a key');
  });
});

it('without restic, the backup command names the package to install', async () => {
  const data = temporaryFolder();
  await chmod(data, 0o700);
  vi.stubEnv('PATH', '/nowhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { code, err } = await cliOf(data)('backup', 'configure', '/mnt/backup');
  expect([code, err]).toEqual([1, expect.stringContaining('apt-get install restic')]);
  expect(existsSync(backupPlaces(data).password)).toBe(false);
});

it('the systemd unit for backups runs with few permissions', () => {
  const unit = new URL(
    '../../../../build/packaging/overworld-master/overworld-master-backup.service',
    import.meta.url,
  );
  const args = ['security', '--offline=true', '--no-pager', unit.pathname];
  const exposure = execFileSync('systemd-analyze', args, { encoding: 'utf8' });
  expect(Number(/exposure level for .*: ([\d.]+) /.exec(exposure)?.[1])).toBeLessThanOrEqual(2);
});
