import { expect } from 'vitest';
import { Chain } from '#test/support/chain/chain.ts';
import { story } from '#test/support/chain/each-proxy.ts';
import { jvmsOf } from '#test/support/master/master-process.ts';
import { waitFor } from '#test/support/wait-for.ts';

story('a spare lobby is shown as in use as soon as it gets the players of a crashed lobby', async (under) => {
  const chain = await Chain.open(under, { ports: 28_900, limit: 50, proxies: 1 });
  await chain.game('lobby', { isFallback: true, maximumOnlineServers: -1 });
  await chain.ready();
  await chain.join('Steve');
  await chain.sees('Steve gate-1 lobby-1');
  const isReady = async (): Promise<boolean> => (await chain.service('lobby-2')).state === 'RUNNING';
  await waitFor(isReady, { what: 'the spare' });
  const [pid] = (await jvmsOf(chain.master.data)).get('lobby-1') ?? [];
  if (pid === undefined) throw new Error('lobby-1 has no process');

  process.kill(pid, 'SIGKILL');
  await chain.sees('Steve gate-1 lobby-2');
  const arrivedAt = performance.now();
  await waitFor(async () => (await chain.service('lobby-2')).state === 'IN_USE');
  // The master receives the proxy's report, and handles it in the next round, within a second. Busy machines take
  // longer.
  expect(performance.now() - arrivedAt).toBeLessThan(4_000);
  // A spare service is required again. It may be the crashed service after its restart.
  await waitFor(async () =>
    (await chain.services('lobby')).some(({ id, state }) => id !== 'lobby-2' && state !== 'IN_USE'),
  );
});

story('players join the spare lobby once the first has reached its fill level', async (under) => {
  const chain = await Chain.open(under, { ports: 28_950, limit: 50, proxies: 1 });
  await chain.game('lobby', { isFallback: true, maximumOnlineServers: -1, maxPlayers: 5 });
  await chain.ready();
  const lobbies = async (): Promise<string[]> =>
    (await chain.whereabouts()).map((line) => line.split(' ')[2] ?? '');
  await chain.join('One');
  await waitFor(async () => (await chain.service('lobby-2')).state === 'RUNNING');
  // A lobby counts as filled at 80 % of its 5 slots, which is 4 players.
  for (const name of ['Two', 'Three', 'Four', 'Five']) {
    const before = (await chain.whereabouts()).length;
    await chain.join(name);
    await waitFor(async () => (await lobbies()).filter((lobby) => lobby !== '-').length === before + 1);
  }
  expect((await lobbies()).sort()).toEqual(['lobby-1', 'lobby-1', 'lobby-1', 'lobby-1', 'lobby-2']);
});
