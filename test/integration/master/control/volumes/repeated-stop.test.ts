import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { keepData } from '#master/control/volumes/keep-data.ts';
import { saveService } from '#master/control/volumes/save-service.ts';
import { ServiceCommands } from '#master/control/services/service-commands.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { RecordStore } from '#master/state/services/record-store.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { EventLog } from '#master/store/event-log.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ID = 'survival-1';
const NODE = 'node-1';
const MB = 2 ** 20;
const saved = { service: ID, node: NODE, cause: 'a test' };

/**
 * Creates an exited service on a node, with a world of 2 MB. The quota of its volume is 1 MB. The test moves the
 * monotonic clock.
 */
async function anExitedService() {
  const folder = temporaryFolder();
  const begun = performance.now();
  const time = { passed: 0 };
  const spy = vi.spyOn(performance, 'now').mockImplementation(() => begun + time.passed);
  onTestFinished(() => spy.mockRestore());
  const now = (): number => 1_000_000;
  const events = await EventLog.open(join(folder, 'activity.jsonl'), now);
  onTestFinished(() => events.close());
  const config = { volumes: masterConfigSchema.parse({ volumes: { quota: { perVolume: 1 } } }).volumes };
  const settings = () => config.volumes;
  const volumes = await Volumes.open({
    ...{ folder: join(folder, 'volumes'), copies: dataFolderAt(folder), disks: noReserves(), settings, now },
  });
  const records = await RecordStore.open(join(folder, 'services.json'));
  const record = records.add({ id: ID, template: 'survival', requestedAt: 1, cause: 'test', manual: false });
  record.node = NODE;
  const content = Buffer.alloc(2 * MB);
  const hash = createHash('sha256').update(content).digest('hex');
  const file = { path: 'world/r.0.0.mca', size: content.length, mode: 0o600, hash, modifiedAtMs: 1 };
  const reads = { count: 0 };
  // Saving needs only these calls of a runtime.
  const runtime = {
    takeSnapshot: () => Promise.resolve(true),
    readSnapshot: () => {
      reads.count += 1;
      return Promise.resolve({ files: [file], skipped: [] });
    },
    fetchSnapshot: (_, files, to) =>
      Promise.all(files.map((one) => writeFile(join(to, one.hash), content))).then(() => undefined),
    endSnapshot: () => Promise.resolve(),
    // The functions under test call no other method.
  } satisfies Partial<Runtime> as unknown as Runtime;
  const volume = await volumes.make(ID);
  await volume.attach(ID, NODE, true);
  const context = {
    ...{ now, log: pino({ level: 'silent' }), events, volumes, records },
    runtimeOf: () => runtime,
  };
  const loop = { poke: () => undefined, kill: () => undefined };
  // A stop uses only these members of the context and of the loop.
  const commands = new ServiceCommands(context as never, loop as never);
  /** Tries to save the data once a second. Returns the number of times that the files were read. */
  const attempt = async (seconds: number): Promise<number> => {
    const before = reads.count;
    for (let second = 0; second < seconds; second += 1) {
      await keepData({ ...saved, exit: null }, context).catch(() => undefined);
      time.passed += 1_000;
    }
    return reads.count - before;
  };
  const failRegularly = async (): Promise<void> => {
    const takeSnapshot = () => Promise.resolve({ at: 2_000_000, consistent: true });
    const saving = saveService({ ...saved, volume, exited: false, takeSnapshot }, context);
    await expect(saving).rejects.toMatchObject({ code: 'VOLUME_QUOTA' });
  };
  return { attempt, failRegularly, config, commands, volume };
}

describe('the data of an exited service that exceeds a quota', () => {
  it('is read less and less often, and saved at once after the quota was raised', async () => {
    const { attempt, config, volume } = await anExitedService();
    // The files are read after 0, 10, 30, 70, 150, 310, 630, 1,230, 1,830, 2,430 and 3,030 s.
    expect(await attempt(3_600)).toBe(11);
    config.volumes = { ...config.volumes, quota: { perVolume: 2, total: -1 } };
    expect(await attempt(1)).toBe(1);
    expect(volume.saves()).toHaveLength(1);
    expect(volume.attachment).toBeNull();
  });

  it('is read at once if a person requests the stop again, but not if a plugin does', async () => {
    const { attempt, commands } = await anExitedService();
    await attempt(700);
    await commands.stop(ID, false, { actor: 'anna in the game', cause: 'a test' });
    expect(await attempt(1)).toBe(0);
    await commands.stop(ID, false, 'anna');
    expect(await attempt(1)).toBe(1);
  });

  it('is read at once when the service exits, even if a regular save has failed just before', async () => {
    const { attempt, failRegularly } = await anExitedService();
    for (let count = 0; count < 5; count += 1) await failRegularly();
    expect(await attempt(1)).toBe(1);
  });
});
