import { expect } from 'vitest';
import { Chain, hears } from '#test/support/chain/chain.ts';
import { story } from '#test/support/chain/each-proxy.ts';
import { waitFor } from '#test/support/wait-for.ts';

story('through HAProxy each player is itself, and a proxy that stops takes nobody new', async (under) => {
  const chain = await Chain.open(under, { ports: 34_300, limit: 50, haproxy: true });
  await chain.game('lobby', { isFallback: true });
  await chain.ready();
  const { join } = await chain.master.call('wayIn.get', {});
  expect(join).toEqual([{ host: expect.any(String) as string, port: chain.haproxy?.port, via: 'balancer' }]);

  // The address that the player comes from, through HAProxy and proxy to the game server.
  const steve = await chain.join('Steve', { from: '127.0.0.77' });
  await waitFor(async () => /Steve\[\/127\.0\.0\.77:\d+\] logged in/.test(await chain.log('lobby-1')));
  // Spread over both: the one with fewer connections gets the next one.
  const others = [];
  for (const name of ['Alex', 'Kim', 'Sam']) others.push(await chain.join(name));
  await waitFor(async () => (await chain.whereabouts()).length === 4);
  const on = async (gate: string): Promise<number> =>
    (await chain.whereabouts()).filter((line) => line.includes(gate)).length;
  expect([await on('gate-1'), await on('gate-2')]).toEqual([2, 2]);

  // One of the proxies is to go: those on it stay until they leave, nobody new comes to it.
  await chain.set('gate', { minimumRunningServers: 1, killUnusedTooManyServersAfter: 0 });
  const gone = await waitFor(async () => {
    const { balancer } = await chain.master.call('wayIn.get', {});
    return balancer.entries.length;
  });
  expect(gone).toBeGreaterThanOrEqual(1);
  steve.chat('hello');
  for (const player of others) await hears(player, /<Steve> hello/);
});
