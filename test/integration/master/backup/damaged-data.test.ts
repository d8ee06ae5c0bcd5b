import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { configureBackup } from '#master/backup/configure.ts';
import { restoreBackup } from '#master/backup/restore-backup.ts';
import { runBackup } from '#master/backup/run-backup.ts';
import { revisionOf } from '#master/templates/revisions/manifest.ts';
import { writeRecord } from '#master/templates/revisions/revision-record.ts';
import { hasRestic } from '#test/support/backup/restic.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const PASSWORD = 'a password';

/** Stores files as a save or a revision in the folder of a revision store. Returns its name. */
async function store(folder: string, files: Readonly<Record<string, string>>): Promise<string> {
  const entries = Object.entries(files).map(([path, content]) => {
    const hash = createHash('sha256').update(content).digest('hex');
    return { path, size: content.length, mode: 0o644, hash, stamp: '' };
  });
  const revision = revisionOf(entries);
  await mkdir(join(folder, revision), { recursive: true });
  for (const [path, content] of Object.entries(files)) await writeFile(join(folder, revision, path), content);
  await writeRecord(join(folder, `${revision}.json`), { revision, storedAt: 1, entries });
  return revision;
}

describe.skipIf(!hasRestic)('a backup of data that a faulty disk has damaged (needs restic)', () => {
  let data: string;
  let repository: string;

  beforeEach(async () => {
    data = temporaryFolder();
    for (const name of ['config', 'state', 'files', 'templates'])
      await mkdir(join(data, name), { mode: 0o700 });
    await writeFile(join(data, 'config/host_key'), 'of the master');
    await writeFile(join(data, 'state/holds.json'), '{}');
    repository = join(temporaryFolder(), 'repository');
    await configureBackup({ dataFolder: data, repository, password: PASSWORD, retention: {} });
  });

  async function restored(): Promise<{ readonly there: string; readonly remarks: readonly string[] }> {
    const there = temporaryFolder();
    await configureBackup({ dataFolder: there, repository, password: PASSWORD, retention: {} });
    const restore = { dataFolder: there, backup: undefined, replace: false, isNewer: () => false };
    return { there, remarks: (await restoreBackup(restore)).remarks };
  }

  it('contains the damaged document of a volume as it is, reports it, and can be restored', async () => {
    for (const [number, document] of [
      ['1', '{'],
      ['2', '{"attachment":"lobby"}'],
      ['3', '{"attachment":{"service":"survival-3","node":"local","savedAt":null}}'],
    ] as const) {
      await mkdir(join(data, 'volumes/survival', number), { recursive: true });
      await writeFile(join(data, 'volumes/survival', number, 'volume.json'), document);
    }
    const save = await store(join(data, 'volumes/survival/1/saves'), { 'level.dat': 'a level' });
    const { remarks } = await runBackup({ dataFolder: data });
    expect(remarks).toEqual([
      expect.stringMatching(/^The file volume\.json of volume survival\/1 is damaged on the master's disk/),
      expect.stringMatching(/^The file volume\.json of volume survival\/2 is damaged on the master's disk/),
    ]);
    const { there, remarks: all } = await restored();
    const volumes = join(there, 'volumes/survival');
    expect(await readFile(join(volumes, '1/volume.json'), 'utf8')).toBe('{');
    expect(await readFile(join(volumes, '1/saves', save, 'level.dat'), 'utf8')).toBe('a level');
    expect(await readFile(join(volumes, '3/volume.json'), 'utf8')).toContain('"attachment": null');
    expect(all).toEqual([
      ...remarks,
      expect.stringMatching(/^The file volume\.json of volume survival\/1 is damaged, and was restored as/),
      expect.stringMatching(/^The file volume\.json of volume survival\/2 is damaged, and was restored as/),
      expect.stringMatching(/^Volume survival\/3 was in use/),
    ]);
  });

  it('is restored with the wrong content of a stored file, and names each such file', async () => {
    const saves = join(data, 'volumes/survival/1/saves');
    const older = await store(saves, { 'level.dat': 'older', 'region.mca': 'a region' });
    const newer = await store(saves, { 'level.dat': 'newer', 'region.mca': 'a region' });
    for (const save of [older, newer]) await writeFile(join(saves, save, 'region.mca'), 'A REGION');
    const revision = await store(join(data, 'revisions/lobby'), { 'motd.txt': 'hello' });
    await writeFile(join(data, 'revisions/lobby', revision, 'motd.txt'), 'HELLO');
    await runBackup({ dataFolder: data });
    const { there, remarks } = await restored();
    const text = (path: string) => readFile(join(there, path), 'utf8');
    expect(await text('config/host_key')).toBe('of the master');
    expect(await text(`volumes/survival/1/saves/${newer}/level.dat`)).toBe('newer');
    expect(await text(`volumes/survival/1/saves/${older}/region.mca`)).toBe('A REGION');
    expect(await text(`revisions/lobby/${revision}/motd.txt`)).toBe('HELLO');
    const [first] = [older, newer].sort();
    expect(remarks.toSorted()).toEqual([
      expect.stringMatching(`^revisions/lobby/${revision}/motd.txt is damaged.*as it is in the backup.$`),
      expect.stringMatching(
        `^volumes/survival/1/saves/${first}/region.mca is damaged.* true for 1 more file with this content.$`,
      ),
    ]);
  });
});
