import { expect } from 'vitest';
import { bukkitServerJar } from '#test/support/players/bukkit-server.ts';
import { Chain } from '#test/support/chain/chain.ts';
import { story } from '#test/support/chain/each-proxy.ts';
import { waitFor } from '#test/support/wait-for.ts';

story('a game server with the Bukkit plugin reports its players to the master', async (under) => {
  const chain = await Chain.open(under, { ports: 28_200, limit: 10, proxies: 1 });
  await chain.game('lobby', { isFallback: true, jar: await bukkitServerJar() });
  await chain.ready();
  await waitFor(async () => (await chain.service('lobby-1')).plugin?.state === 'linked');
  expect(await chain.service('lobby-1')).toMatchObject({
    state: 'RUNNING',
    plugin: { state: 'linked', platform: 'bukkit', software: 'CraftBukkit practice' },
    players: { online: 0, max: 20 },
  });
  const has = (online: number, state: string, max = 20) =>
    waitFor(
      async () => {
        const service = await chain.service('lobby-1');
        if (service.state === state && service.players.online === online && service.players.max === max)
          return true;
        throw new Error(JSON.stringify(service));
      },
      { what: `lobby-1 to be ${state} with ${online} of ${max}` },
    );

  const steve = await chain.join('Steve');
  await chain.sees('Steve gate-1 lobby-1');
  await has(1, 'IN_USE');
  await chain.command('lobby-1', 'max-players 7');
  await has(1, 'IN_USE', 7);

  // The server keeps running without a master, and its players stay. The next master receives the changes.
  await chain.master.kill();
  await steve.leave();
  await chain.master.start();
  await has(0, 'RUNNING', 7);
  await waitFor(async () => (await chain.service('lobby-1')).plugin?.state === 'linked');

  await chain.set('lobby', { minimumRunningServers: 0 });
  await chain.master.call('services.stop', { id: 'lobby-1', kill: false });
  await waitFor(async () => (await chain.services('lobby')).length === 0);
  const log = await chain.log('lobby-1');
  expect(log).toMatch(/Enabling Overworld v[\s\S]*Disabling Overworld v/);
  expect(log).not.toMatch(/Asynchronous|ERROR|Exception/);
});
