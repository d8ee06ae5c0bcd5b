import { execFileSync } from 'node:child_process';
import { mkdir, readdir, rename, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { noReserves } from '#master/store/disk-reserve.ts';
import { isPathInside, revisionOf } from '#master/templates/revisions/manifest.ts';
import {
  readRecord,
  readSummary,
  writeRecord,
  type RevisionRecord,
} from '#master/templates/revisions/revision-record.ts';
import { RevisionStore } from '#master/templates/revisions/revision-store.ts';
import { modifiedAtMs } from '#master/templates/revisions/scan-folder.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

type Entry = RevisionRecord['entries'][number];

const HASH = 'ab'.repeat(32);
const STAMP = '5:1700000000123456789:0:0';
const LEVEL: Entry = { path: 'world/level.dat', size: 5, mode: 0o640, hash: HASH, stamp: STAMP };

/**
 * Writes a record with these entries to a new folder. The name of the record is the revision of the entries. Returns
 * the path of the record.
 */
async function written(entries: readonly Entry[], over: Partial<RevisionRecord> = {}): Promise<string> {
  const record = { revision: revisionOf(entries), storedAt: 1_000, entries: [...entries], ...over };
  const path = join(temporaryFolder(), `${record.revision}.json`);
  await writeRecord(path, record);
  return path;
}

describe('the record of a revision', () => {
  it.each([
    ['files and an empty folder', [LEVEL, { ...LEVEL, path: 'x/', size: 0, hash: '', stamp: '16877' }]],
    ['strange but harmless names', [{ ...LEVEL, path: '..a/.../ /b\n"\u00E4' }]],
    ['a path of the maximum length', [{ ...LEVEL, path: `${'a/'.repeat(2_047)}bb` }]],
    ['a file that was changed before 1970', [{ ...LEVEL, stamp: '5:-1000000:0:0' }]],
    ['no file', []],
  ])('can be read if it has %s', async (_, entries) => {
    const path = await written(entries);
    expect((await readRecord(path))?.entries).toEqual(entries);
    expect((await readSummary(path))?.storedAt).toBe(1_000);
  });

  it.each<[string, Partial<Entry>]>([
    ['a hash that is a path', { hash: '../../../../../etc/shadow' }],
    ['a hash that is too short', { hash: HASH.slice(1) }],
    ['a hash with a line end', { hash: `${HASH}\n` }],
    ['no hash', { hash: '' }],
    ['a folder with a hash', { path: 'world/' }],
    ['a path that leads out of its folder', { path: '../outside' }],
    ['a path that leads out of an inner folder', { path: 'world/../../outside' }],
    ['a path that ends in ..', { path: 'world/..' }],
    ['a folder that leads out of its folder', { path: '../', hash: '' }],
    ['the folder itself', { path: './', hash: '' }],
    ['the root folder', { path: '/', hash: '' }],
    ['the empty path', { path: '' }],
    ['an absolute path', { path: '/etc/passwd' }],
    ['a path with an empty part', { path: 'world//level.dat' }],
    ['a path with a NUL character', { path: 'world\0' }],
    ['a path that is too long', { path: 'a/'.repeat(2_049) + 'a' }],
    ['a negative size', { size: -1 }],
    ['a mode with more than permission bits', { mode: 0o4755 }],
    ['a stamp that is too long', { stamp: `5:${'1'.repeat(1_000)}:0:0` }],
  ])('is faulty if it has %s', async (_, change) => {
    expect(await readRecord(await written([{ ...LEVEL, ...change }]))).toBeNull();
  });

  it('is faulty if its name does not match its entries or the name of its file', async () => {
    expect(await readRecord(await written([LEVEL], { revision: 'ab'.repeat(8) }))).toBeNull();
    const path = await written([LEVEL]);
    const other = path.replace(/[0-9a-f]{16}\.json$/, `${'cd'.repeat(8)}.json`);
    await rename(path, other);
    expect(await readRecord(other)).toBeNull();
    expect(await readSummary(other)).toBeNull();
  });

  it('is faulty if it has more than 128 MiB', async () => {
    const path = await written([LEVEL]);
    await writeFile(path, Buffer.alloc(128 * 1_048_576, ' '), { flag: 'a' });
    expect(await readRecord(path)).toBeNull();
  });

  it('is not written if it would be faulty because of its time or size', async () => {
    await expect(written([LEVEL], { storedAt: 8.64e15 + 1 })).rejects.toThrow(/time/);
    const many = Array.from({ length: 40_000 }, (_, at) => ({ ...LEVEL, path: `${'x'.repeat(4_000)}${at}` }));
    await expect(written(many)).rejects.toThrow(/128 MiB/);
  });

  it.each(['9007199254740992', '8640000000000001'])('has no summary if its time is %s', async (storedAt) => {
    const path = join(temporaryFolder(), `${'ab'.repeat(8)}.json`);
    await writeFile(path, `{"revision":"${'ab'.repeat(8)}","storedAt":${storedAt},"files":1,"bytes":5,`);
    expect(await readSummary(path)).toBeNull();
  });

  it.runIf(process.platform === 'linux')('is faulty if it is a link or a pipe', async () => {
    const path = await written([LEVEL]);
    const original = join(temporaryFolder(), 'record');
    await rename(path, original);
    await symlink(original, path);
    expect(await readRecord(path)).toBeNull();
    expect(await readSummary(path)).toBeNull();
    const pipe = join(temporaryFolder(), `${revisionOf([LEVEL])}.json`);
    execFileSync('mkfifo', [pipe]);
    expect(await readRecord(pipe)).toBeNull();
    expect(await readSummary(pipe)).toBeNull();
  });
});

describe('a store whose newest record names a file outside of its revision', () => {
  async function attacked() {
    const path = await written([{ ...LEVEL, path: '../../secret' }]);
    const folder = join(path, '..');
    await mkdir(path.replace(/\.json$/, ''));
    const reserve = noReserves().of(folder);
    return { folder, options: { folder, reserve, template: 'lobby', isUsed: () => true } };
  }

  it('removes the revision', async () => {
    const { folder, options } = await attacked();
    expect((await RevisionStore.open(options)).summaries).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  it('is not opened if it contains saves', async () => {
    const { folder, options } = await attacked();
    const before = await readdir(folder);
    await expect(RevisionStore.open({ ...options, keepsFaulty: true })).rejects.toMatchObject({
      code: 'DATA_FAULTY',
    });
    expect(await readdir(folder)).toEqual(before);
  });
});

it.each([
  ['C:/Windows/a', false],
  ['..\\outside', false],
  ['world/level.dat', true],
])('on Windows, the path %s is inside a folder: %s', (path, inside) => {
  expect(isPathInside(path, 'win32')).toBe(inside);
  expect(isPathInside(path, 'linux')).toBe(true);
});

it.each([
  ['5:1700000000123456789:0:0', 1_700_000_000_123],
  ['16877', 0],
  ['5:1e+26:0:0', 0],
  ['5:x:0:0', 0],
])('the stamp %s has the modification time %i', (stamp, time) => {
  expect(modifiedAtMs(stamp)).toBe(time);
});
