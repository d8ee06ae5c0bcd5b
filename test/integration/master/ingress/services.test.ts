import { describe, expect, it } from 'vitest';
import { setConfig } from '#test/support/master/network.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { aSession, IngressFixture } from '#test/support/link/ingress-fixture.ts';

const ANA = aSession('ana', 'lobby-1');

describe('a service with a plugin', () => {
  it('is IN_USE and has players as the plugin reports', async () => {
    const fixture = await IngressFixture.open(28_360);
    const lobby = await fixture.link('lobby-1', 'bukkit');
    lobby.send({ type: 'in-use', inUse: true, why: 'a round is played' });
    await fixture.service('lobby-1', ({ state, unusedSince }) => state === 'IN_USE' && unusedSince === null);
    lobby.send({ type: 'count', online: 3, max: 7 });
    await fixture.service('lobby-1', ({ players }) => players.online === 3 && players.max === 7);
    lobby.send({ type: 'in-use', inUse: false, why: '' });
    lobby.send({ type: 'count', online: 0, max: 7 });
    await fixture.service('lobby-1', ({ state, players }) => state === 'RUNNING' && players.online === 0);
    const causes = (await fixture.events(['service.in-use'])).map(({ cause }) => cause);
    expect(causes).toEqual(['its plugin reports: a round is played']);
  });

  it('has as many player slots as the plugin reports, and the scaling rules use this number', async () => {
    const fixture = await IngressFixture.open(28_440);
    await setConfig(fixture.master, 'lobby', { startNewServiceAtTemplateCapacity: 80 });
    const lobby = await fixture.link('lobby-1', 'bukkit');
    // The service started with 20 slots. 80 of 80 players are 100 %. Two more services with 20 slots each bring the
    // utilisation below 80 %.
    lobby.send({ type: 'count', online: 80, max: 80 });
    await fixture.service('lobby-3', () => true);
    const [requested] = await fixture.events(['service.requested']);
    expect(requested?.cause).toContain('80 of 80 players, 100 % ≥ 80 %');
  });

  it('is closed to new players before it stops, even if a player requests the stop', async () => {
    const fixture = await IngressFixture.open(28_380);
    await allowInGameStop(fixture);
    const gate = await fixture.link('gate-1', 'bungeecord', [ANA]);
    await gate.next('backends', ({ put }) => put.some(({ id, open }) => id === 'lobby-1' && open));
    gate.send({ type: 'stop-service', id: 7, service: 'lobby-1', by: 'ana' });
    expect(await gate.next('answer')).toMatchObject({ id: 7, ok: true, text: 'lobby-1 is being stopped.' });
    await gate.next('backends', ({ gone }) => gone.includes('lobby-1'));
    const closedAt = gate.messages.findIndex(
      (message) =>
        message.type === 'backends' && message.put.some(({ id, open }) => id === 'lobby-1' && !open),
    );
    const goneAt = gate.messages.findIndex(
      (message) => message.type === 'backends' && message.gone.includes('lobby-1'),
    );
    expect(closedAt).toBeGreaterThanOrEqual(0);
    expect(closedAt).toBeLessThan(goneAt);
    const [stopping] = await fixture.events(['service.stopping']);
    // The player is only named by the proxy, so the actor of the event is the proxy.
    expect(stopping).toMatchObject({
      ...{ subject: { id: 'lobby-1' }, actor: 'proxy gate-1' },
      cause: 'gate-1 says that ana asked for it in game',
    });
    gate.send({ type: 'stop-service', id: 8, service: 'lobby-1', by: 'ana' });
    expect(await gate.next('answer', ({ id }) => id === 8)).toMatchObject({ ok: false });
  });

  it("can be stopped by a proxy only with an owner's permission, and only a few times per minute", async () => {
    const fixture = await IngressFixture.open(28_460);
    const gate = await fixture.link('gate-1', 'bungeecord', [ANA]);
    const ask = (id: number, service: string) => {
      gate.send({ type: 'stop-service', id, service, by: 'ana' });
      return gate.next('answer', (answer) => answer.id === id);
    };
    const refused = await ask(1, 'lobby-1');
    expect(refused).toMatchObject({
      ok: false,
      text: expect.stringContaining('access.in_game_stop') as string,
    });
    expect(await fixture.events(['service.stopping'])).toEqual([]);
    await allowInGameStop(fixture);
    for (let id = 2; id < 7; id++) expect((await ask(id, 'lobby-99')).text).toContain('lobby-99');
    const limited = await ask(7, 'lobby-1');
    expect(limited).toMatchObject({ ok: false, text: expect.stringContaining('within a minute') as string });
    expect(await fixture.events(['service.stopping'])).toEqual([]);
    await fixture.service('lobby-1', ({ state }) => state === 'RUNNING' || state === 'IN_USE');
  });

  it('does not show players of its previous process after a restart', async () => {
    const fixture = await IngressFixture.open(28_400);
    await fixture.link('gate-1', 'bungeecord', [ANA]);
    const before = await fixture.service('gate-1', ({ state }) => state === 'IN_USE');
    await fixture.master.call('services.restart', { id: 'gate-1', kill: true });
    const after = await fixture.service('gate-1', ({ pid }) => pid !== null && pid !== before.pid);
    expect(after.plugin).toBeNull();
    await waitFor(async () => (await fixture.master.call('players.list', {})).total === 0);
    await fixture.service('gate-1', ({ state }) => state === 'RUNNING');
    const again = await fixture.link('gate-1', 'bungeecord');
    await fixture.service('gate-1', ({ plugin }) => plugin?.state === 'linked');
    again.send({ type: 'joined', player: ANA, beyond: false });
    await fixture.service('gate-1', ({ players }) => players.online === 1);
  });

  it('is shown with its players soon after the master was killed and restarted', async () => {
    const fixture = await IngressFixture.open(28_420, { proxies: 2 });
    const bo = aSession('bo', null);
    await fixture.link('gate-1', 'bungeecord', [ANA]);
    const silent = await fixture.link('gate-2', 'bungeecord', [bo]);
    await waitFor(async () => (await fixture.online()) === 2);
    const lost = silent.closed();
    await fixture.master.kill();
    await lost;
    await fixture.master.start();
    await fixture.link('gate-1', 'bungeecord', [ANA]);
    await fixture.service('gate-1', ({ state, plugin }) => state === 'IN_USE' && plugin?.state === 'linked');
    // One of the two proxies has not reported its players yet, so the master returns no number.
    expect(await fixture.online()).toBeNull();
    expect(await fixture.master.call('players.list', {})).toMatchObject({
      total: null,
      players: [{ name: 'ana' }],
    });
    await fixture.link('gate-2', 'bungeecord', [bo]);
    await waitFor(async () => (await fixture.online()) === 2);
    await fixture.service('lobby-1', ({ state, players }) => state === 'IN_USE' && players.online === 1);
    await fixture.service('gate-2', ({ players }) => players.online === 1);
    await fixture.master.call('services.stop', { id: 'gate-2', kill: true });
    await waitFor(async () => (await fixture.online()) === 1);
    // A plugin that was linked before the master stopped causes no event when it links again.
    const [started] = await fixture.events(['master.started']);
    const linked = await fixture.events(['service.plugin-linked']);
    expect(linked.filter(({ seq }) => seq > (started?.seq ?? 0))).toEqual([]);
  });
});

/** Switches on the setting that allows proxies to stop services. */
async function allowInGameStop({ master }: IngressFixture): Promise<void> {
  const { config, configRevision: basedOn } = await master.call('config.get', {});
  await master.call('config.update', {
    config: { ...config, access: { ...config.access, in_game_stop: true } },
    basedOn,
  });
}
