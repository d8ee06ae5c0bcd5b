import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, it, onTestFinished } from 'vitest';
import { VolumeSaves } from '#master/control/volumes/volume-saves.ts';
import type { Runtime } from '#master/runtime/runtime.ts';
import { RecordStore } from '#master/state/services/record-store.ts';
import { dataFolderAt } from '#master/store/data-folder.ts';
import { noReserves } from '#master/store/disk-reserve.ts';
import { EventLog } from '#master/store/event-log.ts';
import { Volumes } from '#master/volumes/volumes.ts';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const ID = 'survival-1';
const HOUR = 3_600_000;
const INTERVAL = 600_000;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Creates a running service whose server does not support Minecraft's commands, with clocks that the test moves. */
async function aRunningService(folder = temporaryFolder(), wall = 10 * HOUR) {
  const time = { wall, clock: 5 * HOUR, snapshots: 0, isFull: false };
  const now = (): number => time.wall;
  const config = masterConfigSchema.parse({});
  const events = await EventLog.open(join(folder, 'activity.jsonl'), now);
  onTestFinished(() => events.close());
  const settings = () => config.volumes;
  const volumes = await Volumes.open({
    ...{ folder: join(folder, 'volumes'), copies: dataFolderAt(folder), disks: noReserves(), settings, now },
  });
  const records = await RecordStore.open(join(folder, 'services.json'));
  const record = records.add({ id: ID, template: 'survival', requestedAt: 1, cause: 'test', manual: false });
  const values = templateConfigSchema.parse({ name: 'survival', persistentPaths: ['world/'], isProxy: true });
  Object.assign(record, { node: 'node-1', startedAt: time.wall, state: 'RUNNING', placed: { values } });
  const runtime: Partial<Runtime> = {
    takeSnapshot: () => {
      time.snapshots += 1;
      return Promise.resolve(true);
    },
    readSnapshot: () => Promise.resolve({ files: [], skipped: [] }),
    fetchSnapshot: () =>
      time.isFull ? Promise.reject(new OverworldError('DISK_FULL', { path: folder })) : Promise.resolve(),
    endSnapshot: () => Promise.resolve(),
    command: () => Promise.reject(new Error('the server does not read its console')),
  };
  const volume = await volumes.make(ID);
  await volume.attach(ID, 'node-1', true);
  const context = {
    ...{ now, log: pino({ level: 'silent' }), events, volumes, records },
    config: { master: { config } },
    registry: { nodes: () => [] },
    runtimeOf: () => runtime,
  };
  const saves = new VolumeSaves(context as never, () => time.clock);
  /** Lets time pass on both clocks in steps of 10 s, with a round of the control loop after each. */
  const pass = async (ms: number): Promise<number> => {
    const before = time.snapshots;
    for (let passed = 0; passed < ms; passed += 10_000) {
      time.wall += 10_000;
      time.clock += 10_000;
      saves.carryOn();
      // A save begins and its task ends only in later turns of the event loop.
      await turn();
      await waitFor(() => !volume.saving, { what: 'the save in progress' });
      await turn();
    }
    return time.snapshots - before;
  };
  const unsavable = () => volumes.snapshot(() => null)[0]?.unsavable ?? null;
  return { folder, time, pass, saves, volume, record, unsavable };
}

describe('the regular saves of a volume', () => {
  it('are made every 10 minutes', async () => {
    const { pass } = await aRunningService();
    expect(await pass(INTERVAL - 10_000)).toBe(0);
    expect(await pass(10_000)).toBe(1);
    expect(await pass(6 * INTERVAL)).toBe(6);
  });

  it.each([
    { set: 'back', by: -24 * HOUR },
    { set: 'forward', by: 24 * HOUR },
  ])('are neither skipped nor made more often if the wall clock is set $set by a day', async ({ by }) => {
    const { time, pass, saves, volume } = await aRunningService();
    await pass(INTERVAL + 60_000);
    time.wall += by;
    // The time until the next save does not depend on the wall clock.
    expect((saves.nextSaveAt(volume) ?? 0) - time.wall).toBe(INTERVAL - 60_000);
    expect(await pass(6 * INTERVAL)).toBe(6);
  });

  it('are made after a restart even if the newest save has a time in the future', async () => {
    const { time, pass } = await aRunningService();
    time.wall -= 24 * HOUR;
    expect(await pass(INTERVAL)).toBe(0);
    expect(await pass(10_000)).toBe(1);
  });
});

describe('after a failed save, the rules do not stop the service,', () => {
  it('also not between a restart of the master and its first save', async () => {
    const first = await aRunningService();
    expect(first.unsavable()).toBeNull();
    first.time.isFull = true;
    await first.pass(INTERVAL + 20_000);
    expect(first.unsavable()).toContain('full');
    const next = await aRunningService(first.folder, first.time.wall);
    expect(next.unsavable()).toBe('Its last save is too old, and the next one has not ended yet.');
    next.time.isFull = true;
    await next.pass(10_000);
    expect(next.unsavable()).toContain('full');
    const last = await aRunningService(first.folder, next.time.wall);
    await last.pass(10_000);
    expect(last.unsavable()).toBeNull();
  });

  it('unless its server was paused for the save and does not answer any more', async () => {
    const { folder, time, volume } = await aRunningService();
    await volume.notePaused(ID, 'node-1', true);
    const next = await aRunningService(folder, time.wall + INTERVAL);
    next.record.adoptedAt = next.time.wall;
    expect(next.unsavable()).not.toBeNull();
    expect(await next.pass(10_000)).toBe(0);
    expect(next.unsavable()).toBeNull();
  });

  it('unless the master was restarted before the next save was due', async () => {
    const { folder, time, pass } = await aRunningService();
    await pass(INTERVAL + 20_000);
    const next = await aRunningService(folder, time.wall + 60_000);
    expect(next.unsavable()).toBeNull();
  });
});
