import { expect } from 'vitest';
import { Chain, hears } from '#test/support/chain/chain.ts';
import { story } from '#test/support/chain/each-proxy.ts';
import { jvmsOf } from '#test/support/master/master-process.ts';
import { waitFor } from '#test/support/wait-for.ts';

story(
  'players of a killed proxy are counted only for a few more seconds, and can join again',
  async (under) => {
    const chain = await Chain.open(under, { ports: 28_700, limit: 3 });
    await chain.game('lobby', { isFallback: true });
    await chain.ready();
    await chain.join('Alex', { proxy: 2 });
    await chain.join('Steve', { proxy: 1 });
    await chain.join('Kim', { proxy: 1 });
    await waitFor(async () => (await chain.online()) === 3);

    const [pid] = (await jvmsOf(chain.master.data)).get('gate-1') ?? [];
    if (pid === undefined) throw new Error('gate-1 has no process');
    process.kill(pid, 'SIGKILL');
    const killedAt = Date.now();
    await chain.sees('Alex gate-2 lobby-1');
    expect(Date.now() - killedAt).toBeLessThan(10_000);

    // The other proxy can immediately use the slots of the killed proxy's players. The limit has room for exactly
    // these players.
    await chain.joinSoon('Steve', { proxy: 2 });
    await chain.joinSoon('Kim', { proxy: 2 });
    await chain.sees('Alex gate-2 lobby-1', 'Steve gate-2 lobby-1', 'Kim gate-2 lobby-1');
    await expect(chain.join('Late', { proxy: 2 })).rejects.toThrow(under.refusal);
  },
);

story(
  'players can join and switch servers while the master is down, and it counts them after its restart',
  async (under) => {
    const silentAfterMs = 2_000;
    const times = { linkTiming: { heartbeatMs: 500, silentAfterMs } };
    const chain = await Chain.open(under, { ports: 28_750, limit: 6, times });
    await chain.game('lobby', { isFallback: true, count: 2 });
    await chain.ready();
    const ports = new Map<number, number>();
    for (const proxy of [1, 2]) ports.set(proxy, (await chain.service(`gate-${proxy}`)).address?.port ?? 0);
    const steve = await chain.join('Steve', { proxy: 1 });
    const alex = await chain.join('Alex', { proxy: 2 });
    await chain.sees('Steve gate-1 lobby-1', 'Alex gate-2 lobby-1');
    await chain.master.kill();

    // The outage is longer than the time after which the link treats the master as lost.
    const awayUntil = Date.now() + silentAfterMs + 1_000;
    steve.chat('anybody there?');
    await hears(alex, /<Steve> anybody there\?/);
    steve.chat('/server lobby-2');
    await waitFor(() => steve.arrivals === 2);
    await alex.leave();
    // Each proxy admits players only up to its own slots, so the total never exceeds the limit.
    const names = Array.from({ length: 10 }, (_, i) => `Guest${i}`);
    const joins = await Promise.allSettled(
      names.map((name, i) => chain.join(name, { port: ports.get(1 + (i % 2)) ?? 0 })),
    );
    const guests = joins.filter((join) => join.status === 'fulfilled').length;
    expect(guests).toBeGreaterThanOrEqual(1);
    expect(guests).toBeLessThanOrEqual(5);
    steve.chat('/server lobby-1');
    await waitFor(() => steve.arrivals === 3);
    await waitFor(() => Date.now() >= awayUntil);

    await chain.master.start();
    const counts = new Set<number | null>();
    const counted = async (): Promise<boolean> => {
      const { network } = await chain.master.call('services.list', {});
      counts.add(network.players);
      return network.players === guests + 1;
    };
    await waitFor(counted, { what: 'everybody to be counted' });
    expect([...counts].filter((count) => count !== null)).toEqual([guests + 1]);
    expect((await chain.whereabouts()).find((line) => line.startsWith('Steve'))).toBe('Steve gate-1 lobby-1');
    // The master distributes exactly the rest of the limit again.
    const late = Array.from({ length: 8 }, (_, i) => `Late${i}`);
    await chain.ready();
    const more = await Promise.allSettled(late.map((name, i) => chain.join(name, { proxy: 1 + (i % 2) })));
    expect(guests + 1 + more.filter((join) => join.status === 'fulfilled').length).toBe(6);
    await waitFor(async () => (await chain.online()) === 6);
  },
);
