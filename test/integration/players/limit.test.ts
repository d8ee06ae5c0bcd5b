import { expect } from 'vitest';
import { Chain } from '#test/support/chain/chain.ts';
import { story } from '#test/support/chain/each-proxy.ts';
import { waitFor } from '#test/support/wait-for.ts';

story('two proxies never exceed the player limit, even if players join at once', async (under) => {
  const chain = await Chain.open(under, { ports: 28_500, limit: 5, grants: { Vip: [under.beyondLimit] } });
  await chain.game('lobby', { isFallback: true });
  await chain.ready();

  const names = Array.from({ length: 8 }, (_, i) => `Player${i}`);
  // Both proxies get players with an old and with the newest version of Minecraft.
  const versionOf = (i: number): string => (i % 4 < 2 ? '1.8.8' : under.newestVersion);
  const joins = await Promise.allSettled(
    names.map((name, i) => chain.join(name, { proxy: 1 + (i % 2), version: versionOf(i) })),
  );
  const players = joins.flatMap((join) => (join.status === 'fulfilled' ? [join.value] : []));
  const refusals = joins.flatMap((join) =>
    join.status === 'rejected' ? [(join.reason as Error).message] : [],
  );
  expect(players).toHaveLength(5);
  for (const refusal of refusals) expect(refusal).toMatch(under.refusal);
  await waitFor(async () => (await chain.online()) === 5);

  // Another plugin admits a player beyond the limit. When a player leaves after that, no slot becomes free: the
  // master takes this slot from the proxy as soon as it gets the report.
  await chain.join('Vip', { proxy: 2, version: under.newestVersion });
  await waitFor(async () => (await chain.online()) === 6);
  await players[0]?.leave();
  await waitFor(async () => (await chain.online()) === 5);
  await waitFor(async () => (await chain.slotsGiven()) === 5);
  await expect(chain.join('Late', { version: under.newestVersion })).rejects.toThrow(under.refusal);

  // The limit is raised while people play. Both proxies admit the next player.
  await chain.setLimit(7);
  await chain.joinSoon('Next', { proxy: 1 });
  await chain.joinSoon('Another', { proxy: 2 });
  await waitFor(async () => (await chain.online()) === 7);
  await expect(chain.join('Late')).rejects.toThrow(under.refusal);

  // The limit is lowered. No player is disconnected, and no player is admitted until enough players have left.
  await chain.setLimit(3);
  await expect(chain.join('Late')).rejects.toThrow(under.refusal);
  const still = players.slice(1);
  await Promise.all(still.map((player) => player.leave()));
  await waitFor(async () => (await chain.online()) === 3);
  // The proxies receive the lowered limit a moment after it was stored.
  await waitFor(async () => (await chain.slotsGiven()) === 3, {
    what: 'slots beyond the limit to be given back',
  });
  await expect(chain.join('Late', { proxy: 2 })).rejects.toThrow(under.refusal);
  expect(await chain.whereabouts()).toHaveLength(3);
});

story('a player can use a free slot that was assigned to another proxy', async (under) => {
  const chain = await Chain.open(under, { ports: 28_550, limit: 4 });
  await chain.game('lobby', { isFallback: true });
  await chain.ready();
  // All players join through one proxy, although each proxy has only a part of the slots.
  const players = [];
  for (const name of ['A1', 'A2', 'A3', 'A4']) players.push(await chain.join(name, { proxy: 1 }));
  await expect(chain.join('B1', { proxy: 2 })).rejects.toThrow(under.refusal);
  await players[0]?.leave();
  await chain.joinSoon('B1', { proxy: 2 });
  await chain.sees('A2 gate-1 lobby-1', 'A3 gate-1 lobby-1', 'A4 gate-1 lobby-1', 'B1 gate-2 lobby-1');

  // The player joins again through another proxy. The newer connection stays.
  await chain.setLimit(5);
  await chain.joinSoon('A2', { proxy: 2 });
  await expect(players[1]?.kicked).resolves.toMatch(/./);
  await chain.sees('A2 gate-2 lobby-1', 'A3 gate-1 lobby-1', 'A4 gate-1 lobby-1', 'B1 gate-2 lobby-1');
});
