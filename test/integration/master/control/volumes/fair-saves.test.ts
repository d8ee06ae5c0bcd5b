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
import { masterConfigSchema } from '#shared/config/master.ts';
import { templateConfigSchema } from '#shared/config/template.ts';
import { serviceOfVolume } from '#shared/model/volume.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const INTERVAL_S = 600;
const STEP_MS = 10_000;

/** Behaviour of the saves of a service: the duration of each save (s), and whether it fails. */
interface Saving {
  readonly takesS: number;
  readonly fails: boolean;
}

const AT_ONCE: Saving = { takesS: 0, fails: false };
const FAILS_SLOWLY: Saving = { takesS: 60, fails: true };
const NEVER_ENDS: Saving = { takesS: Infinity, fails: false };

const turn = () => new Promise((resolve) => setImmediate(resolve));

interface PlacedService {
  readonly id: string;
  readonly node: string;
  readonly saving?: Saving;
}

/** Creates running services. The test sets the behaviour of their saves, and moves their clocks. */
async function running(services: readonly PlacedService[]) {
  const folder = temporaryFolder();
  const begun = 36_000_000;
  const time = { now: begun };
  const now = (): number => time.now;
  const master = { config: masterConfigSchema.parse({ volumes: { saveInterval: INTERVAL_S } }) };
  const events = await EventLog.open(join(folder, 'activity.jsonl'), now);
  onTestFinished(() => events.close());
  const settings = () => master.config.volumes;
  const volumes = await Volumes.open({
    ...{ folder: join(folder, 'volumes'), copies: dataFolderAt(folder), disks: noReserves(), settings, now },
  });
  const records = await RecordStore.open(join(folder, 'services.json'));
  const values = templateConfigSchema.parse({ name: 'survival', persistentPaths: ['world/'], isProxy: true });
  const savings = new Map(services.map(({ id, saving = AT_ONCE }) => [id, saving]));
  const attempts: { readonly id: string; readonly atS: number }[] = [];
  const underWay = new Map<string, { readonly endsAt: number; readonly end: () => void }>();
  const runtime: Partial<Runtime> = {
    takeSnapshot: (id) => {
      attempts.push({ id, atS: (time.now - begun) / 1_000 });
      const { takesS, fails } = savings.get(id) ?? AT_ONCE;
      return new Promise<boolean>((resolve, reject) => {
        const end = fails ? () => reject(new Error('a test')) : () => resolve(true);
        if (takesS === 0) end();
        else underWay.set(id, { endsAt: time.now + takesS * 1_000, end });
      });
    },
    readSnapshot: () => Promise.resolve({ files: [], skipped: [] }),
    fetchSnapshot: () => Promise.resolve(),
    endSnapshot: () => Promise.resolve(),
  };
  for (const { id, node } of services) {
    const record = records.add({ id, template: 'survival', requestedAt: 1, cause: 'test', manual: false });
    Object.assign(record, { node, startedAt: begun, state: 'RUNNING', placed: { values } });
    await (await volumes.make(id)).attach(id, node, true);
  }
  const context = {
    ...{ now, log: pino({ level: 'silent' }), events, volumes, records },
    config: { master },
    registry: { nodes: () => [] },
    runtimeOf: () => runtime,
  };
  const saves = new VolumeSaves(context as never, now);
  /** Resolves when all saves that end now have ended. Slower saves may still be in progress. */
  const settled = async (): Promise<void> => {
    await turn();
    const isSettled = () => volumes.all.every((one) => !one.saving || underWay.has(serviceOfVolume(one.id)));
    await waitFor(isSettled, { what: 'the saves that end now' });
    await turn();
  };
  /** Lets time pass in steps of 10 s, with a round of the control loop after each. */
  const pass = async (seconds: number): Promise<void> => {
    for (let passed = 0; passed < seconds * 1_000; passed += STEP_MS) {
      time.now += STEP_MS;
      for (const [id, { endsAt, end }] of underWay) {
        if (endsAt > time.now) continue;
        underWay.delete(id);
        end();
      }
      await settled();
      saves.carryOn();
      await settled();
    }
  };
  const attemptsOf = (id: string): number[] => attempts.filter((one) => one.id === id).map(({ atS }) => atS);
  const savesOf = (id: string): number => volumes.of(id)?.saves().length ?? 0;
  return { pass, saves, savings, master, attempts, attemptsOf, savesOf, settled, volumes };
}

