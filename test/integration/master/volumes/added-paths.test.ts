import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { MasterProcess } from '#test/support/master/master-process.ts';
import { serviceIn, setConfig } from '#test/support/master/network.ts';
import {
  createSurvival,
  nextNumberInLog,
  numberInLog,
  numbersInLog,
  volumeOf,
} from '#test/support/master/world.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Starts a master with a service that was started without persistent paths. The service has written to its world. */
async function serviceWithoutPaths() {
  const master = new MasterProcess(temporaryFolder(), { from: 26_600, to: 26_624 });
  onTestFinished(() => master.shutDown());
  await master.start();
  await createSurvival(master, { persistentPaths: [] });
  const service = await serviceIn(master, 'RUNNING');
  expect(await volumeOf(master)).toBeUndefined();
  return { master, service };
}

const addPath = (master: MasterProcess) => setConfig(master, 'survival', { persistentPaths: ['world/'] });

/** Restarts the service. Expects its world to begin with the last number before the restart. */
async function expectKept(master: MasterProcess): Promise<void> {
  const starts = await numbersInLog(master, 'survival-1', 'world starts at ');
  await master.call('services.restart', { id: 'survival-1', kill: false });
  const next = await nextNumberInLog(master, { id: 'survival-1', words: 'world starts at ', before: starts });
  expect(next).toBe(await numberInLog(master, 'survival-1', 'world ends at '));
  expect(next).toBeGreaterThan(0);
}

describe('the first persistent path of a template, added while a service is running', () => {
  it('makes the service keep its world, but does not make the service outdated', async () => {
    const { master } = await serviceWithoutPaths();
    await addPath(master);
    await waitFor(async () => (await volumeOf(master))?.attached?.service === 'survival-1');
    expect((await serviceIn(master, 'RUNNING')).outdated).toEqual([]);
    // The master adds the new paths to the record a moment after it has attached the volume, so the first save may
    // fail.
    const save = await waitFor(() =>
      master.call('volumes.save', { id: 'survival/1' }).catch(() => undefined),
    );
    expect(save).toMatchObject({ consistent: true });
    await expectKept(master);
  });

  it('makes the service keep its world even if the service is restarted at once', async () => {
    const { master } = await serviceWithoutPaths();
    await addPath(master);
    await expectKept(master);
  });

  it('makes the service keep its world even if the master is killed and loses its state', async () => {
    const { master, service } = await serviceWithoutPaths();
    await addPath(master);
    await waitFor(async () => (await volumeOf(master))?.attached?.service === 'survival-1');
    await master.kill();
    for (const lost of ['state', 'volumes']) await rm(join(master.data, lost), { recursive: true });
    await master.start();
    expect((await serviceIn(master, 'RUNNING')).pid).toBe(service.pid);
    await waitFor(async () => (await volumeOf(master))?.attached?.service === 'survival-1');
    await expectKept(master);
  });
});

describe('the save of a service that has exited', () => {
  it('is marked as consistent after a stop, but not after a kill', async () => {
    const { master } = await serviceWithoutPaths();
    await addPath(master);
    for (const kill of [false, true]) {
      const { pid } = await serviceIn(master, 'RUNNING');
      await master.call('services.restart', { id: 'survival-1', kill });
      await waitFor(async () => (await serviceIn(master, 'RUNNING')).pid !== pid);
      expect((await volumeOf(master))?.lastSave).toMatchObject({ consistent: !kill });
    }
  });
});
