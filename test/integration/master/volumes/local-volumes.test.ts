import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { canMount, fillDisk, smallDisk } from '#test/support/files/small-disk.ts';
import { jvmsOf, MasterProcess } from '#test/support/master/master-process.ts';
import { serviceIn, servicesOf, setConfig } from '#test/support/master/network.ts';
import {
  counterIn,
  createSurvival,
  newestCounter,
  nextNumberInLog,
  numberInLog,
  numbersInLog,
  volumeOf,
} from '#test/support/master/world.ts';
import { randomInstant } from '#test/support/random-instant.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Number of kills of the master in this run. */
const KILLS = process.env['OVERWORLD_NIGHTLY'] === '1' ? 50 : 4;

/** Number of kills of the master during restores in this run. */
const RESTORE_KILLS = process.env['OVERWORLD_NIGHTLY'] === '1' ? 50 : 6;

/**
 * Maximum time until a service is up on a busy machine (ms). Before that, it may have to stop, be saved and start
 * again.
 */
const UP_TIMEOUT_MS = 150_000;

async function startMaster(data = temporaryFolder(), from = 26_500): Promise<MasterProcess> {
  const master = new MasterProcess(data, { from, to: from + 24 });
  onTestFinished(() => master.shutDown());
  await master.start();
  return master;
}

/** Reads the last number that a running service on this machine has written. */
async function counterOf(master: MasterProcess): Promise<number> {
  const text = await readFile(join(master.data, 'services/survival-1/files/world/counter'), 'utf8');
  return Number(text);
}

/** Waits until the service has started again, and returns the number with which its world began. */
async function nextStart(master: MasterProcess, before: { readonly pid: number | null }): Promise<number> {
  await waitFor(async () => {
    const service = (await servicesOf(master)).find(({ id }) => id === 'survival-1');
    return service?.state === 'RUNNING' && service.pid !== before.pid;
  });
  return numberInLog(master, 'survival-1', 'world starts at ');
}

