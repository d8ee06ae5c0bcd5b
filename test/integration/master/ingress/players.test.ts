import { stat } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { DEFAULT_KICK_MESSAGE } from '#shared/model/player.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { aSession, IngressFixture } from '#test/support/link/ingress-fixture.ts';

const [ANA, BO] = [aSession('ana', 'lobby-1'), aSession('bo', null)];

describe('players who join through proxies', () => {
  it('count once each, make their services IN_USE, and cause no events', async () => {
    const fixture = await IngressFixture.open(28_300);
    expect((await stat(fixture.fileOf('gate-1', 'plugins/overworld.jar'))).size).toBeGreaterThan(10_000);
    const gate = await fixture.link('gate-1', 'bungeecord');
    const backends = await gate.next('backends', ({ put }) => put.length > 0);
    const lobby = await fixture.service('lobby-1', ({ address }) => address !== null);
    expect(backends.put).toMatchObject([
      { id: 'lobby-1', template: 'lobby', ...lobby.address, fallback: true, permission: '', open: true },
    ]);
    await fixture.service('gate-1', ({ plugin }) => plugin?.state === 'linked');

    const before = performance.now();
    gate.send({ type: 'joined', player: ANA, beyond: false });
    gate.send({ type: 'joined', player: BO, beyond: false });
    await fixture.service('gate-1', ({ state, players }) => state === 'IN_USE' && players.online === 2);
    await fixture.service('lobby-1', ({ state, players }) => state === 'IN_USE' && players.online === 1);
    // The master sends the next status ping to a service with a plugin only after a minute.
    expect(performance.now() - before).toBeLessThan(15_000);
    expect(await fixture.online()).toBe(2);
    expect(await fixture.master.call('players.list', {})).toMatchObject({
      total: 2,
      limit: 100,
      players: [
        { name: 'ana', proxy: 'gate-1', server: 'lobby-1' },
        { name: 'bo', proxy: 'gate-1', server: null },
      ],
    });
    const told = await gate.latest('network', ({ online }) => online === 2);
    expect(told.limit).toBe(100);

    gate.send({ type: 'left', uuid: ANA.uuid });
    gate.send({ type: 'left', uuid: BO.uuid });
    await fixture.service('gate-1', ({ state }) => state === 'RUNNING');
    await fixture.service('lobby-1', ({ state }) => state === 'RUNNING');
    expect(await fixture.online()).toBe(0);
    const events = await fixture.master.call('activity.list', { limit: 200 });
    expect(events.filter(({ message }) => /ana|bo\b/.test(message))).toEqual([]);
    expect(await fixture.events(['service.plugin-linked'])).toMatchObject([{ subject: { id: 'gate-1' } }]);
  });

  it('can be kicked and sent to another server with the API', async () => {
    const fixture = await IngressFixture.open(28_320);
    const gate = await fixture.link('gate-1', 'bungeecord', [ANA, BO]);
    await waitFor(async () => (await fixture.online()) === 2);
    await fixture.master.call('players.send', { uuid: BO.uuid, service: 'lobby-1' });
    expect(await gate.next('send')).toMatchObject({ uuid: BO.uuid, server: 'lobby-1' });
    await expect(
      fixture.master.call('players.send', { uuid: BO.uuid, service: 'gate-1' }),
    ).rejects.toMatchObject({ code: 'SERVICE_NOT_JOINABLE' });
    await fixture.master.call('players.kick', { uuid: ANA.uuid, message: 'Good night' });
    expect(await gate.next('kick')).toMatchObject({ uuid: ANA.uuid, message: 'Good night' });
    await fixture.master.call('players.kick', { uuid: BO.uuid, message: '  ' });
    const toBo = await gate.next('kick', ({ uuid }) => uuid === BO.uuid);
    expect(toBo.message).toBe(DEFAULT_KICK_MESSAGE);
    // Simulate the answer of a proxy that the player has already left.
    gate.send({ type: 'left', uuid: ANA.uuid });
    await waitFor(async () => (await fixture.online()) === 1);
    await expect(fixture.master.call('players.kick', { uuid: ANA.uuid, message: '' })).rejects.toMatchObject({
      code: 'PLAYER_NOT_FOUND',
    });
    expect(await fixture.events(['player.kicked', 'player.sent'])).toMatchObject([
      { kind: 'player.kicked', subject: { type: 'player', id: 'bo' }, cause: 'requested by local' },
      { kind: 'player.kicked', subject: { type: 'player', id: 'ana' }, actor: 'local', cause: 'Good night' },
      { kind: 'player.sent', subject: { type: 'player', id: 'bo' }, actor: 'local' },
    ]);
  });

  it('are reported in one event if the player limit rejects several of them', async () => {
    const fixture = await IngressFixture.open(28_340);
    const gate = await fixture.link('gate-1', 'bungeecord');
    for (const name of ['cy', 'di', 'ed'])
      gate.send({ type: 'limit-reached', uuid: aSession(name, null).uuid, name, admitted: false });
    gate.send({ type: 'limit-reached', uuid: aSession('flo', null).uuid, name: 'flo', admitted: true });
    await waitFor(async () => (await fixture.events(['player.let-in'])).length === 1);
    expect(await fixture.events(['player.refused', 'player.let-in'])).toMatchObject([
      { kind: 'player.let-in', message: 'gate-1 admitted flo beyond the limit' },
      {
        kind: 'player.refused',
        message: 'gate-1 rejected cy: the network is full',
        cause:
          '0 players are online, max_online_players is 100; the other slots are reserved for joining players or by other proxies',
      },
    ]);
  });

  it('cause one event if their proxy claims more slots than it has', async () => {
    const fixture = await IngressFixture.open(28_360);
    const gate = await fixture.link('gate-1', 'bungeecord');
    const { seq } = await gate.next('allow', ({ allowance }) => allowance === 100);
    gate.send({ type: 'allowance', seq, allowance: 2_147_483_647, used: 0 });
    await waitFor(async () => (await fixture.events(['service.plugin-doubted'])).length === 1);
    expect(await fixture.events(['service.plugin-doubted'])).toMatchObject([
      {
        subject: { type: 'service', id: 'gate-1' },
        message: 'gate-1 reports that it may admit 2147483647 players, but it was granted at most 100 slots',
      },
    ]);
  });
});