describe('the regular saves of several volumes', () => {
  it('continue for other volumes while the saves of two volumes fail slowly, again and again', async () => {
    const { pass, savesOf, attemptsOf } = await running([
      { id: 'survival-1', node: 'node-1', saving: FAILS_SLOWLY },
      { id: 'survival-2', node: 'node-2', saving: FAILS_SLOWLY },
      { id: 'survival-3', node: 'node-3' },
      { id: 'survival-4', node: 'node-4' },
    ]);
    await pass(INTERVAL_S + 120);
    expect([savesOf('survival-3'), savesOf('survival-4')]).toEqual([1, 1]);
    expect(attemptsOf('survival-1')).not.toEqual([]);
  });

  it('continue on other nodes while the saves on a node with many volumes never end', async () => {
    const { pass, attempts, savesOf } = await running([
      { id: 'survival-1', node: 'node-1', saving: NEVER_ENDS },
      { id: 'survival-2', node: 'node-1', saving: NEVER_ENDS },
      { id: 'survival-3', node: 'node-1', saving: NEVER_ENDS },
      { id: 'survival-4', node: 'node-2' },
    ]);
    await pass(INTERVAL_S + 120);
    expect(savesOf('survival-4')).toBe(1);
    expect(attempts.map(({ id }) => id).sort()).toEqual(['survival-1', 'survival-4']);
  });

  it('continue on other nodes while the saves on several nodes never end', async () => {
    const { pass, attemptsOf } = await running([
      { id: 'survival-1', node: 'node-1', saving: NEVER_ENDS },
      { id: 'survival-2', node: 'node-2', saving: NEVER_ENDS },
      { id: 'survival-3', node: 'node-3', saving: NEVER_ENDS },
      { id: 'survival-4', node: 'node-4' },
    ]);
    await pass(2 * INTERVAL_S + 120);
    // After 10 min, the first two saves no longer count.
    expect(attemptsOf('survival-3')).toEqual([2 * INTERVAL_S]);
    expect(attemptsOf('survival-4')).toEqual([2 * INTERVAL_S]);
  });

  it('begin with the volume whose last attempt is oldest', async () => {
    const ids = [1, 2, 3, 4, 5].map((number) => `survival-${number}`);
    const { pass, attemptsOf, savings } = await running(
      ids.map((id, index) => ({ id, node: `node-${index}`, saving: { takesS: 400, fails: false } })),
    );
    await pass(3 * INTERVAL_S);
    for (const id of ids) savings.set(id, AT_ONCE);
    await pass(INTERVAL_S);
    // Two saves that begin in the same round may take their snapshots in any order.
    const [first = [], second = []] = [0, 1].map((index) => ids.map((id) => attemptsOf(id)[index] ?? NaN));
    expect(first).toEqual(first.toSorted((a, b) => a - b));
    expect(Math.max(...first)).toBeLessThanOrEqual(Math.min(...second));
  });
});

describe('the next regular save of a volume', () => {
  const failing = { id: 'survival-1', node: 'node-1', saving: FAILS_SLOWLY };

  it('waits for 30 s after the end of a failed save, and for up to 10 min after further failures', async () => {
    const { pass, attemptsOf } = await running([failing]);
    await pass(INTERVAL_S + 3_000);
    const times = attemptsOf('survival-1');
    const delays = times.slice(1).map((at, index) => at - (times[index] ?? 0) - FAILS_SLOWLY.takesS);
    expect(delays).toEqual([30, 60, 120, 240, 480, 600, 600]);
  });

  it('begins at once after a failed save if the settings of volumes have changed', async () => {
    const { pass, attemptsOf, master, savesOf, savings } = await running([failing]);
    await pass(INTERVAL_S + 900);
    const before = attemptsOf('survival-1').length;
    savings.set('survival-1', AT_ONCE);
    await pass(STEP_MS / 1_000);
    expect(attemptsOf('survival-1')).toHaveLength(before);
    master.config = masterConfigSchema.parse({ volumes: { saveInterval: INTERVAL_S, quota: { total: 50 } } });
    await pass(STEP_MS / 1_000);
    expect(attemptsOf('survival-1')).toHaveLength(before + 1);
    expect(savesOf('survival-1')).toBe(1);
  });

  it('begins 30 s after a failed save requested by a person, even after many failed regular saves', async () => {
    const { pass, attemptsOf, saves, savings, settled, volumes } = await running([failing]);
    await pass(INTERVAL_S + 900);
    savings.set('survival-1', { takesS: 0, fails: true });
    const requested = saves.saveNow('survival/1', 'anna');
    await expect(requested).rejects.toMatchObject({ code: 'VOLUME_SAVE_FAILED' });
    await settled();
    const volume = volumes.get('survival/1');
    expect((saves.nextSaveAt(volume) ?? 0) - 36_000_000).toBe((INTERVAL_S + 900 + 30) * 1_000);
    const before = attemptsOf('survival-1').length;
    await pass(30);
    expect(attemptsOf('survival-1')).toHaveLength(before + 1);
  });

  it('does not wait for the end of the interval if a save requested by a person has failed', async () => {
    const { pass, attemptsOf, saves, savesOf, savings, settled } = await running([
      { id: 'survival-1', node: 'node-1', saving: { takesS: 0, fails: true } },
    ]);
    const requested = saves.saveNow('survival/1', 'anna');
    await expect(requested).rejects.toMatchObject({ code: 'VOLUME_SAVE_FAILED' });
    await settled();
    savings.set('survival-1', AT_ONCE);
    await pass(60);
    // A rolling restart waits for this save.
    expect(attemptsOf('survival-1')).toEqual([0, 30]);
    expect(savesOf('survival-1')).toBe(1);
  });

  it('does not begin while a save requested by a person is in progress', async () => {
    const { pass, attemptsOf, saves, savesOf, settled } = await running([
      { id: 'survival-1', node: 'node-1', saving: { takesS: 300, fails: false } },
    ]);
    await pass(INTERVAL_S - 60);
    const requested = saves.saveNow('survival/1', 'anna');
    await settled();
    await pass(INTERVAL_S - 60);
    await requested;
    expect(savesOf('survival-1')).toBe(1);
    expect(attemptsOf('survival-1')).toEqual([INTERVAL_S - 60]);
  });
});