describe("a service with persistent paths on the master's machine", () => {
  it('keeps its world and its number when it stops, restarts or crashes', async () => {
    const master = await startMaster();
    await createSurvival(master);
    const first = await serviceIn(master, 'RUNNING');
    expect(first.id).toBe('survival-1');

    await master.call('services.stop', { id: first.id, kill: false });
    const ended = await numberInLog(master, first.id, 'world ends at ');
    expect(ended).toBeGreaterThan(0);
    expect(await nextStart(master, first)).toBe(ended);

    const second = await serviceIn(master, 'RUNNING');
    await master.call('services.command', { id: second.id, line: 'save-off' });
    await master.call('services.command', { id: second.id, line: 'counter' });
    const frozen = await waitFor(async () => {
      const number = await numberInLog(master, second.id, 'counter ');
      return number > ended ? number : undefined;
    });
    await master.call('services.command', { id: second.id, line: 'crash' });
    expect(await nextStart(master, second)).toBe(frozen);

    const third = await serviceIn(master, 'RUNNING');
    const killedAt = await counterOf(master);
    await master.call('services.restart', { id: third.id, kill: true });
    expect(await nextStart(master, third)).toBeGreaterThanOrEqual(killedAt);
    const volume = await volumeOf(master);
    expect(volume?.attached).toMatchObject({ service: 'survival-1', node: 'local' });
    expect(volume?.saves).toBeGreaterThanOrEqual(3);
  });

  it('has a complete world in a save that was made while it was running', async () => {
    const master = await startMaster();
    await createSurvival(master);
    await serviceIn(master, 'RUNNING');
    const before = await counterOf(master);
    const save = await master.call('volumes.save', { id: 'survival/1' });
    expect(save).toMatchObject({ consistent: true, current: true, node: 'local' });
    const saved = await counterIn(master, save);
    expect(saved).toBeGreaterThanOrEqual(before);
    // After the save, the server saves its world again.
    await waitFor(async () => (await counterOf(master)) > saved + 20);
    const again = await master.call('volumes.save', { id: 'survival/1' });
    expect(again.save).not.toBe(save.save);
    const { changed } = await master.call('volumes.compare', {
      id: 'survival/1',
      from: save.save,
      to: again.save,
    });
    expect(changed).toContain('world/counter');
    expect((await volumeOf(master))?.attached?.savedAt).toBe(again.at);
  });

  it('gets saves whose config file contains the values that the master has set', async () => {
    const master = await startMaster();
    await createSurvival(master, { persistentPaths: ['world/', 'server.properties'] });
    const first = await serviceIn(master, 'RUNNING');
    await setConfig(master, 'survival', { maxPlayers: 100 });
    await master.call('services.restart', { id: first.id, kill: false });
    await nextStart(master, first);
    const { save } = await master.call('volumes.save', { id: 'survival/1' });
    const saved = join(master.data, 'volumes/survival/1/saves', save, 'server.properties');
    expect(await readFile(saved, 'utf8')).toContain('max-players=100');
  });

  it('starts from an earlier save after a restore, and a clone starts from the same data', async () => {
    const master = await startMaster();
    await createSurvival(master);
    const first = await serviceIn(master, 'RUNNING');
    const save = await master.call('volumes.save', { id: 'survival/1' });
    const restore = () => master.call('volumes.restore', { id: 'survival/1', save: save.save });
    await expect(restore()).rejects.toMatchObject({ code: 'VOLUME_IN_USE' });
    await setConfig(master, 'survival', { minimumRunningServers: 0, maximumOnlineServers: 2 });
    await waitFor(async () => (await counterOf(master)) > (await counterIn(master, save)) + 50);
    await master.call('services.stop', { id: first.id, kill: false });
    await waitFor(async () => (await servicesOf(master)).length === 0);
    expect((await volumeOf(master))?.lastSave?.save).not.toBe(save.save);
    await restore();
    await master.call('volumes.clone', { from: 'survival/1', to: 'survival/2' });
    await setConfig(master, 'survival', { minimumRunningServers: 2 });
    expect(await nextStart(master, first)).toBe(await counterIn(master, save));
    expect(await numberInLog(master, 'survival-2', 'world starts at ')).toBe(await counterIn(master, save));
    await expect(master.call('volumes.delete', { id: 'survival/2' })).rejects.toMatchObject({
      code: 'VOLUME_IN_USE',
    });
  });

  it('keeps running and is saved even if the master loses its state, or its state and its volumes', async () => {
    const master = await startMaster();
    await createSurvival(master);
    const first = await serviceIn(master, 'RUNNING');
    for (const lost of [['state'], ['state', 'volumes']]) {
      await master.kill();
      for (const folder of lost) await rm(join(master.data, folder), { recursive: true });
      await master.start();
      const adopted = await serviceIn(master, 'RUNNING');
      expect(adopted).toMatchObject({ id: 'survival-1', pid: first.pid });
      await waitFor(async () => (await volumeOf(master))?.attached?.node === 'local');
      const save = await master.call('volumes.save', { id: 'survival/1' });
      expect(save.consistent).toBe(true);
    }
    await master.call('services.stop', { id: first.id, kill: false });
    const ended = await numberInLog(master, first.id, 'world ends at ');
    expect(await nextStart(master, first)).toBe(ended);
  });

  it(
    `loses no confirmed save when the master is killed at any moment (${KILLS} kills)`,
    async () => {
      const master = await startMaster();
      await createSurvival(master);
      await serviceIn(master, 'RUNNING');
      const began = performance.now();
      let acknowledged = await counterIn(master, await master.call('volumes.save', { id: 'survival/1' }));
      // On a busy machine, saves and restarts take longer. Allow later kills there, so that kills happen during saves
      // and restarts.
      const latestMs = Math.max(1_500, 4 * (performance.now() - began));
      for (let kill = 1; kill <= KILLS; kill++) {
        const work = (async () => {
          try {
            for (let n = 0; ; n += 1) {
              const save = await master.call('volumes.save', { id: 'survival/1' });
              acknowledged = await counterIn(master, save);
              if (n % 2 === 1) await master.call('services.restart', { id: 'survival-1', kill: false });
            }
          } catch {
            // The master was killed, or the service is restarting.
          }
        })();
        const says = `kill ${kill}, ${await randomInstant(latestMs)} ms after work began`;
        await master.kill();
        await work;
        await master.start();
        expect(await newestCounter(master), says).toBeGreaterThanOrEqual(acknowledged);
        await waitFor(
          async () =>
            (await servicesOf(master)).some((one) => one.state === 'RUNNING' && one.stopping === null),
          { timeoutMs: UP_TIMEOUT_MS, what: `${says}: the service is up` },
        );
        for (const [id, pids] of await jvmsOf(master.data)) expect(pids, `${says}: ${id}`).toHaveLength(1);
        // A new server answers before it has written its first number.
        const before = await waitFor(() => counterOf(master), { what: `${says}: a number in the world` });
        expect(before, says).toBeGreaterThanOrEqual(acknowledged);
        // The master may have been killed after it had asked the server to stop saving. The new master asks the
        // server to save again.
        await waitFor(async () => (await counterOf(master)) > before, {
          what: `${says}: the world is saved again`,
        });
      }
      // On a busy machine, a server may not exit in time. The master then kills it, possibly between two writes that
      // belong together.
      const stopped = await master.call('activity.list', { kinds: ['service.stopped'], limit: 500 });
      const killed = stopped.filter(({ message }) => message.includes('signal SIGKILL'));
      const torn = await numbersInLog(master, 'survival-1', 'world is torn: ');
      expect(torn.length, `${killed.length} killed servers`).toBeLessThanOrEqual(killed.length);
    },
    KILLS * 2 * UP_TIMEOUT_MS,
  );

  it(
    `has either the old or the new save after the master was killed during a restore (${RESTORE_KILLS} kills)`,
    async () => {
      const master = await startMaster();
      await createSurvival(master);
      const first = await serviceIn(master, 'RUNNING');
      const made: string[] = [];
      while (made.length < 3) {
        const { save } = await master.call('volumes.save', { id: 'survival/1' });
        if (!made.includes(save)) made.push(save);
      }
      await setConfig(master, 'survival', { minimumRunningServers: 0 });
      await master.call('services.stop', { id: first.id, kill: false });
      await waitFor(async () => (await servicesOf(master)).length === 0);
      const stored = await master.call('volumes.saves', { id: 'survival/1' });
      const counters = new Map<string, number>();
      for (const one of stored) counters.set(one.save, await counterIn(master, one));
      const saves = [...counters.keys()];

      let current = stored[0]?.save ?? '';
      const began = performance.now();
      await master.call('volumes.restore', { id: 'survival/1', save: current });
      const latestMs = Math.max(200, 20 * (performance.now() - began));
      let restored = 0;
      for (let kill = 1; kill <= RESTORE_KILLS; kill++) {
        const state = { wanted: current, isOver: false };
        const work = (async () => {
          try {
            while (!state.isOver) {
              state.wanted = saves[(saves.indexOf(current) + 1) % saves.length] ?? '';
              await master.call('volumes.restore', { id: 'survival/1', save: state.wanted });
              current = state.wanted;
              restored += 1;
            }
          } catch {
            // The master was killed.
          }
        })();
        const says = `kill ${kill}, ${await randomInstant(latestMs)} ms after work began`;
        await master.kill();
        state.isOver = true;
        await work;
        await master.start();
        const found = await master.call('volumes.saves', { id: 'survival/1' });
        const newest = found.find((one) => one.current)?.save ?? '';
        // A restore without an acknowledgement may have been completed.
        expect([current, state.wanted], says).toContain(newest);
        current = newest;
        expect(found[0]?.save, says).toBe(newest);
        expect(new Set(found.map(({ save }) => save)), says).toEqual(new Set(saves));
        for (const one of found) expect(await counterIn(master, one), says).toBe(counters.get(one.save));
        expect((await readdir(join(master.data, 'volumes/survival/1'))).sort()).toEqual([
          'saves',
          'volume.json',
        ]);
      }
      expect(restored).toBeGreaterThan(0);
      const words = 'world starts at ';
      const before = await numbersInLog(master, 'survival-1', words);
      await setConfig(master, 'survival', { minimumRunningServers: 1 });
      const started = await nextNumberInLog(master, { id: 'survival-1', words, before });
      expect(started).toBe(counters.get(current));
    },
    RESTORE_KILLS * UP_TIMEOUT_MS,
  );
});

