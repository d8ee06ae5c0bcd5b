import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PluginLinkEvent } from '#master/link/link.ts';
import { backend, openLinkFixture, services, type LinkFixture } from '#test/support/link/link-fixture.ts';
import {
  playerNumber,
  startPluginDriver,
  type DrivenCore,
  type PluginDriver,
} from '#test/support/link/plugin-driver.ts';
import { waitFor } from '#test/support/wait-for.ts';

let driver: PluginDriver;
let fixture: LinkFixture;
const cores: DrivenCore[] = [];
beforeAll(async () => {
  driver = await startPluginDriver();
});
afterEach(async () => {
  await Promise.all(cores.splice(0).map((core) => core.ask('close')));
  await fixture.link.close();
});
afterAll(() => driver.close());

const lobbies = [
  backend('lobby-1', { fallback: true, maxPlayers: 100 }),
  backend('lobby-2', { fallback: true, maxPlayers: 100, permission: 'vip' }),
];

function tell(limit: number, ids: readonly string[] = ['proxy-1', 'proxy-2']): void {
  fixture.link.setNetwork({ limit, backends: lobbies, services: services(...ids, 'lobby-1', 'lobby-2') });
}

async function start(service: string, kind = 'practice'): Promise<DrivenCore> {
  const core = await driver.core(service, fixture.link.handOver(service), kind);
  cores.push(core);
  return core;
}

/** Creates the real master's side of the link, and two proxies that have received the list of game servers. */
async function twoProxies(limit: number): Promise<[DrivenCore, DrivenCore]> {
  fixture = await openLinkFixture();
  tell(limit);
  const pair: [DrivenCore, DrivenCore] = [await start('proxy-1'), await start('proxy-2')];
  for (const core of pair) await waitFor(async () => (await core.numbers()).servers.length === 2);
  return pair;
}

/**
 * Lets all players join at the same time, alternating between these proxies.
 *
 * @returns whether each player was admitted
 */
async function comeAll(proxies: readonly DrivenCore[], numbers: readonly number[]): Promise<boolean[]> {
  return Promise.all(
    numbers.map(async (number) => {
      const verdict = await proxies[number % proxies.length]?.come(playerNumber(number));
      return verdict?.allowed === true;
    }),
  );
}

const range = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const countOf = (verdicts: readonly boolean[]): number => verdicts.filter(Boolean).length;

