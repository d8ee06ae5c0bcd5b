import { join } from 'node:path';
import pino from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Deletions } from '#master/control/templates/deletions.ts';
import { Overrides } from '#master/state/overrides/overrides.ts';

import { RecordStore } from '#master/state/services/record-store.ts';
import { Topics } from '#master/state/feed/topics.ts';
import { ConfigStore } from '#master/store/config-store.ts';
import { EventLog } from '#master/store/event-log.ts';
import { canMount, fillDisk, smallDisk } from '#test/support/files/small-disk.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

/**
 * Creates the stores of a master with a template `lobby`, which can get one paused service. Removals of template
 * folders are only recorded.
 */
async function aDesk(data = temporaryFolder()) {
  const config = await ConfigStore.open(data, () => undefined);
  const events = await EventLog.open(join(data, 'activity.jsonl'), Date.now);
  onTestFinished(async () => {
    config.close();
    await events.close();
  });
  if (!config.templates.has('lobby')) await config.createTemplate('lobby', {});
  const records = await RecordStore.open(join(data, 'services.json'));
  const overrides = await Overrides.open(join(data, 'holds.json'));
  const removed: string[] = [];
  let remove = (): Promise<void> => Promise.resolve();
  const templates = {
    remove: async (id: string): Promise<void> => {
      await remove();
      removed.push(id);
    },
  };
  const known = {
    ...{ config, events, records, overrides, templates, topics: new Topics() },
    log: pino({ level: 'silent' }),
    now: () => 1_000,
  };
  // Contains only the dependencies that the deletions use.
  const deletions = new Deletions(
    known as unknown as ConstructorParameters<typeof Deletions>[0],
    () => undefined,
  );
  const addHeld = async (): Promise<void> => {
    const record = records.add({
      id: 'lobby-1',
      template: 'lobby',
      requestedAt: 1,
      cause: 'test',
      manual: false,
    });
    Object.assign(record, { held: true, node: 'local' });
    await records.save();
  };
  const told = (): string[] =>
    events
      .query({ limit: 50 })
      .reverse()
      .map(({ kind, subject, actor, cause }) => `${kind} ${subject.id} ${actor}: ${cause}`);
  const removing = (work: () => Promise<void>): void => {
    remove = work;
  };
  return { config, records, overrides, deletions, removed, addHeld, removing, told };
}

describe('a template whose deletion waits for the drain of its services', () => {
  it('is removed once its last service has exited, even if the master crashes in the meantime', async () => {
    const data = temporaryFolder();
    const first = await aDesk(data);
    await first.addHeld();
    await first.deletions.drain('lobby', 'ana');
    await first.deletions.drain('lobby', 'ben');
    first.deletions.carryOn();
    await first.deletions.settled();
    expect(first.removed).toEqual([]);

    const second = await aDesk(data);
    second.records.remove('lobby-1');
    second.deletions.carryOn();
    await second.deletions.settled();
    expect(second.removed).toEqual(['lobby']);
    expect(second.config.templates.has('lobby')).toBe(false);
    expect(second.overrides.leaving).toEqual([]);
    expect(second.told()).toEqual([
      'template.leaving lobby ana: requested by ana',
      'template.deleted lobby overworld: requested by ana; its last service was removed',
    ]);
  });

  it('is kept if the deletion is cancelled before its files are removed', async () => {
    const { deletions, config, removing, removed, addHeld, records, told } = await aDesk();
    await addHeld();
    await deletions.drain('lobby', 'ana');
    await deletions.cancel('lobby', 'ben');
    await deletions.cancel('lobby', 'ben');
    records.remove('lobby-1');
    deletions.carryOn();
    await deletions.settled();
    expect(config.templates.has('lobby')).toBe(true);
    expect(told()).toEqual([
      'template.leaving lobby ana: requested by ana',
      'template.staying lobby ben: requested by ben',
    ]);

    let finish = (): void => undefined;
    removing(() => new Promise((resolve) => (finish = resolve)));
    await deletions.drain('lobby', 'ana');
    deletions.carryOn();
    await expect(deletions.cancel('lobby', 'ben')).rejects.toMatchObject({ code: 'TEMPLATE_NOT_FOUND' });
    finish();
    await deletions.settled();
    expect(removed).toEqual(['lobby']);
  });

  it('is removed later if its files cannot be removed at first', async () => {
    const { deletions, removing, removed, told } = await aDesk();
    await deletions.drain('lobby', 'ana');
    removing(() => Promise.reject(new Error('the folder is busy')));
    for (let round = 0; round < 3; round += 1) {
      deletions.carryOn();
      await deletions.settled();
    }
    expect(told().filter((line) => line.startsWith('master.trouble'))).toHaveLength(1);
    removing(() => Promise.resolve());
    deletions.carryOn();
    await deletions.settled();
    expect(removed).toEqual(['lobby']);
  });
});

describe('a template that is deleted at once with its services', () => {
  it('stops even its paused services', async () => {
    const { deletions, records, addHeld, removed } = await aDesk();
    await addHeld();
    await deletions.stopAndRemove('lobby', 'ana');
    expect(records.get('lobby-1')).toMatchObject({ held: false, stopping: { since: 1_000 } });
    expect(removed).toEqual(['lobby']);
  });

  it.skipIf(!canMount)('is kept with its services if the deletion cannot be stored', async () => {
    const disk = smallDisk(8);
    const { deletions, records, overrides, addHeld, removed, told } = await aDesk(disk);
    await addHeld();
    await fillDisk(disk);
    await expect(deletions.stopAndRemove('lobby', 'ana')).rejects.toMatchObject({ code: 'DISK_FULL' });
    expect(records.get('lobby-1')).toMatchObject({ held: true, stopping: null });
    expect(overrides.leaving).toEqual([]);
    expect(removed).toEqual([]);
    expect(told()).toEqual([]);
  });

  it('keeps its services paused if their stop cannot be stored', async () => {
    const { deletions, records, overrides, addHeld, removed } = await aDesk();
    await addHeld();
    await records.close();
    await expect(deletions.stopAndRemove('lobby', 'ana')).rejects.toMatchObject({ code: 'MASTER_ENDING' });
    expect(records.get('lobby-1')?.held).toBe(true);
    expect(overrides.leaving).toEqual([]);
    expect(removed).toEqual([]);
  });
});
