import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toRepositoryError } from '#master/backup/repository/repository.ts';
import { ResticFailed } from '#master/backup/repository/restic.ts';
import { restoreOutcome } from '#master/cli/backup/restore-for-install.ts';
import {
  hasAddressOfBackup,
  readRestored,
  readRestoreRequest,
  whyRestoreOptionsUnusable,
} from '#master/cli/install/restore.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

describe('the restore options of "overworld-master install"', () => {
  it.each([
    [{}, null],
    [{ restoreFrom: '/mnt/backup', passwordFile: 'password', backup: '0123abcd' }, null],
    [{ restoreFrom: 's3:https://host/bucket', passwordFile: '-', environmentFile: 's3.env' }, null],
    [{ restoreFrom: '/mnt/backup' }, /^--restore-from needs --password-file/],
    [{ passwordFile: 'password' }, /^--password-file is used only with --restore-from/],
    [{ environmentFile: 's3.env' }, /^--environment-file is used only with --restore-from/],
    [{ backup: '0123abcd' }, /^--backup is used only with --restore-from/],
    [{ restoreFrom: '/mnt/backup', passwordFile: '-', environmentFile: '-' }, /cannot both be standard/],
  ])('with the values %j are accepted or cause the error %s', (options, why) => {
    const found = whyRestoreOptionsUnusable(options);
    if (why === null) expect(found).toBeNull();
    else expect(found).toMatch(why);
  });

  it('are read and checked before install changes anything', async () => {
    const folder = temporaryFolder();
    const [passwordFile, environmentFile] = [join(folder, 'password'), join(folder, 's3.env')];
    await writeFile(passwordFile, 'the password\nnot part of it\n', { mode: 0o600 });
    await writeFile(environmentFile, 'AWS_ACCESS_KEY_ID=abc\n', { mode: 0o600 });
    const warnings: string[] = [];
    const output = { out: () => undefined, err: (text: string) => void warnings.push(text) };
    const options = { restoreFrom: 's3:https://host/bucket', passwordFile, environmentFile };
    expect(await readRestoreRequest(options, output)).toEqual({
      ...{ repository: 's3:https://host/bucket', password: 'the password', backup: undefined },
      environment: 'AWS_ACCESS_KEY_ID=abc\n',
    });
    expect(await readRestoreRequest({}, output)).toBeNull();
    expect(warnings).toEqual([]);
    for (const [code, change] of [
      ['BACKUP_REPOSITORY_INVALID', { restoreFrom: 'backups' }],
      ['BACKUP_REPOSITORY_INVALID', { restoreFrom: '/var/lib/overworld/backups' }],
      ['BACKUP_FILE_INVALID', { passwordFile: join(folder, 'missing') }],
      ['BACKUP_FILE_INVALID', { environmentFile: passwordFile }],
    ] as const)
      await expect(readRestoreRequest({ ...options, ...change }, output)).rejects.toMatchObject({ code });

    await chmod(passwordFile, 0o644);
    await readRestoreRequest(options, output);
    expect(warnings).toEqual([expect.stringContaining(`chmod 600 ${passwordFile}`)]);
    expect(warnings.join()).not.toContain('the password');
  });
});

describe('restoreOutcome (result of the restore step)', () => {
  const at = Date.UTC(2026, 10, 28, 12);

  it('has the status "done" if it has restored the data, and "unchanged" if an earlier run had', () => {
    const backup = { id: '0123abcd', at, version: '1.0.0', remarks: ['A remark.'], replaced: null };
    expect(restoreOutcome({ outcome: 'restored', backup })).toEqual({
      status: 'done',
      detail: expect.stringMatching(/^Restored backup 0123abcd of .*\. A remark\.$/) as string,
    });
    const note = { repository: '/mnt/backup', backup: '0123abcd', at, restoredAt: at };
    expect(restoreOutcome({ outcome: 'complete', backup: note })).toEqual({
      status: 'unchanged',
      detail: expect.stringContaining('was restored before') as string,
    });
  });

  it('names the folder to which the previous data was moved', () => {
    const replaced = '/var/lib/overworld/backup/replaced-by-0123abcd';
    const backup = { id: '0123abcd', at, version: '1.0.0', remarks: ['A remark.'], replaced };
    const { detail } = restoreOutcome({ outcome: 'restored', backup });
    expect(detail).toContain(`A remark. The data that was there before is in ${replaced}.`);
  });
});

describe('readRestored (reads the output of the restore process)', () => {
  const stdout = '{"status":"done","detail":"Restored backup 0123abcd."}';

  it('returns the result that the restore process printed', () => {
    const outcome = readRestored({ code: 0, stdout, stderr: '' }, { aborted: false });
    expect(outcome).toEqual({ status: 'done', detail: 'Restored backup 0123abcd.' });
  });

  it('throws if install was interrupted, even if the restore process succeeded', () => {
    const interrupted = { aborted: true };
    expect(() => readRestored({ code: 0, stdout, stderr: '' }, interrupted)).toThrow(
      expect.objectContaining({
        code: 'INSTALL_INTERRUPTED',
        message: expect.stringContaining('Restored backup 0123abcd.') as string,
      }),
    );
    const failed = { code: 1, stdout: '', stderr: 'Verifying…\nIt was interrupted.\n' };
    expect(() => readRestored(failed, interrupted)).toThrow(
      expect.objectContaining({ code: 'NETWORK_NOT_RESTORED', details: { why: 'It was interrupted.' } }),
    );
  });
});

describe('hasAddressOfBackup (whether the configured address may be the address of the lost machine)', () => {
  it('returns true after a restore until a master has started with the restored data', async () => {
    const folder = temporaryFolder();
    const [done, unchanged] = [{ status: 'done' }, { status: 'unchanged' }] as const;
    const now = (restored: typeof done | typeof unchanged | null) =>
      [true, false].map((isRunning) => hasAddressOfBackup(restored, isRunning, folder));
    expect([now(done), now(unchanged), now(null)]).toEqual([
      [true, true],
      [false, false],
      [false, false],
    ]);
    await mkdir(join(folder, 'state'));
    await writeFile(join(folder, 'state/moved'), '');
    expect([now(done), now(unchanged), now(null)]).toEqual([
      [true, true],
      [false, true],
      [false, false],
    ]);
  });
});

describe('the error message about a backup repository', () => {
  const question = 'Is there a repository at the following location?';

  it.each([
    [
      's3:https://host/bucket',
      `Fatal: unable to open config file: Stat: Access Denied. ${question} s3:https://host/bucket`,
      'cannot be used: unable to open config file: Stat: Access Denied. Check its address, its password, and the keys AWS_ACCESS_KEY_ID',
    ],
    [
      'sftp:backup@host:/srv',
      'Fatal: no such host',
      'no such host. Check its address, its password, and that the user',
    ],
    [
      '/mnt/backup',
      'Fatal: wrong password',
      'wrong password. Check its address, its password, and the rights',
    ],
    ['rest:https://host/', 'Fatal: refused', 'and how this machine logs in to it.'],
  ])('tells what to check if the repository is at %s', (repository, why, wanted) => {
    const error = toRepositoryError(new ResticFailed(1, why), repository);
    expect(error).toMatchObject({
      code: 'BACKUP_REPOSITORY_FAILED',
      message: expect.stringContaining(wanted) as string,
    });
  });
});
