import { describe, expect, it } from 'vitest';
import type { BackupState } from '#shared/model/backup.ts';
import { backupProblem } from '#master/backup/health.ts';
import { whyUnusable } from '#master/backup/repository/address.ts';
import { parseMountPoints } from '#master/backup/one-disk.ts';
import { parseEnvironment } from '#master/backup/repository/secrets.ts';
import { chooseBackup } from '#master/backup/restore-backup.ts';
import { happenings } from '#master/backup/watch-backups.ts';
import { serviceDropIn, timerDropIn } from '#master/cli/backup/timer-files.ts';

const HOUR = 3_600_000;
const NOW = 1_800_000_000_000;

const complete = (at: number) => ({
  ...{ id: '0123abcd', at, durationMs: 1_000, files: 3, bytes: 10, addedBytes: 5 },
  remarks: [],
});

describe('backupProblem (warns about missing or failed backups)', () => {
  const daily = { schedule: 'daily', scheduledAt: NOW - 1_000 * HOUR } as const;

  const never = { last: null, lastComplete: null };
  const failed = { at: NOW, outcome: 'failed', why: 'It failed.' } as const;
  const byHand = { schedule: null, scheduledAt: null };
  const justSet = { schedule: 'daily', scheduledAt: NOW - HOUR } as const;
  const made = (hoursAgo: number) => ({ last: null, lastComplete: complete(NOW - hoursAgo * HOUR) });

  it.each([
    ['nothing is configured', null, never],
    ['the admin makes backups by hand, even if the last one is old', byHand, made(10_000)],
    ['the last backup is 47 hours old', daily, made(47)],
    ['the schedule was set a moment ago', justSet, made(10_000)],
  ])('returns null if %s', (_case, settings, status) => {
    expect(backupProblem(settings, status, NOW)).toBeNull();
  });

  it('returns the age of the last complete backup, and why the last attempt failed', () => {
    const of = (status: Parameters<typeof backupProblem>[1]) => backupProblem(daily, status, NOW);
    expect(of(made(49))).toMatch(
      /^The last complete backup is 2 d 1 h old, although backups are scheduled daily/,
    );
    expect(of(never)).toMatch(/^There is no complete backup yet, although/);
    expect(of({ ...made(1), last: failed })).toBe('It failed. The last complete backup is 1 h old.');
  });
});

describe('a repository address for backups', () => {
  it.each([
    '/mnt/backup',
    'sftp:backup@host:/srv',
    'sftp://backup@host:2222//srv',
    's3:https://host/bucket',
    'rest:https://host/',
  ])('can be %s', (address) => expect(whyUnusable(address)).toBeNull());
  it.each([
    '',
    'backup',
    './backup',
    '/mnt/my backup',
    '/mnt/%h',
    '/a\nReadWritePaths=/',
    'rest:https://user:secret@host/',
  ])('cannot be %j', (address) => expect(whyUnusable(address)).not.toBeNull());
});

describe('parseEnvironment (environment file for restic)', () => {
  it('reads variables, quoted values and comments', () => {
    const text = '# keys\nAWS_ACCESS_KEY_ID=abc\n\nexport AWS_SECRET_ACCESS_KEY="d e#f"\r\n';
    expect(parseEnvironment(text, 'file')).toEqual({
      AWS_ACCESS_KEY_ID: 'abc',
      AWS_SECRET_ACCESS_KEY: 'd e#f',
    });
  });
  it.each(['secret words', 'RESTIC_PASSWORD=x', 'RESTIC_REPOSITORY=/x', 'PATH=/x'])(
    'rejects the line "%s" with an error that contains no secret',
    (line) => {
      const parse = () => parseEnvironment(line, 'file');
      expect(parse).toThrow(expect.objectContaining({ code: 'BACKUP_FILE_INVALID' }));
      expect(parse).not.toThrow(/secret words/);
    },
  );
});

it('parseMountPoints reads paths with spaces', () => {
  const text =
    '28 1 8:1 / /mnt/my\\040disk rw,noatime shared:1 - ext4 /dev/sda1 rw\n29 1 0:5 / /proc rw - proc proc rw\n';
  expect([...parseMountPoints(text)]).toEqual(['/mnt/my disk', '/proc']);
});

describe('chooseBackup (chooses the backup to restore)', () => {
  const one = { id: 'aaaaaaaa', at: 2, network: 'overworld-1' };
  const older = { ...one, id: 'bbbbbbbb', at: 1 };
  const other = { ...older, network: 'overworld-2' };

  it('returns the newest backup, or the backup with the requested id', () => {
    expect(chooseBackup([one, older], undefined)).toBe(one);
    expect(chooseBackup([one, older], 'bbbbbbbb')).toBe(older);
    expect(chooseBackup([one, other], 'bbbbbbbb0123456789')).toBe(other);
  });
  it('throws if the backups belong to several networks, or if the requested backup does not exist', () => {
    expect(() => chooseBackup([one, other], undefined)).toThrow(/2 networks/);
    expect(() => chooseBackup([one], 'cccccccc')).toThrow(/no complete backup "cccccccc"/);
    expect(() => chooseBackup([], undefined)).toThrow(/no complete backup/);
  });
});

describe('backup events in the activity log', () => {
  const state = (of: Partial<BackupState>): BackupState => ({
    ...{ repository: '/mnt/backup', schedule: 'daily', running: null },
    ...{ last: null, lastComplete: null, problem: null, ...of },
  });
  const done = state({ last: { at: NOW, outcome: 'done', why: null }, lastComplete: complete(NOW) });
  const failed = state({
    last: { at: NOW, outcome: 'failed', why: 'The disk is full.' },
    problem: 'The disk is full.',
  });
  const kinds = (...args: Parameters<typeof happenings>) => happenings(...args).map(({ kind }) => kind);

  it('report each backup once, whether it succeeded or failed', () => {
    expect(kinds(state({}), done, 0)).toEqual(['backup.done']);
    expect(kinds(done, done, 0)).toEqual([]);
    expect(kinds(state({}), failed, 0)).toEqual(['backup.failed']);
  });
  it('include a backup that ended while no master was running', () => {
    expect(kinds(null, done, NOW - 1)).toEqual(['backup.done']);
    expect(kinds(null, done, NOW + 1)).toEqual([]);
  });
  it('report only once that a backup is overdue', () => {
    const overdue = { ...done, problem: 'It is old.' };
    expect(kinds(done, overdue, 0)).toEqual(['backup.overdue']);
    expect(kinds(overdue, overdue, 0)).toEqual([]);
  });
});

describe('the systemd drop-in files for backups', () => {
  it('set the schedule, and give the backup service write access to a local repository', () => {
    expect(timerDropIn('hourly')).toContain('[Timer]\nOnCalendar=\nOnCalendar=hourly\n');
    expect(serviceDropIn('/mnt/backup')).toContain('ReadWritePaths=-/mnt/backup\n');
    expect(serviceDropIn('sftp:backup@host:/srv')).toBe('');
  });
  it('make a repository in a hidden folder visible to the backup service', () => {
    expect(serviceDropIn('/home/anna/backup')).toContain('ProtectHome=tmpfs\nBindPaths=-/home/anna/backup\n');
    expect(serviceDropIn('/homes/backup')).not.toContain('ProtectHome');
  });
});
