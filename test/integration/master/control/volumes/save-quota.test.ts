import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { saveService } from '#master/control/volumes/save-service.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { EventLog } from '#master/store/event-log.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ID = 'survival-1';
const MB = 2 ** 20;

/** Creates a service on `node-1` with one file of 2 MB, and a volume with a quota. */
async function aService(quota: { readonly perVolume?: number; readonly total?: number }) {
  const folder = temporaryFolder();
  const now = (): number => 1_000_000;
  const events = await EventLog.open(join(folder, 'activity.jsonl'), now);
  onTestFinished(() => events.close());
  const parsed = (limits: typeof quota) => masterConfigSchema.parse({ volumes: { quota: limits } }).volumes;
  let settings = parsed(quota);
  const volumes = await Volumes.open({
    ...{ folder: join(folder, 'volumes'), copies: dataFolderAt(folder), disks: noReserves(), now },
    settings: () => settings,
  });
  const content = Buffer.alloc(2 * MB);
  const hash = createHash('sha256').update(content).digest('hex');
  const file = { path: 'world/r.0.0.mca', size: content.length, mode: 0o600, hash, modifiedAtMs: 1 };
  const transfers: string[] = [];
  const ended: boolean[] = [];
  const runtime: Partial<Runtime> = {
    readSnapshot: () => Promise.resolve({ files: [file], skipped: [] }),
    fetchSnapshot: async (service, files, to) => {
      transfers.push(service);
      for (const one of files) await writeFile(join(to, one.hash), content);
    },
    endSnapshot: (_, { stored }) => {
      ended.push(stored);
      return Promise.resolve();
    },
  };
  const volume = await volumes.make(ID);
  await volume.attach(ID, 'node-1', true);
  const context = { events, log: pino({ level: 'silent' }), runtimeOf: () => runtime as Runtime };
  const takeSnapshot = () => Promise.resolve({ at: 2_000_000, consistent: true });
  const saved = { service: ID, node: 'node-1', cause: 'a test', volume, exited: false, takeSnapshot };
  return {
    ...{ transfers, ended, volume, save: () => saveService(saved, context) },
    setQuota: (limits: typeof quota) => (settings = parsed(limits)),
    /** Returns the reason why the planner must not stop the service. */
    unsavable: () => volumes.snapshot(() => null).map((one) => one.unsavable),
  };
}

describe('the save of a volume', () => {
  it.each([
    { setting: 'perVolume', quota: { perVolume: 1 } },
    { setting: 'total', quota: { total: 1 } },
  ])(
    'is refused before the data transfer if it exceeds quota.$setting, and the copies are removed',
    async ({ quota }) => {
      const { transfers, ended, volume, save } = await aService(quota);
      await expect(save()).rejects.toMatchObject({ code: 'VOLUME_QUOTA' });
      expect(transfers).toEqual([]);
      expect(ended).toEqual([false]);
      expect(volume.saves()).toEqual([]);
    },
  );

  it('if it is refused, keeps the rules from stopping the service until a save succeeds', async () => {
    const { volume, save, unsavable, setQuota } = await aService({ perVolume: 1 });
    expect(unsavable()).toEqual([null]);
    await expect(save()).rejects.toMatchObject({ code: 'VOLUME_QUOTA' });
    expect(unsavable()).toEqual([expect.stringContaining('volumes.quota.perVolume allows 1 MB')]);
    setQuota({ perVolume: 2 });
    await save();
    expect(unsavable()).toEqual([null]);
    setQuota({ perVolume: 1 });
    await expect(save()).rejects.toMatchObject({ code: 'VOLUME_QUOTA' });
    // Give up the data, so that no data has to be saved.
    await volume.detach(ID, 'node-1');
    expect(unsavable()).toEqual([null]);
  });

  it('is transferred and stored if the quotas allow it', async () => {
    const { transfers, ended, volume, save } = await aService({ perVolume: 2, total: 2 });
    expect(await save()).toMatchObject({ bytes: 2 * MB });
    expect(transfers).toEqual([ID]);
    expect(ended).toEqual([true]);
    expect(volume.saves()).toHaveLength(1);
  });
});
