import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toWire } from '#shared/errors/wire.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { RecordStore } from '#master/state/services/record-store.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const NEW = { id: 'lobby-1', template: 'lobby', requestedAt: 1, cause: 'test', manual: true };

async function theFile(): Promise<{ path: string; records: RecordStore; record: ServiceRecord }> {
  const path = join(temporaryFolder(), 'services.json');
  const records = await RecordStore.open(path);
  const record = records.add(NEW);
  await records.save();
  return { path, records, record };
}

const failure = { at: 5, error: toWire(new OverworldError('DISK_FULL', { path: '/x' })), attempts: 2 };

describe('the stored records of services', () => {
  it.each([
    ['node', 'local'],
    ['stopping', { since: 3, cause: 'asked for' }],
    ['failure', failure],
    ['held', true],
  ] as const)('contain a changed %s after a restart', async (field, value) => {
    const { path, records, record } = await theFile();
    Object.assign(record, { [field]: value });
    await records.save();
    expect((await RecordStore.open(path)).get('lobby-1')).toMatchObject({ ...NEW, [field]: value });
  });

  it('include added services, but no removed services, and no service number is used twice', async () => {
    const { path, records } = await theFile();
    records.remove('lobby-1');
    records.add({ ...NEW, id: 'lobby-2' });
    await records.save();
    records.remove('lobby-2');
    await records.save();
    const again = await RecordStore.open(path);
    expect(again.all).toEqual([]);
    expect(again.nextNumber('lobby')).toBe(3);
  });

  it('are written to the disk only if a stored field has changed', async () => {
    const { path, records, record } = await theFile();
    const { ino } = await stat(path);
    Object.assign(record, { state: 'RUNNING', players: { online: 1, max: 2 }, waiting: null });
    await records.save();
    expect((await stat(path)).ino).toBe(ino);
    record.held = true;
    await records.save();
    expect((await stat(path)).ino).not.toBe(ino);
  });

  it('are on the disk when `save` returns, even if two calls save at the same time', async () => {
    const { path, records, record } = await theFile();
    record.held = true;
    const first = records.save();
    await records.save();
    expect(await readFile(path, 'utf8')).toContain('"held": true');
    await first;
  });

  it('cannot be changed after they were closed, and the file stays the same', async () => {
    const { path, records, record } = await theFile();
    const before = await readFile(path, 'utf8');
    await records.close();
    await records.save();
    record.held = true;
    await expect(records.save()).rejects.toMatchObject({ code: 'MASTER_ENDING' });
    expect(await readFile(path, 'utf8')).toBe(before);
  });

  it.each([{ restarting: true }, { retiring: { since: 3, cause: 'requested by ana' } }])(
    'contain the restart that a person has requested: %o',
    async (wish) => {
      const { path, records, record } = await theFile();
      Object.assign(record, wish);
      await records.save();
      expect((await RecordStore.open(path)).get('lobby-1')).toMatchObject(wish);
    },
  );

  it('count as not paused if an older version without pauses has written them', async () => {
    const { path } = await theFile();
    const file = JSON.parse(await readFile(path, 'utf8')) as {
      services: { held?: boolean; restarting?: boolean; retiring?: null }[];
    };
    for (const service of file.services) {
      delete service.held;
      delete service.restarting;
      delete service.retiring;
    }
    await writeFile(path, JSON.stringify(file));
    expect((await RecordStore.open(path)).get('lobby-1')).toMatchObject({
      ...NEW,
      held: false,
      restarting: false,
      retiring: null,
      draining: null,
    });
  });
});
