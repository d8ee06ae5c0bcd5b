import { expect } from 'vitest';
import { Chain } from '#test/support/chain/chain.ts';
import { story } from '#test/support/chain/each-proxy.ts';
import { jvmsOf } from '#test/support/master/master-process.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Returns the proxies on which the master counts at least one player, sorted. */
async function usedGates(chain: Chain): Promise<string[]> {
  const proxies = (await chain.whereabouts()).map((line) => line.split(' ')[1] ?? '');
  return [...new Set(proxies)].sort();
}

/**
 * Waits until exactly `used` proxies with players and `empty` proxies without players run, all other proxies are
 * removed, and HAProxy uses the remaining proxies.
 */
async function settled(
  chain: Chain,
  counts: { readonly used: number; readonly empty: number },
): Promise<void> {
  await waitFor(
    async () => {
      const gates = await chain.services('gate');
      const states = gates.map(({ state }) => state);
      const of = (state: string): number => states.filter((one) => one === state).length;
      const { balancer } = await chain.master.call('wayIn.get', {});
      const open = balancer.entries.filter((entry) => entry.state === 'open').length;
      const isSettled = of('IN_USE') === counts.used && of('RUNNING') === counts.empty;
      if (isSettled && gates.length === open && gates.length === counts.used + counts.empty) return true;
      throw new Error(`${gates.map(({ id, state }) => `${id} ${state}`).join()}; ${open} open`);
    },
    { what: `${counts.used} proxies in use and ${counts.empty} empty`, timeoutMs: 60_000 },
  );
}

story(
  'players fill the first proxy, and join the spare proxy at once if the first proxy is killed',
  async (under) => {
    const gate = { minimumRunningServers: 1, maximumOnlineServers: -1, maxPlayers: 50 };
    const chain = await Chain.open(under, { ports: 28_850, limit: 200, proxies: 1, haproxy: true, gate });
    await chain.game('lobby', { isFallback: true, maxPlayers: 200 });
    await chain.ready();

    // Players join one by one. One proxy gets all players, and one proxy is spare.
    const counts: number[] = [];
    for (let player = 1; player <= 6; player += 1) {
      await chain.join(`One${player}`);
      await waitFor(async () => (await chain.online()) === player);
      await settled(chain, { used: 1, empty: 1 });
      counts.push((await chain.services('gate')).length);
    }
    expect(counts).toEqual([2, 2, 2, 2, 2, 2]);

    // The proxy with players is killed while no master runs, so the next player joins through the spare proxy.
    const [first] = await usedGates(chain);
    const [pid] = (await jvmsOf(chain.master.data)).get(first ?? '') ?? [];
    if (pid === undefined) throw new Error(`${first} has no process`);
    await chain.master.kill();
    process.kill(pid, 'SIGKILL');
    for (let player = 1; player <= 6; player += 1) await chain.join(`Two${player}`);
    await chain.master.start();
    await waitFor(async () => (await chain.online()) === 6);
    await settled(chain, { used: 1, empty: 1 });
    expect(await usedGates(chain)).not.toContain(first);

    // Players join as fast as possible: 100 players fill three proxies with 40 + 40 + 20, and one more proxy is
    // spare.
    for (let player = 7; player <= 100; player += 1) {
      await chain.join(`Two${player}`);
      expect((await chain.services('gate')).length).toBeLessThanOrEqual(4);
    }
    await waitFor(async () => (await chain.online()) === 100);
    await settled(chain, { used: 3, empty: 1 });
  },
  600_000,
);