describe('the core of the plugin, connected to a real master,', () => {
  it('admits exactly 5 of 8 players on two proxies with a limit of 5, and tells the others the reason', async () => {
    const pair = await twoProxies(5);
    const events: PluginLinkEvent[] = [];
    fixture.link.on((event) => events.push(event));
    expect(countOf(await comeAll(pair, range(8)))).toBe(5);
    await waitFor(() => fixture.link.online === 5 && fixture.link.playersOn('lobby-1') === 5);
    const reached = () => events.filter(({ kind }) => kind === 'limit-reached').length;
    await waitFor(() => reached() >= 3);
    expect(reached()).toBe(3);
    const shown = () => pair.flatMap((core) => core.happened({ event: 'limit' }));
    await waitFor(() => shown().length >= 3);
    expect(shown()).toHaveLength(3);
    for (const { text } of shown()) expect(text).toMatch(/^The network is full: 5 of 5 players are online\./);
  });

  it('admits a player above the limit if another plugin allows this, but no others until a slot is free', async () => {
    const pair = await twoProxies(5);
    await comeAll(pair, range(5));
    await pair[0].ask('limit', { policy: 'let-in' });
    expect(await comeAll(pair, [6])).toEqual([true]);
    await waitFor(() => fixture.link.online === 6);
    expect(await comeAll(pair, [7])).toEqual([false]);
    // One of six players leaves. The remaining five players are exactly at the limit.
    await pair[0].ask('leave', { uuid: playerNumber(0).uuid });
    await waitFor(() => fixture.link.online === 5);
    expect(await comeAll(pair, [9])).toEqual([false]);
    await pair[1].ask('leave', { uuid: playerNumber(1).uuid });
    await waitFor(() => fixture.link.online === 4);
    expect(await comeAll(pair, [11])).toEqual([true]);
  });

  it('gets free slots for the proxy through which players join', async () => {
    const pair = await twoProxies(20);
    expect(countOf(await comeAll([pair[0]], range(20)))).toBe(20);
    expect(await comeAll([pair[1]], [30])).toEqual([false]);
    for (const number of range(15)) await pair[0].ask('leave', { uuid: playerNumber(number).uuid });
    await waitFor(() => fixture.link.online === 5);
    expect(
      countOf(
        await comeAll(
          [pair[1]],
          range(20).map((number) => number + 40),
        ),
      ),
    ).toBe(15);
  });

  it('applies a new limit without disconnecting players', async () => {
    const pair = await twoProxies(3);
    expect(countOf(await comeAll(pair, range(5)))).toBe(3);
    tell(4);
    await waitFor(async () => (await pair[0].numbers()).limit === 4);
    expect(countOf(await comeAll(pair, [10, 11]))).toBe(1);
    tell(1);
    await waitFor(async () => (await pair[0].numbers()).limit === 1);
    expect(fixture.link.online).toBe(4);
    expect(countOf(await comeAll(pair, [12, 13]))).toBe(0);
  });

  it('admits players within the limit while the master is unreachable, and reports them later', async () => {
    const pair = await twoProxies(10);
    const [first, second] = pair;
    await comeAll(pair, range(4));
    await waitFor(() => fixture.link.online === 4);
    let joined = 0;
    await fixture.restart(async () => {
      const verdicts = await comeAll(
        pair,
        range(12).map((number) => number + 100),
      );
      joined = countOf(verdicts);
      await first.ask('grant', { uuid: playerNumber(0).uuid, permission: 'vip' });
      expect((await first.switch(playerNumber(0), 'lobby-2')).allowed).toBe(true);
      await second.ask('leave', { uuid: playerNumber(1).uuid });
    });
    // Each proxy has some slots. Their number depends on its last exchange with the master.
    expect(joined).toBeGreaterThan(0);
    expect(joined).toBeLessThanOrEqual(6);
    tell(10);
    const here = 3 + joined;
    await waitFor(() => fixture.link.state.plugins === 2 && fixture.link.players.length === here, {
      what: `${here} in the lists`,
    });
    expect(fixture.link.players.find(({ uuid }) => uuid === playerNumber(0).uuid)).toMatchObject({
      proxy: 'proxy-1',
      server: 'lobby-2',
    });
    expect(
      countOf(
        await comeAll(
          pair,
          range(10).map((number) => number + 200),
        ),
      ),
    ).toBe(10 - here);
    await waitFor(() => fixture.link.online === 10);
  });

  it('removes the players of a lost proxy, who can then join through another proxy', async () => {
    const pair = await twoProxies(4);
    const [first, second] = pair;
    expect(countOf(await comeAll(pair, range(4)))).toBe(4);
    await waitFor(() => fixture.link.online === 4);
    cores.splice(cores.indexOf(first), 1);
    await first.ask('close');
    tell(4, ['proxy-2']);
    expect(fixture.link.online).toBe(2);
    await waitFor(async () => (await second.come(playerNumber(0))).allowed, {
      what: 'the slot of the dead proxy',
    });
  });

  it("closes the older of two connections of a player with the admin's text, and counts the player once", async () => {
    const [first, second] = await twoProxies(4);
    await writeFile(
      join(first.folder, 'overworld-messages.properties'),
      'other-location=&cElsewhere\nfull=No\n',
    );
    await waitFor(async () => (await first.ask('text', { key: 'FULL', values: [] })) === 'No');
    await first.come(playerNumber(1));
    await waitFor(() => fixture.link.online === 1);
    await second.come(playerNumber(1));
    expect((await first.happens({ event: 'kick', whom: playerNumber(1).uuid })).text).toBe('§cElsewhere');
    await waitFor(() => fixture.link.online === 1);
    expect(fixture.link.players[0]?.proxy).toBe('proxy-2');
  });

  it('never exceeds the limit in random operations with many threads and interrupted connections', async () => {
    const limit = 17;
    fixture = await openLinkFixture();
    const ids = ['proxy-1', 'proxy-2', 'proxy-3'];
    tell(limit, ids);
    const proxies: DrivenCore[] = [];
    for (const id of ids) proxies.push(await start(id));
    // Reset the counter, which earlier tests may have raised.
    await driver.ask('most-at-once');
    let most = 0;
    for (let round = 0; round < 12; round++) {
      const stay = round % 3 === 2;
      const rushes = proxies.map((core, index) =>
        core.ask('rush', { players: 15, from: 1000 * index + 20 * round, stay }),
      );
      if (round % 4 === 3) {
        await fixture.restart();
        tell(limit, ids);
      }
      await Promise.all(rushes);
      // Highest number of players on all three proxies at the same moment since the last query.
      const now = Number(await driver.ask('most-at-once'));
      expect(now).toBeLessThanOrEqual(limit);
      most = Math.max(most, now);
      if (stay) for (const core of proxies) await core.ask('all-leave');
    }
    expect(most).toBe(limit);
    await waitFor(() => fixture.link.online === 0);
    expect(countOf(await comeAll(proxies, range(25)))).toBe(limit);
  });

  it('stops a service when a player enters the stop command', async () => {
    const [first] = await twoProxies(4);
    const asked: string[] = [];
    fixture.link.onStopService((service, by) => {
      asked.push(service);
      return Promise.resolve(`${service} is being stopped for ${by.name} of ${by.proxy}.`);
    });
    await first.ask('command', {
      name: 'Anna',
      permissions: ['overworld.command.stop'],
      arguments: ['stop', 'lobby-1'],
    });
    await first.happens({ event: 'says', text: 'lobby-1 is being stopped for Anna of proxy-1.' });
    expect(asked).toEqual(['lobby-1']);
  });

  it('reports players of a game server and whether it is in use, and gives network data to other plugins', async () => {
    fixture = await openLinkFixture();
    tell(10);
    const game = await start('lobby-2', 'bukkit');
    await game.ask('count', { online: 3, max: 20 });
    await game.ask('set-in-use', { inUse: true, why: 'a match is being set up' });
    await waitFor(() => {
      const { inUse = null, count = null } = fixture.link.reportOf('lobby-2') ?? {};
      return inUse !== null && count !== null;
    });
    expect(fixture.link.reportOf('lobby-2')).toMatchObject({
      plugin: { state: 'linked', platform: 'bukkit' },
      inUse: { why: 'a match is being set up' },
      count: { online: 3, max: 20 },
    });
    await waitFor(async () => ((await game.ask('api')) as { services: unknown[] }).services.length === 2);
    expect(await game.ask('api')).toEqual({
      ownService: 'lobby-2',
      services: ['lobby-1 (0 of 100)', 'lobby-2 (0 of 100)'],
      online: 0,
      limit: 10,
    });
    // After each reconnect, the plugin reports both values again, including a change during the master's outage.
    await fixture.restart(() => game.ask('set-in-use', { inUse: false, why: '' }).then(() => undefined));
    tell(10);
    await waitFor(() => fixture.link.reportOf('lobby-2')?.count?.online === 3);
    expect(fixture.link.reportOf('lobby-2')?.inUse ?? null).toBeNull();
  });

  it('stops all its threads and its API when it is closed', async () => {
    const pair = await twoProxies(4);
    await comeAll(pair, range(6));
    expect(await driver.ask('threads')).toEqual(
      expect.arrayContaining(['Overworld clock', 'Overworld link']),
    );
    for (const core of cores.splice(0)) await core.ask('close');
    await waitFor(async () => ((await driver.ask('threads')) as string[]).length === 0, {
      what: 'no threads of ours',
    });
    expect(await pair[0].ask('api')).toEqual({});
  });
});
