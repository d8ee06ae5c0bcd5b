import { expect } from 'vitest';
import { Chain, hears } from '#test/support/chain/chain.ts';
import { story } from '#test/support/chain/each-proxy.ts';
import type { Player } from '#test/support/players/player.ts';
import { waitFor } from '#test/support/wait-for.ts';

story(
  'players keep their IP address through HAProxy, and no new players are sent to a stopping proxy',
  async (under) => {
    const chain = await Chain.open(under, { ports: 28_800, limit: 50, haproxy: true });
    await chain.game('lobby', { isFallback: true });
    await chain.ready();
    const { join } = await chain.master.call('wayIn.get', {});
    expect(join).toEqual([
      { host: expect.any(String) as string, port: chain.haproxy?.port, via: 'balancer' },
    ]);

    // The player's real IP address is passed through HAProxy and the proxy to the game server.
    const steve = await chain.join('Steve', { from: '127.0.0.77' });
    await waitFor(async () => /Steve\[\/127\.0\.0\.77:\d+\] logged in/.test(await chain.log('lobby-1')));
    // All players join through one proxy, which has enough room. The other proxy stays empty, and can take over.
    const others = [];
    for (const name of ['Alex', 'Kim', 'Sam']) others.push(await chain.join(name));
    await waitFor(async () => (await chain.whereabouts()).length === 4);
    const used = new Set((await chain.whereabouts()).map((line) => line.split(' ')[1] ?? ''));
    expect(used.size).toBe(1);
    const [gate = ''] = used;

    // HAProxy is informed before the proxy stops, so that players who join during the stop are not lost.
    const leaving = (await chain.whereabouts()).filter((line) => line.includes(gate));
    const stopped = chain.master.call('services.stop', { id: gate, kill: false });
    const isGone = async (): Promise<boolean> =>
      (await chain.services('gate')).every(({ id }) => id !== gate);
    const guests: Player[] = [];
    // Let players join, but not more than the game server has room for.
    while (guests.length < 12 && !(await isGone())) guests.push(await chain.join(`Guest${guests.length}`));
    await waitFor(isGone);
    await stopped;
    expect(guests.length).toBeGreaterThanOrEqual(1);
    // The proxy's players reconnect immediately through another proxy.
    const all = [steve, ...others, ...guests];
    await waitFor(() => all.filter((player) => player.isGone).length >= leaving.length);
    const lost = all.filter((player) => player.isGone);
    for (const player of lost) await chain.join(player.username);
    await waitFor(async () => (await chain.online()) === all.length, { what: 'everybody to be back' });
    const stayed = all.filter((player) => !lost.includes(player));
    stayed[0]?.chat('hello');
    for (const player of stayed) await hears(player, /> hello/);
  },
);
