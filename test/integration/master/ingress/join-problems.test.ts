import { describe, expect, it } from 'vitest';
import { waitFor } from '#test/support/wait-for.ts';
import { aSession, IngressFixture } from '#test/support/link/ingress-fixture.ts';

describe('the problems that prevent players from joining', () => {
  it('change with the proxies, fallbacks and the player limit of a running network', async () => {
    const fixture = await IngressFixture.open(28_380);
    const found = async () =>
      (await fixture.master.call('wayIn.get', {})).problems.map(({ reason, fix, template }) => ({
        ...{ reason, fix, template },
      }));
    const become = async (...want: readonly object[]) => {
      await waitFor(async () => JSON.stringify(await found()) === JSON.stringify(want));
    };
    const gate = await fixture.link('gate-1', 'bungeecord');
    await fixture.service('lobby-1', ({ state }) => state === 'RUNNING');
    await become();

    const { config, configRevision } = await fixture.master.call('config.get', {});
    await fixture.master.call('config.update', {
      config: { ...config, max_online_players: 1 },
      basedOn: configRevision,
    });
    gate.send({ type: 'joined', player: aSession('ana', null), beyond: false });
    await become({ reason: 'NETWORK_FULL', fix: 'raise-limit', template: null });
    gate.send({ type: 'left', uuid: aSession('ana', null).uuid });
    await become();

    const lobby = (await fixture.master.call('templates.list', {})).find(({ id }) => id === 'lobby');
    if (lobby === undefined) throw new Error('no template lobby');
    await fixture.master.call('templates.update', {
      id: 'lobby',
      config: { ...lobby.config, isFallback: false },
      basedOn: lobby.configRevision,
    });
    await become({ reason: 'NO_FALLBACK_TEMPLATE', fix: 'make-fallback', template: 'lobby' });
  });

  it('name the template to start when the last fallback is stopped', async () => {
    const fixture = await IngressFixture.open(28_400);
    await fixture.link('gate-1', 'bungeecord');
    const lobby = (await fixture.master.call('templates.list', {})).find(({ id }) => id === 'lobby');
    if (lobby === undefined) throw new Error('no template lobby');
    await fixture.master.call('templates.update', {
      id: 'lobby',
      config: { ...lobby.config, minimumRunningServers: 0 },
      basedOn: lobby.configRevision,
    });
    await fixture.master.call('services.stop', { id: 'lobby-1', kill: true });
    await waitFor(async () => {
      const [problem] = (await fixture.master.call('wayIn.get', {})).problems;
      return problem?.reason === 'NO_FALLBACK' && problem.fix === 'start-service';
    });
    const [problem] = (await fixture.master.call('wayIn.get', {})).problems;
    expect(problem?.message).toBe(
      'Players who join have no service to go to: no fallback is running. Start a service of template lobby.',
    );
  });
});
