import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { putJar, servicesOf, setConfig, SMALL } from '../support/network.ts';
import { waitFor } from '../support/wait-for.ts';
import { Killer } from './stage/killer.ts';
import { testStage } from './stage/stage.ts';
import { watchTwins } from './stage/twin-watch.ts';

/** At every change of the repository a few, at night many. */
const KILLS = Number(process.env['OVERWORLD_KILLS'] ?? 15);

/** What the rules may have on order, running and on its way out at the same time. */
const MOST_SERVERS = 3;

it(`a master killed at ${KILLS} random instants loses nothing, doubles nothing, and forgets nothing that costs`, async () => {
  const stage = await testStage();
  const { master, cloud } = stage;
  await stage.start();
  await master.call('templates.create', {
    id: 'lobby',
    config: { ...SMALL, minimumRunningServers: 0, killUnusedTooManyServersAfter: 1_000 },
  });
  await putJar(master, 'lobby');

  const killer = new Killer(master, async () => {
    const [template] = await master.call('templates.list', {});
    return template?.config.minimumRunningServers;
  });
  const twins = watchTwins(stage);
  let mostServers = 0;
  const counting = cloud.api.world;
  const count = (): number => (mostServers = Math.max(mostServers, counting.living().length));

  /** Says what is wanted until it is acknowledged, and waits for it, whatever happens to the master meanwhile. */
  const want = async (minimum: number): Promise<void> => {
    await killer.change(minimum, () => setConfig(master, 'lobby', { minimumRunningServers: minimum }));
    await waitFor(
      async () => {
        count();
        const up = (await servicesOf(master)).filter(({ state }) => state === 'RUNNING');
        const running = await stage.jvms();
        return up.length === minimum && running.length === minimum;
      },
      { timeoutMs: 180_000, what: `${minimum} services` },
    );
  };

  const killing = killer.killAtRandom({ leastMs: 100, mostMs: 4_000, random: randomInt });
  do {
    for (const minimum of [2, 5, 1, 3]) await want(minimum);
    // Machines come and go, too: an hour passes, and what is not needed is given back.
    await want(0);
    await stage.letHoursEnd(() => (count(), cloud.nodes.length === 0));
  } while (killer.kills < KILLS);
  killer.stop();
  await killing;

  const seenTwins = await twins.stop();
  const orders = cloud.api.everOrdered().length;
  process.stderr.write(
    `${killer.kills} kills: ${seenTwins.length} twins, ${killer.lost.length} lost changes, ${orders} orders, at most ${mostServers} servers at once\n`,
  );
  expect(seenTwins).toEqual([]);
  expect(killer.lost).toEqual([]);
  expect(mostServers).toBeLessThanOrEqual(MOST_SERVERS);
  await waitFor(() => counting.firewalls.size === 0, { timeoutMs: 60_000, what: 'the firewall deleted' });
  expect(cloud.api.servers()).toEqual([]);
  expect([...counting.primaryIps.values()]).toEqual([]);
  const names = cloud.api.everOrdered().map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
}, 1_800_000);
