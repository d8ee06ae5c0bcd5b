import { expect } from 'vitest';
import { Chain, hears } from '#test/support/chain/chain.ts';
import { story } from '#test/support/chain/each-proxy.ts';
import { jvmsOf } from '#test/support/master/master-process.ts';
import { waitFor } from '#test/support/wait-for.ts';

story(
  'players can switch to permitted servers, and are moved to a fallback if their server is lost',
  async (under) => {
    const grants = { Vip: ['arena.join'] };
    const chain = await Chain.open(under, { ports: 28_600, limit: 50, proxies: 1, grants });
    await Promise.all([
      chain.game('lobby', { isFallback: true, count: 3 }),
      chain.game('arena', { joinPermission: 'arena.join' }),
    ]);
    await chain.ready();
    const steve = await chain.join('Steve');
    const vip = await chain.join('Vip', { version: under.newestVersion });
    // The fullest server is filled first, so both players are on the same server.
    await chain.sees('Steve gate-1 lobby-1', 'Vip gate-1 lobby-1');

    // The template's `joinPermission` applies to the player's own command and to an admin's.
    steve.chat('/server arena-1');
    await hears(steve, /not permitted to join arena-1/);
    vip.chat('/server arena-1');
    await chain.sees('Steve gate-1 lobby-1', 'Vip gate-1 arena-1');
    await waitFor(async () => (await chain.service('arena-1')).state === 'IN_USE');
    const { players } = await chain.master.call('players.list', {});
    const uuidOf = (name: string): string => players.find((player) => player.name === name)?.uuid ?? '';
    await chain.master.call('players.send', { uuid: uuidOf('Vip'), service: 'lobby-2' });
    await chain.sees('Steve gate-1 lobby-1', 'Vip gate-1 lobby-2');
    await waitFor(async () => (await chain.log('lobby-2')).includes('Vip joined the game'));

    // The game server kicks a player.
    await chain.command('lobby-2', 'kick Vip be nice');
    await hears(vip, /be nice/);
    await chain.sees('Steve gate-1 lobby-1', 'Vip gate-1 lobby-1');

    // A game server is killed.
    const [pid] = (await jvmsOf(chain.master.data)).get('lobby-1') ?? [];
    if (pid === undefined) throw new Error('lobby-1 has no process');
    process.kill(pid, 'SIGKILL');
    // The players of the killed server are moved to other servers, but not to a server that has just kicked them.
    await waitFor(async () =>
      /^Steve gate-1 lobby-[23],Vip gate-1 lobby-3$/.test((await chain.whereabouts()).join()),
    );
    await Promise.all([hears(steve, /lobby-1 was lost/), hears(vip, /lobby-1 was lost/)]);

    // An admin kicks a player.
    await chain.master.call('players.kick', { uuid: uuidOf('Vip'), message: 'enough for today' });
    expect(await vip.kicked).toContain('enough for today');
    await waitFor(async () => (await chain.whereabouts()).every((line) => line.startsWith('Steve')));
    // No player was lost: the status ping shows the same number as the master.
    await waitFor(async () => (await chain.service('gate-1')).players.online === 1);
  },
);

story(
  'a template with players is deleted after all players have switched to other servers',
  async (under) => {
    const chain = await Chain.open(under, { ports: 28_650, limit: 50, proxies: 1 });
    await chain.game('arena', { isFallback: true });
    await chain.ready();
    const steve = await chain.join('Steve');
    await chain.sees('Steve gate-1 arena-1');
    await chain.game('lobby', { isFallback: true });
    await chain.master.call('templates.delete', { id: 'arena', services: 'drain' });

    // The players of the drained server stay, and no other player is sent there.
    await waitFor(async () => {
      const alex = await chain.join('Alex');
      const place = await waitFor(async () =>
        (await chain.whereabouts()).find((line) => /^Alex.*-1$/.test(line)),
      );
      if (place === 'Alex gate-1 lobby-1') return true;
      await alex.leave();
      throw new Error(place);
    });
    await chain.sees('Steve gate-1 arena-1', 'Alex gate-1 lobby-1');
    steve.chat('/server lobby-1');
    await chain.sees('Steve gate-1 lobby-1', 'Alex gate-1 lobby-1');
    await waitFor(async () => (await chain.services('arena')).length === 0, {
      what: 'arena-1 to be stopped',
    });
    steve.chat('/server arena-1');
    steve.chat('still here');
    await hears(steve, /<Steve> still here/);
  },
);
