import { describe, expect, it } from 'vitest';
import { putJar, servicesOf, SMALL } from '../support/master/network.ts';
import { waitFor } from '../support/wait-for.ts';
import { watchTwins } from './stage/twin-watch.ts';
import { sharedStage, testStage } from './stage/stage.ts';

const LOBBY = { ...SMALL, minimumRunningServers: 2, killUnusedTooManyServersAfter: 2_000 };

/**
 * Faults that end services. The services start again, on another node if necessary, and never run twice. Lost nodes
 * are released.
 */
describe('a service starts again', () => {
  const fixture = sharedStage(async (it) => {
    await it.start();
    await it.master.call('templates.create', { id: 'lobby', config: LOBBY });
    await putJar(it.master, 'lobby');
    await it.waitForServices(2, 'RUNNING');
  });

  it('on the same node after the node was rebooted', async () => {
    const node = fixture().cloud.node('node-1');
    const before = await fixture().jvms();
    const watch = watchTwins(fixture());
    await node.reboot();
    await waitFor(
      async () => {
        const now = await fixture().jvms();
        return now.length === 2 && now.every(({ pid }) => !before.some((jvm) => jvm.pid === pid));
      },
      { timeoutMs: 60_000, what: 'new processes' },
    );
    await fixture().waitForServices(2, 'RUNNING');
    expect(await watch.stop()).toEqual([]);
    expect(fixture().cloud.api.everOrdered()).toHaveLength(1);
  });

  it('after its process was killed', async () => {
    const node = fixture().cloud.node('node-1');
    const [victim] = await fixture().jvms();
    await node.must(`kill -KILL ${victim?.pid}`);
    await waitFor(
      async () => {
        const now = await fixture().jvms();
        return now.length === 2 && !now.some(({ pid }) => pid === victim?.pid);
      },
      { what: 'another process' },
    );
    await fixture().waitForServices(2, 'RUNNING');
  });

  it('on another node after its node was deleted in the provider’s console', async () => {
    const { cloud } = fixture();
    const watch = watchTwins(fixture());
    cloud.api.deleteByHand(cloud.node('node-1').name);
    await waitFor(() => cloud.nodes.some(({ name }) => name.endsWith('-node-2')), { timeoutMs: 60_000 });
    await fixture().waitForServices(2, 'RUNNING');
    expect(await watch.stop()).toEqual([]);
    expect(cloud.nodes).toHaveLength(1);
    expect((await fixture().nodes()).map(({ id }) => id)).toEqual(['node-2']);
  });

  it('on another node after its node was unreachable for too long and was released', async () => {
    const { cloud } = fixture();
    const lost = cloud.node('node-2');
    const watch = watchTwins(fixture());
    lost.partition('both');
    await waitFor(async () => (await fixture().nodes()).some(({ state }) => state === 'LOST'), {
      timeoutMs: 100_000,
      what: 'the node to be lost',
    });
    await waitFor(() => !cloud.nodes.includes(lost), {
      timeoutMs: 120_000,
      what: 'the lost node given back',
    });
    await fixture().waitForServices(2, 'RUNNING');
    expect(await watch.stop()).toEqual([]);
    expect((await fixture().nodes()).map(({ id, state }) => `${id} ${state}`)).toEqual(['node-3 READY']);
  });
});

describe('failed orders of cloud servers', () => {
  it('continue with the next server type if a type is sold out, and use the ordered server if the answer is lost', async () => {
    const fixture = await testStage();
    const { master, cloud } = fixture;
    cloud.api.world.stock.sellOut('cpx12', 'nbg1');
    cloud.api.faults.add({ kind: 'answer lost', method: 'POST', path: /^\/servers$/ });
    await fixture.start();
    await master.call('templates.create', { id: 'lobby', config: LOBBY });
    await putJar(master, 'lobby');
    await fixture.waitForServices(2, 'RUNNING', 120_000);
    expect(cloud.api.everOrdered().map(({ type }) => type.name)).toEqual(['cpx22']);
  });

  it('pause further orders with a reason when the server limit of the account is reached', async () => {
    const fixture = await testStage();
    const { master, cloud } = fixture;
    cloud.api.world.limits.servers = 0;
    await fixture.start();
    await master.call('templates.create', { id: 'lobby', config: LOBBY });
    await putJar(master, 'lobby');
    const waiting = await waitFor(async () =>
      (await servicesOf(master)).find((service) => service.waiting?.reason === 'ORDERING_PAUSED'),
    );
    expect(waiting.waiting?.message).toMatch(/limit/i);
    const orders = cloud.api.requests.filter(({ method, path }) => method === 'POST' && path === '/servers');
    expect(orders.length).toBeLessThan(4);
  });
});