describe('a volume with a damaged document', () => {
  it('affects neither the master nor other services, and its own service runs on and loses no data', async () => {
    const master = await startMaster();
    await createSurvival(master);
    const first = await serviceIn(master, 'RUNNING');
    await master.call('volumes.save', { id: 'survival/1' });
    await master.kill();
    const document = join(master.data, 'volumes/survival/1/volume.json');
    const content = await readFile(document);
    await writeFile(document, content.subarray(0, 20));
    await master.start();
    const problem = await waitFor(async () => (await volumeOf(master))?.problem ?? undefined);
    expect(problem).toContain(`${document} cannot be read`);
    await waitFor(async () => (await serviceIn(master, 'RUNNING')).pid === first.pid);
    await setConfig(master, 'survival', { minimumRunningServers: 2, maximumOnlineServers: 2 });
    await waitFor(async () =>
      (await servicesOf(master)).some(({ id, state }) => id === 'survival-2' && state === 'RUNNING'),
    );
    // The server exits, but its files stay on the disk, because they cannot be saved.
    await master.call('services.stop', { id: first.id, kill: false });
    const ended = await numberInLog(master, first.id, 'world ends at ');
    expect(await counterOf(master)).toBe(ended);
    await master.kill();
    expect(await readFile(document)).toHaveLength(20);
    await writeFile(document, content);
    await master.start();
    await waitFor(async () => {
      const { lastSave = null } = (await volumeOf(master)) ?? {};
      return lastSave !== null && (await counterIn(master, lastSave)) >= ended;
    });
  });
});

