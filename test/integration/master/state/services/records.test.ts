import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toWire } from '#shared/errors/wire.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { ServiceRecord } from '#master/state/services/records.ts';
import { RecordStore } from '#master/state/services/record-store.ts';
import { startedFrom } from '#master/state/services/started-from.ts';
import type { ServiceSpec } from '#master/runtime/runtime.ts';
import { serviceSpec } from '#test/support/master/service-spec.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const NEW = { id: 'lobby-1', template: 'lobby', requestedAt: 1, cause: 'test', manual: true };

async function theFile(): Promise<{ path: string; records: RecordStore; record: ServiceRecord }> {
  const path = join(temporaryFolder(), 'services.json');
  const records = await RecordStore.open(path);
  const record = records.add(NEW);
  await records.save();
  return { path, records, record };
}

const ADDRESS = { host: '10.99.0.11', port: 25_565 };

/** Returns the fields of a started service. */
function started(spec: Partial<ServiceSpec> = {}): Pick<ServiceRecord, 'address' | 'placed'> {
  return { address: ADDRESS, placed: startedFrom(serviceSpec(spec)) };
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

  it('contain where a service runs and from what it was started, but not its variables', async () => {
    const { path, records, record } = await theFile();
    const environment = [{ name: 'PASSWORD', value: 'sesame' }];
    Object.assign(record, { node: 'node-1', ...started({ environment, maxPlayers: 7 }) });
    await records.save();
    expect(await readFile(path, 'utf8')).not.toContain('sesame');
    const again = (await RecordStore.open(path)).get('lobby-1');
    expect(again?.placed?.values).toEqual({ isProxy: false, maxPlayers: 7, persistentPaths: [] });
    expect(again?.address).toEqual(ADDRESS);
  });

  it('contain the address of a started service once times are stored, and a later change of the address at once', async () => {
    const { path, records, record } = await theFile();
    const storedAddress = async () => (await RecordStore.open(path)).get('lobby-1')?.address;
    const { ino } = await stat(path);
    Object.assign(record, started());
    await records.save();
    expect((await stat(path)).ino).toBe(ino);
    await records.saveTimes();
    expect(await storedAddress()).toEqual(ADDRESS);
    record.address = { ...ADDRESS, port: 25_566 };
    await records.save();
    expect(await storedAddress()).toEqual(record.address);
    record.address = null;
    await records.save();
    expect(await storedAddress()).toBeNull();
  });

  it('can be read again even if a node reports values that are too long', async () => {
    const { path, records, record } = await theFile();
    Object.assign(record, { node: 'node-1', ...started({ plugin: 'x'.repeat(9_999) }) });
    await records.save();
    expect((await RecordStore.open(path)).get('lobby-1')).toMatchObject({ address: ADDRESS, placed: null });
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
      services: Partial<Pick<ServiceRecord, 'held' | 'restarting' | 'retiring' | 'address' | 'placed'>>[];
    };
    for (const service of file.services) {
      delete service.held;
      delete service.restarting;
      delete service.retiring;
      delete service.address;
      delete service.placed;
    }
    await writeFile(path, JSON.stringify(file));
    expect((await RecordStore.open(path)).get('lobby-1')).toMatchObject({
      ...NEW,
      held: false,
      restarting: false,
      retiring: null,
      draining: null,
      address: null,
      placed: null,
    });
  });
});
