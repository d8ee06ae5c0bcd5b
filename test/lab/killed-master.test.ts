import { randomInt } from 'node:crypto';
import { expect, it } from 'vitest';
import { putJar, servicesOf, setConfig, SMALL } from '../support/master/network.ts';
import { waitFor } from '../support/wait-for.ts';
import { Killer } from './stage/killer.ts';
import { testStage } from './stage/stage.ts';
import { watchTwins } from './stage/twin-watch.ts';

/**
 * Minimum number of kills: a few for each commit, many in the nightly run. On a fast machine, one pass has some 20. On a
 * busy machine, a pass takes minutes and has only two or three.
 */
const KILLS = Number(process.env['OVERWORLD_KILLS'] ?? 6);

/** Maximum number of servers that may exist at the same time, including those being ordered or deleted. */
const MOST_SERVERS = 3;

it(`a master that is killed at least ${KILLS} times loses no change, runs no service twice, and forgets no server`, async () => {
  const fixture = await testStage();
  const { master, cloud } = fixture;
  await fixture.start();
  await master.call('templates.create', {
    id: 'lobby',
    config: { ...SMALL, minimumRunningServers: 0, killUnusedTooManyServersAfter: 1_000 },
  });
  await putJar(master, 'lobby');

  const killer = new Killer(master, async () => {
    const [template] = await master.call('templates.list', {});
    return template?.config.minimumRunningServers;
  });
  const twins = watchTwins(fixture);
  let mostServers = 0;
  const counting = cloud.api.world;
  const count = (): number => (mostServers = Math.max(mostServers, counting.living().length));

  /**
   * Repeats a request for this number of services until the master acknowledges the request. Then waits until the
   * services run. The master may be killed at any time.
   */
  const want = async (minimum: number): Promise<void> => {
    const [began, killsBefore] = [performance.now(), killer.kills];
    let seen = '';
    await killer.change(minimum, () => setConfig(master, 'lobby', { minimumRunningServers: minimum }));
    await waitFor(
      async () => {
        count();
        const services = await servicesOf(master);
        const running = await fixture.jvms();
        seen = `${services.map(({ id, state, node }) => `${id} ${state} ${node ?? '-'}`).join(', ')}; ${running.length} JVMs`;
        const up = services.filter(({ state }) => state === 'RUNNING');
        return up.length === minimum && running.length === minimum;
      },
      { timeoutMs: 180_000, what: `${minimum} services` },
    ).catch((error: unknown) => {
      // `seen` may be the answer of a master that had just started.
      throw new Error(`after ${killer.kills - killsBefore} kills: ${seen}`, { cause: error });
    });
    const seconds = ((performance.now() - began) / 1_000).toFixed(1);
    process.stderr.write(`${minimum} services after ${seconds} s and ${killer.kills - killsBefore} kills\n`);
  };

  const killing = killer.killAtRandom({ leastMs: 100, mostMs: 4_000, random: randomInt });
  do {
    for (const minimum of [2, 5, 1, 3]) await want(minimum);
    // The master also releases nodes: it deletes nodes that are not needed shortly before their paid hour ends.
    await want(0);
    await fixture.letHoursEnd(() => (count(), cloud.nodes.length === 0));
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
