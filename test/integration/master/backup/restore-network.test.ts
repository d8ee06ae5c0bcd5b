import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { configureBackup } from '#master/backup/configure.ts';
import { backupPlaces } from '#master/backup/places.ts';
import { openRestoreNote } from '#master/backup/restore-note.ts';
import { restoreBackup } from '#master/backup/restore-backup.ts';
import { restoreNetwork, type NetworkRestore } from '#master/backup/restore-network.ts';
import { runBackup } from '#master/backup/run-backup.ts';
import { openSettings } from '#master/backup/settings.ts';
import { cliOf } from '#test/support/master/command-line.ts';
import { fakeRestic, hasRestic, leaveExclusiveLock } from '#test/support/backup/restic.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const PASSWORD = 'a password';

describe.skipIf(!hasRestic)('the restore of a network on a new machine (needs restic)', () => {
  let old: string;
  let repository: string;
  let id: string;
  let fresh: string;
  let restore: (options?: Partial<NetworkRestore>) => ReturnType<typeof restoreNetwork>;

  beforeEach(async () => {
    old = temporaryFolder();
    for (const name of ['config', 'files', 'state', 'templates', 'volumes'])
      await mkdir(join(old, name), { mode: 0o700 });
    await writeFile(join(old, 'config/host_key'), 'of the lost master');
    await writeFile(join(old, 'config/cluster.json'), '{"id":"12345678-abcd"}');
    await writeFile(join(old, 'files/motd'), 'hello');
    repository = join(temporaryFolder(), 'repository');
    await configureBackup({ dataFolder: old, repository, password: PASSWORD, retention: {} });
    ({ id } = await runBackup({ dataFolder: old }));
    fresh = temporaryFolder();
    restore = (options = {}) =>
      restoreNetwork({
        ...{ dataFolder: fresh, repository, password: PASSWORD, environment: undefined },
        ...{ backup: undefined, isNewer: () => false, ...options },
      });
  });

  /** Returns the names in the data folder, without the names of backups and of the lease. */
  const contents = async (): Promise<string[]> =>
    (await readdir(fresh)).filter((name) => !['backup', 'run'].includes(name)).sort();

  it('sets the repository and restores the newest backup, and changes nothing when it is repeated', async () => {
    expect(await restore()).toMatchObject({ outcome: 'restored', backup: { id, replaced: null } });
    expect(await readFile(join(fresh, 'config/host_key'), 'utf8')).toBe('of the lost master');
    expect((await openSettings(fresh)).data).toMatchObject({ repository });

    await writeFile(join(fresh, 'files/motd'), 'written after the restore');
    for (const backup of [undefined, id, `${id}0123456789`])
      expect(await restore({ backup })).toMatchObject({ outcome: 'complete', backup: { backup: id } });
    expect(await readFile(join(fresh, 'files/motd'), 'utf8')).toBe('written after the restore');
  });

  it('restores the rules for the removal of old backups, unless other rules are already set on the new machine', async () => {
    const retention = { last: 0, daily: 0, weekly: 52 };
    const set = { repository, password: PASSWORD, retention };
    await configureBackup({ dataFolder: old, ...set });
    await runBackup({ dataFolder: old });
    await restore();
    expect((await openSettings(fresh)).data).toMatchObject({ retention });

    fresh = temporaryFolder();
    const other = { last: 7, daily: 7, weekly: 7 };
    await configureBackup({ dataFolder: fresh, ...set, retention: other });
    await restore();
    expect((await openSettings(fresh)).data).toMatchObject({ retention: other });
  });

  it('is refused if the data folder contains other data, and does not change the backup settings', async () => {
    await mkdir(join(fresh, 'config'));
    await writeFile(join(fresh, 'config/host_key'), 'of another master');
    await expect(restore()).rejects.toMatchObject({
      code: 'RESTORE_REFUSED',
      message: expect.stringContaining('without --restore-from') as string,
    });
    expect(await contents()).toEqual(['config']);
    expect(existsSync(backupPlaces(fresh).settings)).toBe(false);

    await rm(join(fresh, 'config'), { recursive: true });
    await restore();
    const other = '/mnt/other-repository';
    await expect(restore({ repository: other })).rejects.toMatchObject({ code: 'RESTORE_REFUSED' });
    await expect(restore({ backup: '00000000' })).rejects.toMatchObject({ code: 'RESTORE_REFUSED' });
    expect((await openSettings(fresh)).data).toMatchObject({ repository });
  });

  it('leaves the data folder empty after each kind of failure, and succeeds at the next attempt', async () => {
    const none = join(temporaryFolder(), 'mistyped');
    const failures: readonly (readonly [string, Partial<NetworkRestore>])[] = [
      ['BACKUP_REPOSITORY_FAILED', { repository: none }],
      ['BACKUP_REPOSITORY_FAILED', { password: 'a wrong password' }],
      ['BACKUP_NOT_FOUND', { backup: '00000000' }],
      ['RESTORE_REFUSED', { isNewer: () => true }],
      ['BACKUP_REPOSITORY_FAILED', { signal: AbortSignal.abort() }],
      ['RESTORE_REFUSED', interruptedAt('Verifying')],
    ];
    for (const [code, options] of failures) {
      await expect(restore(options)).rejects.toMatchObject({ code });
      expect(await contents()).toEqual([]);
    }
    expect(existsSync(none)).toBe(false);
    expect(await restore()).toMatchObject({ outcome: 'restored' });
  });

  it('removes the exclusive lock of the lost server only after 30 minutes without renewal', async () => {
    // No process of this machine holds this lock, so restic itself would remove it at once. Another machine with the
    // same host name may still use it.
    await leaveExclusiveLock({ repository, password: PASSWORD });
    const locks = await readdir(join(repository, 'locks'));
    await expect(restore()).rejects.toMatchObject({ code: 'BACKUP_REPOSITORY_LOCKED' });
    expect(await readdir(join(repository, 'locks'))).toEqual(locks);

    const now = (): number => Date.now() + 31 * 60_000;
    expect(await restore({ now })).toMatchObject({ outcome: 'restored', backup: { id } });
    expect(await readdir(join(repository, 'locks'))).toEqual([]);
  });

  it('fails while another machine locks the repository, and the error names this reason', async () => {
    await fakeRestic(`[ "$1" = restore ] || exec /usr/bin/restic "$@"
echo 'unable to create lock in backend: repository is already locked exclusively by PID 7 on lost by root' >&2
echo 'lock was created at 2026-11-29 10:00:00 (1m ago)' >&2
echo 'storage ID 01234567' >&2
echo 'the \`unlock\` command can be used to remove stale locks' >&2
exit 1`);
    await expect(restore()).rejects.toMatchObject({
      code: 'BACKUP_REPOSITORY_LOCKED',
      message: expect.stringMatching(/already locked exclusively by PID 7 on lost.* 30 minutes/) as string,
    });
  });

  it('continues after a power failure during its move of folders, and deletes nothing', async () => {
    await restore();
    // Create the state on the disk before the configuration is moved. The configuration is the last folder that is
    // moved.
    const note = await openRestoreNote(fresh);
    await note.update((data) => data && { ...data, restoredAt: null });
    await rename(join(fresh, 'config'), join(temporaryFolder(), 'config'));

    const again = await restore();
    const replaced = again.outcome === 'restored' ? again.backup.replaced : null;
    expect(await readFile(join(replaced ?? '', 'files/motd'), 'utf8')).toBe('hello');
    expect(await readFile(join(fresh, 'config/host_key'), 'utf8')).toBe('of the lost master');
    expect(await restore()).toMatchObject({ outcome: 'complete' });
  });

  it('continues after a power failure even if another program has created the configuration folder', async () => {
    await restore();
    const note = await openRestoreNote(fresh);
    await note.update((data) => data && { ...data, restoredAt: null });
    await rm(join(fresh, 'config/host_key'));

    const { code, err } = await cliOf(fresh)('init');
    expect([code, err]).toEqual([1, expect.stringContaining(`backup restore ${id}`)]);
    expect(existsSync(join(fresh, 'config/host_key'))).toBe(false);
    expect(await restore()).toMatchObject({ outcome: 'restored' });
    expect(await readFile(join(fresh, 'config/host_key'), 'utf8')).toBe('of the lost master');
  });

  it('is complete if the power failed after all folders had been moved', async () => {
    await restore();
    const note = await openRestoreNote(fresh);
    await note.update((data) => data && { ...data, restoredAt: null });
    expect(await restore()).toMatchObject({ outcome: 'complete', backup: { backup: id } });
    expect((await openRestoreNote(fresh)).data?.restoredAt).toBeGreaterThan(0);

    // An old host key does not show that the folders were moved.
    await note.update((data) => data && { ...data, restoredAt: null, replaces: true });
    await expect(restore()).rejects.toMatchObject({ code: 'RESTORE_REFUSED' });
  });

  it('is refused if the data folder now contains another network', async () => {
    await restore();
    await writeFile(join(fresh, 'config/cluster.json'), '{"id":"87654321-abcd"}');
    await expect(restore()).rejects.toMatchObject({ code: 'RESTORE_REFUSED' });
  });

  it('keeps the existing data if it is interrupted while it verifies the backup', async () => {
    await restore();
    await writeFile(join(fresh, 'files/motd'), 'written after the restore');
    const before = (await openRestoreNote(fresh)).data;
    const replacing = restoreBackup({
      ...{ dataFolder: fresh, backup: undefined, replace: true, isNewer: () => false },
      ...interruptedAt('Verifying'),
    });
    await expect(replacing).rejects.toMatchObject({
      code: 'RESTORE_REFUSED',
      message: expect.stringContaining('the restore was interrupted') as string,
    });
    expect(await readFile(join(fresh, 'files/motd'), 'utf8')).toBe('written after the restore');
    expect((await openRestoreNote(fresh)).data).toEqual(before);
  });
});

/** Returns options that interrupt a restore at the step whose text starts with `text`. */
function interruptedAt(text: string): Required<Pick<NetworkRestore, 'signal' | 'onStep'>> {
  const interrupting = new AbortController();
  return {
    signal: interrupting.signal,
    onStep: (step) => {
      if (step.startsWith(text)) interrupting.abort();
    },
  };
}
