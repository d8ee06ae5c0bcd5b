import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { backupPlaces } from '#master/backup/places.ts';
import { restoreNetwork } from '#master/backup/restore-network.ts';
import { cliOf, type Printed } from '#test/support/master/command-line.ts';
import { hasRestic } from '#test/support/backup/restic.ts';
import { s3ServerJar, startS3Server, type S3Server } from '#test/support/backup/s3-server.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const jar = hasRestic ? await s3ServerJar({ download: true }) : null;
const why = hasRestic ? 'S3Proxy could not be downloaded from Maven Central' : 'restic is not installed';

const KEYS = { keyId: 'AKIDcanary0123456789', secret: 'canary/S3+secret/0123456789' };

/** Creates a data folder for the command line. */
async function dataFolder(): Promise<string> {
  const data = temporaryFolder();
  for (const name of ['config', 'files', 'state', 'templates'])
    await mkdir(join(data, name), { mode: 0o700 });
  await writeFile(join(data, 'config/host_key'), 'a key', { mode: 0o600 });
  await writeFile(join(data, 'files/world.zip'), 'blocks '.repeat(100_000));
  return data;
}

describe.skipIf(jar === null)(`a backup in S3${jar === null ? ` (skipped: ${why})` : ''}`, () => {
  let server: S3Server;
  let folder: string;
  let printed: Printed[];

  /** Runs a command for a data folder, and stores its output. */
  async function run(data: string, ...args: string[]): Promise<Printed> {
    const one = await cliOf(data)(...args);
    printed.push(one);
    return one;
  }

  async function environmentFile(keys: { readonly keyId: string; readonly secret: string }): Promise<string> {
    const path = join(folder, 'environment');
    const text = `AWS_ACCESS_KEY_ID=${keys.keyId}\nAWS_SECRET_ACCESS_KEY=${keys.secret}\n`;
    await writeFile(path, text, { mode: 0o600 });
    return path;
  }

  beforeEach(async () => {
    server = await startS3Server(jar ?? '', KEYS);
    folder = temporaryFolder();
    printed = [];
    await mkdir(join(server.buckets, 'backups'));
    // Script that runs instead of restic, writes down its arguments, and then runs restic.
    const spy = `#!/bin/sh\necho "$@" >> ${folder}/arguments\nexec /usr/bin/restic "$@"\n`;
    await writeFile(join(folder, 'restic'), spy, { mode: 0o755 });
    vi.stubEnv('PATH', `${folder}:${process.env['PATH']}`);
    onTestFinished(() => void vi.unstubAllEnvs());
  });

  it('can be made, listed, checked and restored, and only the environment file contains the S3 keys', async () => {
    const old = await dataFolder();
    const repository = server.repository('backups');
    const environment = await environmentFile(KEYS);
    const configured = await run(old, 'backup', 'configure', repository, '--environment-file', environment);
    expect([configured.code, configured.err]).toEqual([0, '']);
    const made = await run(old, 'backup', 'run', '--json');
    expect(made.code).toBe(0);
    const { id } = JSON.parse(made.out) as { id: string };
    expect((await readdir(join(server.buckets, 'backups', 'snapshots'))).length).toBe(1);
    expect((await run(old, 'backup', 'list')).out).toContain(id);
    expect((await run(old, 'backup', 'check', '--read-data')).code).toBe(0);

    const fresh = temporaryFolder();
    const passwordFile = backupPlaces(old).password;
    const files = ['--password-file', passwordFile, '--environment-file', environment];
    expect((await run(fresh, 'backup', 'configure', repository, ...files)).out).toContain('Opened the repo');
    expect((await run(fresh, 'backup', 'restore', id)).code).toBe(0);
    for (const path of ['config/host_key', 'files/world.zip'])
      expect(await readFile(join(fresh, path), 'utf8')).toBe(await readFile(join(old, path), 'utf8'));

    const { environment: kept, settings, status } = backupPlaces(old);
    expect(await readFile(kept, 'utf8')).toContain(KEYS.secret);
    expect((await stat(kept)).mode & 0o777).toBe(0o600);
    const shown = await Promise.all(
      [settings, status, backupPlaces(fresh).restored, join(folder, 'arguments')].map((path) =>
        readFile(path, 'utf8'),
      ),
    );
    const all = [...shown, JSON.stringify(printed)].join('\n');
    for (const secret of Object.values(KEYS)) expect(all).not.toContain(secret);
  });

  it('fails with wrong S3 keys, the error says what to check, and the settings do not change', async () => {
    const data = await dataFolder();
    const repository = server.repository('backups');
    const right = await environmentFile(KEYS);
    expect((await run(data, 'backup', 'configure', repository, '--environment-file', right)).code).toBe(0);
    const before = await readFile(backupPlaces(data).environment, 'utf8');
    const wrong = await environmentFile({ ...KEYS, secret: 'canary-of-a-wrong-secret' });
    const refused = await run(data, 'backup', 'configure', repository, '--environment-file', wrong);
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(/cannot be used: .*Forbidden.*AWS_SECRET_ACCESS_KEY.*--environment-file/);
    expect(refused.err).not.toContain('canary');
    expect(await readFile(backupPlaces(data).environment, 'utf8')).toBe(before);
    expect((await run(data, 'backup', 'run')).code).toBe(0);

    // Replace the working keys by wrong keys, as if the keys had been withdrawn.
    await writeFile(backupPlaces(data).environment, await readFile(wrong, 'utf8'), { mode: 0o600 });
    for (const command of ['run', 'list', 'check']) {
      const { code, err } = await run(data, 'backup', command);
      expect([command, code, err]).toEqual([command, 1, expect.stringContaining('Forbidden')]);
    }
    expect(JSON.stringify(printed)).not.toContain('canary');
  });

  it('does not create a missing bucket for a restore, and fails if the bucket was removed', async () => {
    const environment = `AWS_ACCESS_KEY_ID=${KEYS.keyId}\nAWS_SECRET_ACCESS_KEY=${KEYS.secret}\n`;
    const fresh = temporaryFolder();
    const restoring = restoreNetwork({
      ...{
        dataFolder: fresh,
        repository: server.repository('mistyped'),
        password: 'a password',
        environment,
      },
      ...{ backup: undefined, isNewer: () => false },
    });
    await expect(restoring).rejects.toMatchObject({
      code: 'BACKUP_REPOSITORY_FAILED',
      message: expect.stringMatching(
        /mistyped cannot be used: .*does not exist\. Check its address/,
      ) as string,
    });
    expect(existsSync(join(server.buckets, 'mistyped'))).toBe(false);
    expect(existsSync(backupPlaces(fresh).settings)).toBe(false);

    const data = await dataFolder();
    const file = await environmentFile(KEYS);
    const at = server.repository('backups');
    expect((await run(data, 'backup', 'configure', at, '--environment-file', file)).code).toBe(0);
    await rm(join(server.buckets, 'backups'), { recursive: true });
    const { code, err } = await run(data, 'backup', 'list');
    expect([code, err]).toEqual([1, expect.stringContaining('does not exist')]);
  });
});
