import { rm, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { PluginLinkEvent } from '#master/link/link.ts';
import { LinkClient } from '#test/support/link/link-client.ts';
import { LinkProxy } from '#test/support/link/link-proxy.ts';
import { openLinkFixture, services, type LinkFixture } from '#test/support/link/link-fixture.ts';
import { waitFor } from '#test/support/wait-for.ts';

let fixture: LinkFixture;

afterEach(() => fixture.link.close());

function tell(limit: number, ids: readonly string[]): void {
  fixture.link.setNetwork({ limit, backends: [], services: services(...ids) });
}

/** Creates the given number of proxies and connects them to the master. */
async function linkProxies(count: number, limit: number): Promise<LinkProxy[]> {
  const proxies = Array.from({ length: count }, (_, index) => new LinkProxy(`proxy-${index + 1}`));
  tell(
    limit,
    proxies.map(({ id }) => id),
  );
  for (const proxy of proxies) await proxy.link(fixture.link.handOver(proxy.id));
  return proxies;
}

const heldBy = (proxies: readonly LinkProxy[]): number => proxies.reduce((sum, { held }) => sum + held, 0);

async function joinAll(proxies: readonly LinkProxy[], players: number): Promise<number> {
  const joins = Array.from({ length: players }, async (_, index) => proxies[index % proxies.length]?.join());
  return (await Promise.all(joins)).filter((isIn) => isIn === true).length;
}

describe('the player limit of the network', () => {
  it.each([
    { proxies: 2, limit: 5, players: 8 },
    { proxies: 3, limit: 100, players: 400 },
    { proxies: 5, limit: 37, players: 500 },
    { proxies: 4, limit: 0, players: 20 },
    { proxies: 5, limit: 3, players: 50 },
  ])(
    'admits exactly $limit of $players players who join at the same time through $proxies proxies',
    async ({ proxies: count, limit, players }) => {
      fixture = await openLinkFixture();
      const proxies = await linkProxies(count, limit);
      expect(await joinAll(proxies, players)).toBe(Math.min(limit, players));
      await waitFor(() => fixture.link.online === limit);
      expect(heldBy(proxies)).toBeLessThanOrEqual(limit);
    },
  );

  it('is not changed by a proxy that claims too many slots, which is reported in one event', async () => {
    fixture = await openLinkFixture();
    const told: PluginLinkEvent[] = [];
    fixture.link.on((event) => {
      if (event.kind === 'doubted') told.push(event);
    });
    const [honest] = await linkProxies(1, 10);
    if (honest === undefined) throw new Error('no proxy');
    await waitFor(() => honest.held === 10);
    tell(10, ['proxy-1', 'proxy-2']);
    for (let count = 0; count < 2; count++) {
      const liar = await LinkClient.link({ ...fixture.link.handOver('proxy-2'), allowance: 2_147_483_647 });
      const { seq, allowance } = await liar.next('allow');
      expect(allowance).toBeLessThanOrEqual(10);
      // The proxy answers but does not comply, so the master sends the allowance again.
      liar.send({ type: 'allowance', seq, allowance: 2_147_483_647, used: 0 });
      await waitFor(() => liar.all('allow').length >= 2);
      liar.close();
    }
    tell(10, ['proxy-1']);
    expect(await joinAll([honest], 12)).toBe(10);
    expect(told).toMatchObject([{ kind: 'doubted', service: 'proxy-2' }]);
    expect(fixture.logged().match(/reports more slots/g)).toHaveLength(1);
  });

  it('can be used completely by one proxy if the other proxies have no players', async () => {
    fixture = await openLinkFixture();
    const [one, two, three] = await linkProxies(3, 30);
    if (one === undefined || two === undefined || three === undefined) throw new Error('no proxies');
    await waitFor(() => heldBy([one, two, three]) === 30);
    expect(await joinAll([two], 35)).toBe(30);
    // Wait until the master has counted all players. Otherwise, it might count 10 players too early, before it has
    // read all reports.
    await waitFor(() => fixture.link.online === 30);
    for (const uuid of [...two.sessions.keys()].slice(0, 20)) two.leave(uuid);
    await waitFor(() => fixture.link.online === 10);
    expect(await joinAll([three], 25)).toBe(20);
  });

  it('gives no slots to a game server whose template is marked as a proxy by mistake', async () => {
    fixture = await openLinkFixture();
    const proxy = new LinkProxy('proxy-1');
    tell(20, ['proxy-1', 'proxy-2']);
    const game = await LinkClient.link({ ...fixture.link.handOver('proxy-2'), platform: 'bukkit' });
    await proxy.link(fixture.link.handOver('proxy-1'));
    expect(await joinAll([proxy], 25)).toBe(20);
    expect(game.messages.filter(({ type }) => type === 'allow')).toEqual([]);
    game.send({ type: 'more', id: 1, wanted: 10 });
    await game.closed();
  });

  it('gives each proxy spare slots, so that the proxy can admit a player without asking the master', async () => {
    fixture = await openLinkFixture();
    const proxies = await linkProxies(2, 100);
    await waitFor(() => proxies.every(({ held }) => held === 50));
    const [busy] = proxies;
    if (busy === undefined) throw new Error('no proxy');
    for (let wave = 0; wave < 6; wave++) {
      expect(await joinAll([busy], 10)).toBe(10);
      await waitFor(() => busy.held - busy.taken >= 10, { what: 'slots to spare again' });
    }
    expect(
      busy.client?.messages.every((message) => message.type !== 'allow' || message.answers === null),
    ).toBe(true);
  });

  it('does not cause kicks when it is lowered, but prevents joins until enough players have left', async () => {
    fixture = await openLinkFixture();
    const proxies = await linkProxies(2, 10);
    expect(await joinAll(proxies, 10)).toBe(10);
    tell(6, ['proxy-1', 'proxy-2']);
    expect(await joinAll(proxies, 4)).toBe(0);
    expect(fixture.link.online).toBe(10);
    for (const proxy of proxies) for (const uuid of [...proxy.sessions.keys()].slice(0, 3)) proxy.leave(uuid);
    await waitFor(() => fixture.link.online === 4);
    // A request for slots may fail while slots are in transit to another proxy (docs/adr/0022).
    await waitFor(() => heldBy(proxies) === 6);
    expect(await joinAll(proxies, 5)).toBe(2);
    tell(9, ['proxy-1', 'proxy-2']);
    await waitFor(() => heldBy(proxies) === 9);
    expect(await joinAll(proxies, 5)).toBe(3);
  });

  /** Opens two proxies with a limit of 6. A plugin on the first one has let in 8 players. */
  async function twoBeyondLimit(): Promise<[LinkProxy, LinkProxy]> {
    fixture = await openLinkFixture();
    const [one, two] = await linkProxies(2, 6);
    if (one === undefined || two === undefined) throw new Error('no proxies');
    expect(await joinAll([one], 6)).toBe(6);
    one.enter({}, true);
    one.enter({}, true);
    await waitFor(() => fixture.link.online === 8);
    return [one, two];
  }

  it('leaves fewer slots for later players after a plugin has admitted too many players', async () => {
    const [one, two] = await twoBeyondLimit();
    for (const uuid of [...one.sessions.keys()].slice(0, 3)) one.leave(uuid);
    await waitFor(() => fixture.link.online === 5);
    expect(await joinAll([two, one], 4)).toBe(1);
  });

  it('counts players above the limit whom a plugin has admitted, even if their proxy is disconnected after a restart of the master', async () => {
    const [one, two] = await twoBeyondLimit();
    const stored = join(fixture.root, 'state', 'allowances.json');
    await waitFor(async () => /"proxy-1": 2\b/.test(await readFile(stored, 'utf8')));
    for (const proxy of [one, two]) proxy.unlink();
    await fixture.restart();
    fixture.link.setNetwork({
      ...{ limit: 9, backends: [] },
      services: services('proxy-1', 'proxy-2').map((service) => ({ ...service, pinged: 6 })),
    });
    await two.link(fixture.link.handOver('proxy-2'));
    expect(await joinAll([two], 3)).toBe(1);
    one.sessions.clear();
    await one.link(fixture.link.handOver('proxy-1'));
    await waitFor(() => fixture.link.online === 1);
    await waitFor(() => heldBy([one, two]) === 9);
    expect(await joinAll([one, two], 10)).toBe(8);
  });

  it('is not exceeded while a disconnected proxy admits players to its remaining slots', async () => {
    fixture = await openLinkFixture();
    const [one, two] = await linkProxies(2, 20);
    if (one === undefined || two === undefined) throw new Error('no proxies');
    await waitFor(() => one.held === 10 && two.held === 10);
    one.unlink();
    expect(await joinAll([two], 15)).toBe(10);
    expect(await joinAll([one], 15)).toBe(10);
    await one.link(fixture.link.handOver('proxy-1'));
    await waitFor(() => fixture.link.online === 20);
  });

  it('passes the slots of an exited proxy on to other proxies', async () => {
    fixture = await openLinkFixture();
    const [one, two] = await linkProxies(2, 20);
    if (one === undefined || two === undefined) throw new Error('no proxies');
    expect(await joinAll([one, two], 20)).toBe(20);
    one.unlink();
    expect(await joinAll([two], 3)).toBe(0);
    tell(20, ['proxy-2']);
    expect(fixture.link.online).toBe(10);
    expect(await joinAll([two], 15)).toBe(10);
  });

  it.each(['with its record of slots', 'without its record of slots', 'with an unreadable record of slots'])(
    'is not exceeded after a restart of the master %s',
    async (how) => {
      fixture = await openLinkFixture();
      const proxies = await linkProxies(3, 12);
      const [one, two, three] = proxies;
      if (one === undefined || two === undefined || three === undefined) throw new Error('no proxies');
      expect(await joinAll(proxies, 6)).toBe(6);
      const path = join(fixture.root, 'state', 'allowances.json');
      for (const proxy of proxies) proxy.unlink();
      await fixture.restart(async () => {
        expect(await readFile(path, 'utf8')).toContain('"proxy-1"');
        if (how === 'without its record of slots') await rm(path);
        if (how === 'with an unreadable record of slots') await writeFile(path, '{ "version": 1, "allow');
        // Players join through a proxy while the master is down.
        const away = await joinAll([one], 9);
        expect(away).toBe(one.held - 2);
      });
      tell(12, ['proxy-1', 'proxy-2', 'proxy-3']);
      // One proxy connects before the other proxies. The master must not assign their slots to it.
      await two.link(fixture.link.handOver('proxy-2'));
      await joinAll([two], 12);
      expect(heldBy(proxies)).toBeLessThanOrEqual(12);
      await one.link(fixture.link.handOver('proxy-1'));
      await three.link(fixture.link.handOver('proxy-3'));
      await joinAll(proxies, 12);
      expect(proxies.reduce((sum, { sessions }) => sum + sessions.size, 0)).toBe(12);
      await waitFor(() => fixture.link.online === 12);
    },
  );

  it('uses the status pings of a proxy to count its players if the proxy does not reconnect', async () => {
    fixture = await openLinkFixture({ timing: { tickMs: 20, presumeMs: 400 } });
    await fixture.restart();
    const proxy = new LinkProxy('proxy-1');
    fixture.link.setNetwork({
      ...{ limit: 10, backends: [] },
      services: [...services('proxy-1'), { id: 'proxy-2', isProxy: true, family: 'other', pinged: 4 }],
    });
    await proxy.link(fixture.link.handOver('proxy-1'));
    expect(await joinAll([proxy], 10)).toBe(0);
    await waitFor(() => proxy.held === 6);
    expect(await joinAll([proxy], 10)).toBe(6);
  });

  it('counts the players of a proxy that has not connected again, even if the master restarts again meanwhile', async () => {
    fixture = await openLinkFixture({ timing: { tickMs: 20, presumeMs: 400 } });
    const network = {
      ...{ limit: 10, backends: [] },
      services: [
        ...services('proxy-1'),
        { id: 'proxy-2', isProxy: true, family: 'other', pinged: 4 } as const,
      ],
    };
    await fixture.restart();
    fixture.link.setNetwork(network);
    const stored = join(fixture.root, 'state', 'allowances.json');
    await waitFor(async () => (await readFile(stored, 'utf8').catch(() => '')).includes('proxy-2'));
    await fixture.restart();
    fixture.link.setNetwork(network);
    const proxy = new LinkProxy('proxy-1');
    await proxy.link(fixture.link.handOver('proxy-1'));
    await waitFor(() => proxy.held === 6);
  });

  it('uses the status pings of a proxy without a plugin to count its players', async () => {
    fixture = await openLinkFixture();
    const proxy = new LinkProxy('proxy-1');
    fixture.link.setNetwork({
      ...{ limit: 10, backends: [] },
      services: [...services('proxy-1'), { id: 'proxy-2', isProxy: true, family: 'other', pinged: 4 }],
    });
    await proxy.link(fixture.link.handOver('proxy-1'));
    expect(await joinAll([proxy], 10)).toBe(6);
    expect(fixture.link.online).toBe(10);
  });
});
