import { describe, expect, it } from 'vitest';
import type { Save } from '#shared/model/volume.ts';
import { worldServerJar } from '../support/players/world-server.ts';
import { putJar, servicesOf, setConfig } from '../support/master/network.ts';
import {
  counterIn,
  createSurvival,
  newestCounter,
  nextNumberInLog,
  numberInLog,
  numbersInLog,
  SURVIVAL,
  volumeOf,
} from '../support/master/world.ts';
import { randomInstant } from '../support/random-instant.ts';
import { waitFor } from '../support/wait-for.ts';
import { nightly } from './kit/nightly.ts';
import { sharedStage, type Stage } from './stage/stage.ts';
import { watchTwins } from './stage/twin-watch.ts';

const SERVICE = 'survival-1';
const COUNTER = '/var/lib/overworld/services/survival-1/world/counter';

/** Number of nodes that are destroyed at a random moment. */
const LOSSES = nightly ? 50 : 1;

/**
 * Number of kills of the master, each at a random moment while the master saves the world and restarts the service.
 */
const KILLS = 50;

/**
 * A server that changes its world all the time runs on cloud nodes. The world moves together with the server. If a
 * node is lost, only the changes since the last save are lost.
 */
describe('the world of a service on a cloud node', () => {
  const fixture = sharedStage(async (stage) => {
    await stage.start();
    await createSurvival(stage.master);
    await stage.waitForServices(1, 'RUNNING');
  });

  /** Waits until the service runs on a node other than `before`, and returns this node. */
  async function movedFrom(before: string): Promise<string> {
    return waitFor(
      async () => {
        const [service] = await servicesOf(fixture().master);
        return service?.state === 'RUNNING' &&
          service.node !== null &&
          service.node !== before &&
          service.stopping === null
          ? service.node
          : undefined;
      },
      { timeoutMs: 120_000, what: `${SERVICE} on another node than ${before}` },
    );
  }

  async function nodeOf({ master }: Stage): Promise<string> {
    const [service] = await servicesOf(master);
    return service?.node ?? '';
  }

  function save(): Promise<Save> {
    return fixture().master.call('volumes.save', { id: 'survival/1' });
  }

  const numbers = (words: string): Promise<number[]> => numbersInLog(fixture().master, SERVICE, words);
  const next = (words: string, before: readonly number[]): Promise<number> =>
    nextNumberInLog(fixture().master, { id: SERVICE, words, before });

  const counterOn = async (node: string): Promise<number> =>
    Number(await fixture().cloud.node(node).must(`cat ${COUNTER}`));

  it('is saved completely while the server runs, and only changed files are transferred', async () => {
    const { master, cloud } = fixture();
    const node = await nodeOf(fixture());
    const machine = cloud.node(node);
    await machine.must(
      `dd if=/dev/urandom of=/var/lib/overworld/services/${SERVICE}/world/large bs=1M count=32 status=none`,
    );
    await machine.must(`chown --reference=${COUNTER} /var/lib/overworld/services/${SERVICE}/world/large`);
    const before = await counterOn(node);
    const first = await save();
    expect(first).toMatchObject({ consistent: true, node, current: true });
    expect(await counterIn(master, first)).toBeGreaterThanOrEqual(before);
    const network = `cat /sys/class/net/eth0/statistics/tx_bytes`;
    const sentBefore = Number(await machine.must(network));
    const second = await save();
    const sent = Number(await machine.must(network)) - sentBefore;
    expect(second.bytes).toBeGreaterThan(32 * 1_048_576);
    // Eight region files of 32 KiB change all the time. The large file does not change, so it is not sent again.
    expect(sent).toBeLessThan(4 * 1_048_576);
    expect(await counterIn(master, second)).toBeGreaterThan(await counterIn(master, first));
    await machine.must(`rm /var/lib/overworld/services/${SERVICE}/world/large`);
  });

  it('stays on its node while it cannot be saved because of a lost connection or a full disk', async () => {
    const { master, cloud } = fixture();
    const node = await nodeOf(fixture());
    const machine = cloud.node(node);
    const before = await save();
    machine.partition('from-node');
    await expect(save()).rejects.toMatchObject({ code: 'VOLUME_SAVE_FAILED' });
    machine.heal();
    expect((await volumeOf(master))?.problem).not.toBeNull();
    const after = await waitFor(() => save(), {
      timeoutMs: 60_000,
      what: 'a save after the connection is back',
    });
    expect(await counterIn(master, after)).toBeGreaterThan(await counterIn(master, before));

    const [starts, ends] = [await numbers('world starts at '), await numbers('world ends at ')];
    await machine.fillDisk();
    await master.call('services.restart', { id: SERVICE, kill: false });
    const ended = await next('world ends at ', ends);
    await waitFor(async () => (await volumeOf(master))?.lastSave?.at !== after.at, {
      timeoutMs: 60_000,
      what: 'the save of a stopped service on a full disk',
    });
    const newest = (await volumeOf(master))?.lastSave ?? null;
    expect(newest === null ? null : await counterIn(master, newest)).toBe(ended);
    machine.freeDisk();
    // The service may still be stopping, or it may already have started again.
    expect(await next('world starts at ', starts)).toBe(ended);
    await fixture().waitForServices(1, 'RUNNING');
  });

  it('is moved completely to another node when its node is drained', async () => {
    const { master } = fixture();
    const node = await nodeOf(fixture());
    const twins = watchTwins(fixture());
    const [starts, ends] = [await numbers('world starts at '), await numbers('world ends at ')];
    await master.call('nodes.schedule', { id: node, to: 'release' });
    await movedFrom(node);
    const ended = await next('world ends at ', ends);
    expect(await next('world starts at ', starts)).toBe(ended);
    expect(await twins.stop()).toEqual([]);
    expect((await servicesOf(master)).map(({ id }) => id)).toEqual([SERVICE]);
  });

  it(`is never older than the last confirmed save after its node was destroyed (${LOSSES} nodes)`, async () => {
    const { master, cloud } = fixture();
    const twins = watchTwins(fixture());
    const losses = () => master.call('activity.list', { kinds: ['volume.lost'], limit: 500 });
    const earlier = (await losses()).length;
    for (let loss = 1; loss <= LOSSES; loss++) {
      const node = await nodeOf(fixture());
      const starts = await numbers('world starts at ');
      let acknowledged = await counterIn(master, await save());
      const state = { isOver: false };
      void (async () => {
        while (!state.isOver) acknowledged = await counterIn(master, await save());
      })().catch(() => undefined);
      await randomInstant(2_000);
      cloud.api.deleteByHand(cloud.node(node).name);
      await movedFrom(node);
      state.isOver = true;
      // The pending save from the lost node may end later. The next save does not wait for it.
      await save();
      const started = await next('world starts at ', starts);
      expect(started, `loss ${loss}`).toBeGreaterThanOrEqual(acknowledged);
      const events = await losses();
      expect(events.length - earlier).toBe(loss);
      expect(events[0]?.message).toMatch(
        /^survival-1 lost up to \d+ (s|min)[^:]* of data: what was written since its last save$/,
      );
    }
    expect(await twins.stop()).toEqual([]);
  }, 3_600_000);

  it.runIf(nightly)(
    `is never older than the last confirmed save after the master was killed (${KILLS} kills)`,
    async () => {
      const { master } = fixture();
      const twins = watchTwins(fixture());
      let acknowledged = await counterIn(master, await save());
      for (let kill = 1; kill <= KILLS; kill++) {
        const work = (async () => {
          for (let n = 0; ; n += 1) {
            acknowledged = await counterIn(master, await save());
            if (n % 2 === 1) await master.call('services.restart', { id: SERVICE, kill: false });
          }
          // A request fails if the master is killed or if the service is restarting.
        })().catch(() => undefined);
        const says = `kill ${kill}, ${await randomInstant(4_000)} ms after work began`;
        await master.kill();
        await work;
        await master.start();
        expect(await newestCounter(master), says).toBeGreaterThanOrEqual(acknowledged);
        const node = await movedFrom('no node');
        // A new server answers before it has written its first number.
        const before = await waitFor(async () => (await counterOn(node)) || undefined, { what: says });
        expect(before, says).toBeGreaterThanOrEqual(acknowledged);
        // The master may have been killed after it had asked the server to stop saving. The new master asks the
        // server to save again.
        await waitFor(async () => (await counterOn(node)) > before, { what: `${says}: it is saved again` });
      }
      expect(await twins.stop()).toEqual([]);
      expect((await servicesOf(master)).map(({ id }) => id)).toEqual([SERVICE]);
    },
    3_600_000,
  );

  it.runIf(nightly)(
    'is written by only one service, even if a node returns after its data was declared lost',
    async () => {
      const { master, cloud } = fixture();
      const node = await nodeOf(fixture());
      const lost = cloud.node(node);
      const starts = await numbers('world starts at ');
      const acknowledged = await counterIn(master, await save());
      lost.partition('both');
      await waitFor(
        async () => (await fixture().nodes()).some(({ id, state }) => id === node && state === 'LOST'),
        {
          timeoutMs: 120_000,
          what: 'the node to be lost',
        },
      );
      // The master keeps the node, because its data is not saved. The service does not start on another node.
      const kept = (await fixture().nodes()).find(({ id }) => id === node)?.keep;
      expect(kept?.reason).toBe('UNSAVED');
      await fixture().master.call('nodes.lock', { id: node, locked: true });
      expect(await master.call('volumes.attach', { id: 'survival/1', acceptLoss: true })).toMatchObject({
        // Matchers have the type `any`.
        lostMs: expect.any(Number) as number,
      });
      await movedFrom(node);
      expect(await next('world starts at ', starts)).toBeGreaterThanOrEqual(acknowledged);
      const newest = await save();
      lost.heal();
      await waitFor(
        async () => (await lost.run('test -e /var/lib/overworld/services/survival-1')).code !== 0,
        {
          timeoutMs: 120_000,
          what: 'the process of the given up node to be stopped and its files to be stored',
        },
      );
      const saves = await master.call('volumes.saves', { id: 'survival/1' });
      const aside = saves.filter((one) => one.node === node && one.at > newest.at);
      expect(aside.map(({ current }) => current)).toEqual([false]);
      expect(saves[0]?.node).not.toBe(node);
    },
    600_000,
  );

  it('is kept if its template gets the first persistent path while the service is already running', async () => {
    const { master } = fixture();
    await master.call('templates.create', { id: 'late', config: { ...SURVIVAL, persistentPaths: [] } });
    await putJar(master, 'late', await worldServerJar());
    const words = 'world starts at ';
    expect(await numberInLog(master, 'late-1', words)).toBe(0);
    const before = await numbersInLog(master, 'late-1', words);
    await setConfig(master, 'late', { persistentPaths: ['world/'] });
    await master.call('services.restart', { id: 'late-1', kill: false });
    const next = await nextNumberInLog(master, { id: 'late-1', words, before });
    expect(next).toBe(await numberInLog(master, 'late-1', 'world ends at '));
    expect(next).toBeGreaterThan(0);
  });
});
