import { describe, expect, it } from 'vitest';
import { playerNumber } from '#test/support/link/plugin-driver.ts';
import { allow, PluginFixture } from '#test/support/link/plugin-fixture.ts';
import { backendOf } from '#test/support/master/scripted-master.ts';
import { waitFor } from '#test/support/wait-for.ts';

const fixture = new PluginFixture();
const [anna, ben, cleo] = [playerNumber(1), playerNumber(2), playerNumber(3)];

describe.concurrent('the core of the plugin, with a player limit,', () => {
  it('admits no players before its first connection to the master', async () => {
    const master = await fixture.newMaster();
    await master.close();
    const core = await fixture.coreOf(master);
    const [first, second] = [core.login(anna), core.login(ben)];
    expect(await first).toEqual({
      allowed: false,
      message: 'The network is starting. Please try again in a moment.',
    });
    expect((await second).allowed).toBe(false);
    expect(core.happened({ event: 'limit' })).toEqual([]);
    await core.ask('close');
  });

  it('lets players wait until it has connected to the master after its start', async () => {
    const master = await fixture.newMaster();
    await master.close();
    const core = await fixture.coreOf(master);
    const patient = core.login(cleo);
    // Open the master's port directly after the start of the plugin core. A login waits 5 s, and later pauses between
    // connection attempts would be longer.
    await master.listen();
    const link = await master.welcomed();
    await allow(link, { allowance: 1, answers: (await link.receive('more')).id });
    expect(await patient).toEqual({ allowed: true, message: '' });
    await core.ask('close');
  });

  it('admits players to its own slots without asking the master, and requests slots for further players', async () => {
    const { core, link } = await fixture.linked(1);
    expect(await core.come(anna)).toEqual({ allowed: true, message: '' });
    expect(link.all('more')).toEqual([]);
    const waiting = core.login(ben);
    const more = await link.receive('more');
    expect(more.wanted).toBe(1);
    expect(await allow(link, { allowance: 2, answers: more.id })).toEqual({ allowance: 2, used: 2 });
    expect(await waiting).toEqual({ allowed: true, message: '' });
    await core.ask('close');
  });

  it('refuses a player if the master has no free slots, unless another plugin admits the player', async () => {
    const { core, link } = await fixture.linked(1);
    await core.come(anna);
    // Four players are online. A fifth player has a slot, and is still logging in on another proxy.
    link.send({ type: 'network', online: 4, limit: 5 });
    const waiting = core.login(ben);
    await allow(link, { allowance: 1, answers: (await link.receive('more')).id });
    const message = 'The network is full: 5 of 5 players are online. Please try again later.';
    expect(await waiting).toEqual({ allowed: false, message });
    expect(await core.happens({ event: 'limit' })).toMatchObject({ whom: ben.name, text: message });
    expect(await link.receive('limit-reached')).toEqual({
      type: 'limit-reached',
      ...ben,
      admitted: false,
    });
    await core.ask('close');
  });

  it('reports at most 50 refused players per second to the master', async () => {
    const { core, link } = await fixture.linked(0);
    const players = 600;
    const begun = performance.now();
    let areRefused = false;
    const rush = core.ask('rush', { players, from: 0, stay: true }).then(() => (areRefused = true));
    for (let last = 0; ;) {
      const more = await waitFor(() => link.all('more').find(({ id }) => id > last) ?? areRefused);
      if (more === true) break;
      last = more.id;
      await allow(link, { allowance: 0, answers: last });
    }
    await rush;
    await waitFor(() => link.all('limit-reached').length >= 50);
    const seconds = Math.floor((performance.now() - begun) / 1_000);
    const reports = link.all('limit-reached').length;
    expect(reports).toBeLessThanOrEqual(50 * (seconds + 2));
    expect(reports).toBeLessThan(players);
    await core.ask('close');
  });

  it('admits a player above the limit if another plugin allows this, and reports it to the master', async () => {
    const { core, link } = await fixture.linked(1);
    await core.come(anna);
    await core.ask('limit', { policy: 'let-in' });
    const waiting = core.come(ben);
    await allow(link, { allowance: 1, answers: (await link.receive('more')).id });
    expect(await waiting).toEqual({ allowed: true, message: '' });
    expect((await link.receive('joined', ({ beyond }) => beyond)).player.name).toBe(ben.name);
    expect((await link.receive('limit-reached')).admitted).toBe(true);
    // Two players are online with one slot. Both must leave before another player can be admitted.
    expect(await allow(link, { allowance: 0 })).toEqual({ allowance: 1, used: 2 });
    await core.ask('leave', { uuid: ben.uuid });
    expect(await allow(link, { allowance: 2 })).toEqual({ allowance: 2, used: 1 });
    await core.ask('close');
  });

  it.each([
    ['fails', 'throw', /^The network is full/],
    ['has a message of its own', 'Come back at eight.', /^Come back at eight\.$/],
  ])('refuses a player if another plugin %s', async (_what, policy, message) => {
    const { core, link } = await fixture.linked(0);
    await core.ask('limit', { policy });
    const waiting = core.login(ben);
    await allow(link, { allowance: 0, answers: (await link.receive('more')).id });
    const verdict = await waiting;
    expect(verdict.allowed).toBe(false);
    expect(verdict.message).toMatch(message);
    await core.ask('close');
  });

  it('returns free slots to the master on request, but not slots in use', async () => {
    const { core, link } = await fixture.linked(3);
    await core.come(anna);
    await core.login(ben);
    expect(await allow(link, { allowance: 1 })).toEqual({ allowance: 2, used: 2 });
    await core.ask('login-ended', { uuid: ben.uuid });
    expect(await allow(link, { allowance: 0 })).toEqual({ allowance: 1, used: 1 });
    expect(await allow(link, { allowance: 9 })).toEqual({ allowance: 9, used: 1 });
    expect(await allow(link, { allowance: 4 })).toEqual({ allowance: 4, used: 1 });
    await core.ask('close');
  });

  it('requests the slots for all waiting players together', async () => {
    const { core, link } = await fixture.linked(0);
    const first = core.login(anna);
    const more = await link.receive('more');
    const later = [core.login(ben), core.login(cleo)];
    // The core executes commands in order. So after this command, both players wait for the first response.
    await core.numbers();
    expect(await allow(link, { allowance: 1, answers: more.id })).toEqual({ allowance: 1, used: 1 });
    expect((await first).allowed).toBe(true);
    const next = await link.receive('more', ({ id }) => id !== more.id);
    expect(next.wanted).toBe(2);
    await allow(link, { allowance: 2, answers: next.id });
    const verdicts = await Promise.all(later);
    expect(verdicts.map(({ allowed }) => allowed).sort()).toEqual([false, true]);
    await core.ask('close');
  });

  it('gives a free slot to the player who has waited longest', async () => {
    const { core } = await fixture.linked(1);
    await core.come(anna);
    const waiting = core.login(ben);
    await core.ask('leave', { uuid: anna.uuid });
    expect((await waiting).allowed).toBe(true);
    await core.ask('close');
  });

  it('gives the slot of a player who has disconnected to the next waiting player, and keeps the new login of this player waiting', async () => {
    const { core } = await fixture.linked(1);
    await core.come(anna);
    const [old, other, again] = [core.login(ben), core.login(cleo), core.login(ben)];
    await core.ask('leave', { uuid: anna.uuid });
    expect((await old).allowed).toBe(true);
    await core.ask('login-ended', { uuid: ben.uuid });
    expect((await other).allowed).toBe(true);
    await core.ask('login-ended', { uuid: cleo.uuid });
    expect(await again).toEqual({ allowed: true, message: '' });
    await core.ask('close');
  });

  it('counts a player only once if the player reconnects before the old connection is closed', async () => {
    const { core, link } = await fixture.linked(1);
    await core.come(anna);
    expect((await core.login(anna)).allowed).toBe(true);
    await core.ask('leave', { uuid: anna.uuid });
    await core.join(anna);
    expect(await allow(link, { allowance: 1 })).toEqual({ allowance: 1, used: 1 });
    await core.ask('close');
  });

  it('admits players to its own slots, and lets players switch servers, while the master is unreachable', async () => {
    const { core, master, link } = await fixture.linked(2, [
      backendOf('lobby-1'),
      backendOf('game-1', { fallback: false }),
    ]);
    await core.come(anna);
    await link.receive('switched', ({ server }) => server === 'lobby-1');
    await master.close();
    await link.closed;
    expect((await core.come(ben)).allowed).toBe(true);
    expect((await core.switch(ben, 'game-1')).allowed).toBe(true);
    const begun = performance.now();
    expect(await core.login(cleo)).toEqual({
      allowed: false,
      message: 'The network cannot accept more players at this moment. Please try again in a minute.',
    });
    expect(performance.now() - begun).toBeGreaterThan(4_500);
    await core.ask('leave', { uuid: anna.uuid });
    expect((await core.login(cleo)).allowed).toBe(true);

    await master.listen();
    const again = await master.welcomed(1);
    expect(again.all('hello')[0]?.allowance).toBe(2);
    const list = await again.receive('players', ({ done }) => done);
    expect(list.players).toMatchObject([{ ...ben, server: 'game-1' }]);
    expect(again.all('players')).toHaveLength(1);
    await core.ask('close');
  });

  it('admits no players after the master has rejected the proxy because its service was removed', async () => {
    const { core, master, link } = await fixture.linked(2);
    await core.come(anna);
    link.cut();
    const again = await master.connection(1);
    again.send({ type: 'refused', why: 'token', message: 'proxy-1 is no longer a service of this network.' });
    await core.happens({
      event: 'log',
      text: 'The master rejects this server: proxy-1 is no longer a service of this network.',
    });
    expect((await core.login(ben)).allowed).toBe(false);
    await core.ask('close');
  });

  it('admits waiting players after a reconnect to the master', async () => {
    const { core, master, link } = await fixture.linked(0);
    link.cut();
    const waiting = core.login(anna);
    const again = await master.welcomed(1);
    const more = await again.receive('more');
    await allow(again, { allowance: 1, answers: more.id });
    expect((await waiting).allowed).toBe(true);
    await core.ask('close');
  });

  it('frees the slot of a player whose login does not complete', async () => {
    const { core, link } = await fixture.linked(1);
    expect((await core.login(anna)).allowed).toBe(true);
    await waitFor(async () => (await core.login(ben)).allowed, {
      what: 'the slot to be free',
    });
    expect(await allow(link, { allowance: 0 })).toEqual({ allowance: 1, used: 1 });
    await core.ask('close');
  });
});