describe.skipIf(!canMount)('a volume on a full disk', () => {
  /** Starts a master with a service whose volume cannot be saved, because the disk for volumes is full. */
  async function withoutSpace() {
    const data = temporaryFolder();
    await mkdir(join(data, 'volumes'));
    const disk = smallDisk(4, join(data, 'volumes'));
    const master = new MasterProcess(data, { from: 26_525, to: 26_549 });
    onTestFinished(() => master.shutDown());
    await master.start();
    await createSurvival(master);
    const { id } = await serviceIn(master, 'RUNNING');
    await master.call('volumes.save', { id: 'survival/1' });
    return { data, master, id, free: await fillDisk(disk) };
  }

  /** Waits until no service is left. Returns the number in the newest save. */
  async function saved(master: MasterProcess): Promise<number | null> {
    await waitFor(async () => (await servicesOf(master)).length === 0);
    const volume = await volumeOf(master);
    expect(volume).toMatchObject({ attached: null, problem: null });
    const newest = volume?.lastSave ?? null;
    return newest === null ? null : counterIn(master, newest);
  }

  it('keeps its data in the folder of its service until there is space to save it', async () => {
    const { data, master, id, free } = await withoutSpace();
    await setConfig(master, 'survival', { minimumRunningServers: 0 });
    await master.call('services.stop', { id, kill: false });
    const ended = await numberInLog(master, id, 'world ends at ');
    await waitFor(async () => (await volumeOf(master))?.problem ?? undefined);
    expect(await readdir(join(data, 'services'))).toEqual(['survival-1']);
    expect((await volumeOf(master))?.attached).toMatchObject({ node: 'local' });
    await free();
    expect(await saved(master)).toBe(ended);
  });

  it.each(['just before', 'long before'])(
    'lets the master shut down, and is saved by the next master (service stopped %s the shutdown)',
    async (when) => {
      const { data, master, id, free } = await withoutSpace();
      await setConfig(master, 'survival', { minimumRunningServers: 0 });
      if (when === 'long before') {
        await master.call('services.stop', { id, kill: false });
        await waitFor(async () => (await volumeOf(master))?.problem ?? undefined);
      }
      await master.shutDown();
      expect(await readdir(join(data, 'services'))).toEqual(['survival-1']);
      await free();
      await master.start();
      const ended = await numberInLog(master, id, 'world ends at ');
      expect(await saved(master)).toBe(ended);
    },
  );
});
