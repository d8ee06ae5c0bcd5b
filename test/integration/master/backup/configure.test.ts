import { existsSync } from 'node:fs';
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { configureBackup, noteSchedule } from '#master/backup/configure.ts';
import { backupPlaces } from '#master/backup/places.ts';
import { runBackup } from '#master/backup/run-backup.ts';
import { openSettings } from '#master/backup/settings.ts';
import { fakeRestic } from '#test/support/backup/restic.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const IN_USE = '/mnt/backup/in-use';
const OTHER = '/mnt/backup/other';

/** Creates a data folder whose backups go to {@link IN_USE}. */
async function configured(): Promise<string> {
  const dataFolder = temporaryFolder();
  const places = backupPlaces(dataFolder);
  await mkdir(places.folder, { mode: 0o700 });
  await writeFile(places.password, 'password in use', { mode: 0o600 });
  await writeFile(places.environment, 'KEY=in-use', { mode: 0o600 });
  const settings = await openSettings(dataFolder);
  const retention = { last: 1, daily: 1, weekly: 1 };
  await settings.update(() => ({ repository: IN_USE, retention, schedule: null, scheduledAt: null }));
  return dataFolder;
}

const secretsOf = async (dataFolder: string): Promise<string[]> => {
  const { password, environment } = backupPlaces(dataFolder);
  return [await readFile(password, 'utf8'), await readFile(environment, 'utf8')];
};

it('the backup setup keeps the old password until the new repository was opened with the new password', async () => {
  const dataFolder = await configured();
  const here = await fakeRestic(
    'cat "$RESTIC_PASSWORD_FILE" > "$HERE/tried"; echo "$KEY" >> "$HERE/tried"; exec sleep 600',
  );
  const interrupt = new AbortController();
  const configuring = configureBackup({
    ...{ dataFolder, repository: OTHER, retention: {}, signal: interrupt.signal },
    ...{ password: 'new password', environment: 'KEY=new' },
  });
  const ended = configuring.then(
    () => null,
    (error: unknown) => error,
  );
  const tried = join(here, 'tried');
  await waitFor(async () => existsSync(tried) && (await readFile(tried, 'utf8')).includes('new\n'));
  // If the process is killed at this moment, these files stay on the disk.
  expect(await secretsOf(dataFolder)).toEqual(['password in use', 'KEY=in-use']);
  expect(await readFile(tried, 'utf8')).toBe('new passwordnew\n');
  await expect(runBackup({ dataFolder })).rejects.toMatchObject({ code: 'BACKUP_RUNNING' });

  interrupt.abort();
  expect(await ended).toMatchObject({ code: 'BACKUP_REPOSITORY_FAILED' });
  expect(await secretsOf(dataFolder)).toEqual(['password in use', 'KEY=in-use']);
  expect((await openSettings(dataFolder)).data?.repository).toBe(IN_USE);
});

it('the backup setup replaces password and environment, and keeps a schedule that is set at the same time', async () => {
  const dataFolder = await configured();
  const here = await fakeRestic('touch "$HERE/trying"; until [ -e "$HERE/go" ]; do sleep 0.01; done');
  const configuring = configureBackup({
    ...{ dataFolder, repository: OTHER, retention: { last: 7 } },
    ...{ password: 'new password\n', environment: 'KEY=new' },
  });
  await waitFor(() => existsSync(join(here, 'trying')));
  await noteSchedule(dataFolder, 'hourly', 1_000);
  await writeFile(join(here, 'go'), '');
  expect(await configuring).toMatchObject({ outcome: 'exists', isPasswordNew: false });
  expect(await secretsOf(dataFolder)).toEqual(['new password', 'KEY=new']);
  expect((await openSettings(dataFolder)).data).toMatchObject({
    ...{ repository: OTHER, retention: { last: 7, daily: 1, weekly: 1 } },
    ...{ schedule: 'hourly', scheduledAt: 1_000 },
  });
  expect(existsSync(backupPlaces(dataFolder).draft)).toBe(false);
  // Neither a password nor an environment is given, so both stay.
  await configureBackup({ dataFolder, repository: IN_USE, retention: {} });
  expect(await secretsOf(dataFolder)).toEqual(['new password', 'KEY=new']);
});

it('the backup setup reuses its generated password after a failure, because a repository may already use it', async () => {
  const dataFolder = temporaryFolder();
  await chmod(dataFolder, 0o700);
  const here = await fakeRestic(
    'cp "$RESTIC_PASSWORD_FILE" "$HERE/last"; [ "$1" = cat ] && echo "Is there a repository at the following location?" >&2; exit 1',
  );
  const configure = () => configureBackup({ dataFolder, repository: OTHER, retention: {} });
  await expect(configure()).rejects.toMatchObject({ code: 'BACKUP_REPOSITORY_FAILED' });
  const first = await readFile(join(here, 'last'), 'utf8');
  expect(existsSync(backupPlaces(dataFolder).password)).toBe(false);
  await writeFile(join(here, 'restic'), '#!/bin/sh\nexit 0\n');
  expect(await configure()).toMatchObject({ isPasswordNew: true });
  expect(await readFile(backupPlaces(dataFolder).password, 'utf8')).toBe(first);
});
