import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { playerNumber } from '#test/support/link/plugin-driver.ts';
import { allow, PluginFixture } from '#test/support/link/plugin-fixture.ts';
import { backendOf } from '#test/support/master/scripted-master.ts';
import { waitFor } from '#test/support/wait-for.ts';

const fixture = new PluginFixture();
const [anna, ben, cleo] = [playerNumber(1), playerNumber(2), playerNumber(3)];

describe.concurrent("the players in the plugin's core", () => {
  it('are reported when they join, switch servers and leave, without names of servers of other networks', async () => {
    const { core, link } = await fixture.linked(2, [
      backendOf('lobby-1'),
      backendOf('game-1', { fallback: false }),
    ]);
    const before = Date.now();
    await core.come({ ...anna, name: 'Ann a\u0000\u{1f600}' });
    const { player } = await link.receive('joined');
    expect(player).toMatchObject({ uuid: anna.uuid, name: 'Ann_a__', server: null });
    expect(player.since).toBeGreaterThanOrEqual(before);
    await core.switch(anna, 'game-1');
    await core.switch(anna, 'the-admins-own');
    await core.ask('leave', { uuid: anna.uuid });
    await link.receive('left');
    expect(link.all('switched').map(({ server }) => server)).toEqual(['lobby-1', 'game-1', null]);
    await core.ask('close');
  });

  it('are reported correctly even if the plugin has missed events of the proxy', async () => {
    const { core, link } = await fixture.linked(1, [backendOf('lobby-1')]);
    await core.come(anna);
    await core.ask('vanish', { uuid: anna.uuid });
    expect((await link.receive('left')).uuid).toBe(anna.uuid);
    await core.ask('appear', { ...ben });
    expect((await link.receive('joined', (message) => message.player.uuid === ben.uuid)).beyond).toBe(false);
    // The limit is one player, and this is the second player.
    await core.ask('appear', { ...cleo });
    expect((await core.happens({ event: 'kick' })).whom).toBe(cleo.uuid);
    await core.ask('close');
  });

  it('stay online if the proxy reports the end of an old connection after the account has joined again', async () => {
    const { core, link } = await fixture.linked(2);
    await core.ask('appear', { ...anna });
    await core.ask('connected', { ...anna, connection: 'old' });
    await core.ask('connected', { ...anna, connection: 'new' });
    await core.ask('disconnected', { ...anna, connection: 'old' });
    expect(await allow(link, { allowance: 2 })).toEqual({ allowance: 2, used: 1 });
    expect(link.all('joined')).toHaveLength(1);
    expect(link.all('left')).toEqual([]);
    await core.ask('disconnected', { ...anna, connection: 'new' });
    expect((await link.receive('left')).uuid).toBe(anna.uuid);
    await core.ask('close');
  });

  it.each([
    ['who have just joined are told nothing until no server is left', ['failed lobby-1'], /^$/, /whitelist/],
    [
      'are told the reason of a kick',
      ['lost arena-1 the match is over'],
      /moved from arena-1 to lobby-9:.*the match is over/,
      /^the match is over$/,
    ],
    [
      'are told the reason of a kick even if they could not enter a fallback after that',
      ['lost arena-1 the match is over', 'failed lobby-1'],
      /moved from arena-1 to lobby-9:.*the match is over/,
      /^the match is over$/,
    ],
    [
      'are told about a crash even if they could not enter a fallback after that',
      ['lost arena-1', 'failed lobby-1'],
      /arena-1 was lost; you are now on lobby-9/,
      /arena-1 was lost, and there is no other server/,
    ],
    [
      'are told about the crash of the server that they lost last',
      ['lost arena-1 the match is over', 'lost arena-2'],
      /arena-2 was lost; you are now on lobby-9/,
      /arena-2 was lost, and there is no other server/,
    ],
  ])('%s', async (...[, steps, moved, noServer]) => {
    const core = await fixture.coreOf(await fixture.newMaster());
    const texts = (await core.ask('move-texts', { steps })) as { moved: string | null; noServer: string };
    expect(texts.moved ?? '').toMatch(moved);
    expect(texts.noServer).toMatch(noServer);
    await core.ask('close');
  });

  it('can be kicked by the master, and sent to servers that they may enter', async () => {
    const { core, link } = await fixture.linked(2, [
      backendOf('lobby-1'),
      backendOf('vip-1', { fallback: false, permission: 'network.vip' }),
    ]);
    await core.come(anna);
    link.send({ type: 'send', uuid: anna.uuid, server: 'vip-1' });
    await core.happens({ event: 'connect', text: 'You are not permitted to join vip-1.' });
    await core.ask('grant', { uuid: anna.uuid, permission: 'network.vip' });
    link.send({ type: 'send', uuid: anna.uuid, server: 'vip-1' });
    await link.receive('switched', ({ server }) => server === 'vip-1');
    link.send({ type: 'kick', uuid: anna.uuid, message: 'Bye.' });
    expect((await core.happens({ event: 'kick' })).text).toBe('Bye.');
    await link.receive('left');
    await core.ask('close');
  });

  it('are reported in several messages if there are many', async () => {
    const { core, link, master } = await fixture.linked(600);
    for (let number = 1; number <= 600; number++) void core.ask('appear', { ...playerNumber(number) });
    await waitFor(() => link.all('joined').length === 600, { what: 'all to be seen' });
    link.cut();
    const again = await master.welcomed(1);
    await again.receive('players', ({ done }) => done);
    const parts = again.all('players');
    expect(parts.map(({ done }) => done)).toEqual([false, false, true]);
    expect(new Set(parts.flatMap(({ players }) => players.map(({ uuid }) => uuid))).size).toBe(600);
    await core.ask('close');
  });
});

describe.concurrent("the game servers in the plugin's core", () => {
  it('are registered, changed and removed as soon as the list of the master is complete', async () => {
    const { core, link, master } = await fixture.linked(1, [backendOf('lobby-1'), backendOf('game-1')]);
    expect((await core.numbers()).servers).toEqual(['game-1', 'lobby-1']);
    link.send({
      type: 'backends',
      reset: false,
      put: [backendOf('lobby-1', { port: 25_777 })],
      gone: ['game-1'],
      done: true,
    });
    await core.happens({ event: 'register', whom: 'lobby-1', text: '127.0.0.1:25777' });
    await core.happens({ event: 'unregister', whom: 'game-1' });
    link.send({ type: 'backends', reset: true, put: [backendOf('lobby-2')], gone: [], done: false });
    link.cut();
    const again = await master.welcomed(1);
    again.send({ type: 'backends', reset: true, put: [backendOf('lobby-3')], gone: [], done: false });
    again.send({
      type: 'backends',
      reset: false,
      put: [backendOf('lobby-1', { port: 25_777 })],
      gone: [],
      done: true,
    });
    await core.happens({ event: 'register', whom: 'lobby-3' });
    expect((await core.numbers()).servers).toEqual(['lobby-1', 'lobby-3']);
    expect(core.happened({ event: 'register', whom: 'lobby-1' })).toHaveLength(2);
    expect(core.happened({ event: 'register', whom: 'lobby-2' })).toEqual([]);
    await core.ask('close');
  });

  it('get no more players than they have slots while other players are joining', async () => {
    const { core } = await fixture.linked(5, [
      backendOf('lobby-1', { players: 9, maxPlayers: 10 }),
      backendOf('lobby-2'),
    ]);
    await core.login(anna);
    await core.login(ben);
    expect([await core.join(anna), await core.join(ben)]).toEqual(['lobby-1', 'lobby-2']);
    // A player who disconnects while joining frees the slot for the next player.
    await core.ask('leave', { uuid: anna.uuid });
    await core.login(cleo);
    expect(await core.join(cleo)).toBe('lobby-1');
    await core.ask('close');
  });

  it('get the players of a lost server, except players who were moved before', async () => {
    const { core } = await fixture.linked(5, [backendOf('lobby-1'), backendOf('lobby-2')]);
    await core.come(anna);
    expect(await core.kicked(anna, 'lobby-1')).toBe('lobby-2');
    expect(await core.kicked(anna, 'lobby-2')).toBeNull();
    await core.ask('close');
  });

  it('refuse players without permission, and refuse all players while they are closing', async () => {
    const { core } = await fixture.linked(5, [
      backendOf('lobby-1'),
      backendOf('vip-1', { permission: 'network.vip', players: 15 }),
      backendOf('old-1', { open: false }),
    ]);
    await core.come(anna);
    expect(await core.ask('where', { uuid: anna.uuid })).toBe('lobby-1');
    expect(await core.switch(anna, 'vip-1')).toEqual({
      allowed: false,
      message: 'You are not permitted to join vip-1.',
    });
    expect(await core.switch(anna, 'old-1')).toEqual({
      allowed: false,
      message: 'old-1 accepts no more players.',
    });
    expect(await core.ask('where', { uuid: anna.uuid })).toBe('lobby-1');
    await core.ask('grant', { uuid: anna.uuid, permission: 'network.vip' });
    expect(await core.switch(anna, 'vip-1')).toEqual({ allowed: true, message: '' });
    await core.ask('grant', { uuid: ben.uuid, permission: 'network.vip' });
    await core.login(ben);
    expect(await core.join(ben)).toBe('vip-1');
    await core.ask('close');
  });
});

describe.concurrent("a server in the proxy's own configuration", () => {
  it.each([
    ['the same address', '127.0.0.2'],
    ["another address of the proxy's machine", 'localhost'],
  ])('is a server of this network if it has %s and its port', async (_what, host) => {
    const { core } = await fixture.linked(5, [
      backendOf('lobby-1'),
      backendOf('vip-1', { host: '127.0.0.2', port: 25_601, permission: 'network.vip' }),
      backendOf('old-1', { host: '127.0.0.2', port: 25_602, open: false }),
    ]);
    await core.ask('configure', { server: 'vip', host, port: 25_601 });
    await core.ask('configure', { server: 'old', host, port: 25_602 });
    await core.come(anna);
    expect(await core.switch(anna, 'vip')).toEqual({
      allowed: false,
      message: 'You are not permitted to join vip-1.',
    });
    expect(await core.switch(anna, 'old')).toEqual({
      allowed: false,
      message: 'old-1 accepts no more players.',
    });
    await core.ask('grant', { uuid: anna.uuid, permission: 'network.vip' });
    expect(await core.switch(anna, 'vip')).toEqual({ allowed: true, message: '' });
    await core.ask('close');
  });

  it('can be entered by all players if it is not a server of this network', async () => {
    const { core } = await fixture.linked(5, [
      backendOf('lobby-1'),
      backendOf('vip-1', { host: '127.0.0.2', port: 25_601, permission: 'network.vip' }),
    ]);
    await core.ask('configure', { server: 'other-port', host: '127.0.0.2', port: 25_603 });
    await core.ask('configure', { server: 'other-host', host: '192.0.2.1', port: 25_601 });
    await core.ask('configure', { server: 'unknown-host', host: 'host.invalid', port: 25_601 });
    await core.come(anna);
    for (const server of ['other-port', 'other-host', 'unknown-host'])
      expect(await core.switch(anna, server)).toEqual({ allowed: true, message: '' });
    await core.ask('close');
  });
});

describe.concurrent("the messages and numbers in the plugin's core", () => {
  it('take into account who has joined or left this proxy since the last update from the master', async () => {
    const { core, link } = await fixture.linked(5);
    await core.come(anna);
    link.send({ type: 'network', online: 41, limit: 100 });
    await waitFor(async () => (await core.numbers()).online === 41);
    await core.come(ben);
    await core.come(cleo);
    expect(await core.numbers()).toMatchObject({ known: true, online: 43, limit: 100 });
    await core.ask('leave', { uuid: anna.uuid });
    expect((await core.numbers()).online).toBe(42);
    await core.ask('close');
  });

  it('use the texts of the admin, and change when the file with the texts changes', async () => {
    const { core } = await fixture.linked(5);
    const full = () => core.ask('text', { key: 'FULL', values: ['5', '{0}&c'] });
    expect(await full()).toBe('The network is full: 5 of {0}&c players are online. Please try again later.');
    await writeFile(
      join(core.folder, 'overworld-messages.properties'),
      'full=&cVoll: {0} von {1}, {2} & mehr; Grüße\n',
    );
    await waitFor(async () => (await full()) === '§cVoll: 5 von {0}&c, {2} & mehr; Grüße');
    expect(await core.ask('text', { key: 'CLOSED', values: ['lobby-1'] })).toBe(
      'lobby-1 accepts no more players.',
    );
    await core.ask('close');
  });

  it('use all texts of a file that begins with a byte order mark', async () => {
    const { core } = await fixture.linked(5);
    await writeFile(join(core.folder, 'overworld-messages.properties'), '\ufeffclosed=Closed: {0}\n');
    const closed = () => core.ask('text', { key: 'CLOSED', values: ['lobby-1'] });
    await waitFor(async () => (await closed()) === 'Closed: lobby-1', { timeoutMs: 10_000 });
    await core.ask('close');
  });

  it('are shown after the command /cloud to players with permission', async () => {
    const { core, link } = await fixture.linked(5, [
      backendOf('lobby-10', { players: 3 }),
      backendOf('lobby-2', { open: false, permission: 'x' }),
    ]);
    await core.come(anna);
    const all = ['list', 'info', 'stop', 'send'].map((word) => `overworld.command.${word}`);
    const says = async (text: string, permissions = all): Promise<string[]> => {
      const before = core.happened({ event: 'says' }).length;
      await core.ask('command', { name: 'CONSOLE', permissions, arguments: text.split(' ').filter(Boolean) });
      return core
        .happened({ event: 'says' })
        .slice(before)
        .map((event) => event.text);
    };
    expect(await says('', [])).toEqual(['You are not permitted to use /cloud.']);
    expect(await says('', [all[0] ?? ''])).toEqual(['/cloud list']);
    expect(await says('stop lobby-2', [])).toEqual([
      'You are not permitted to do that (overworld.command.stop).',
    ]);
    expect(await says('send anna')).toEqual(['Usage: /cloud send <player|all> <service>']);
    expect(await says('list')).toEqual([
      '1 of 5 players are online.',
      'lobby-2 (Lobby): 0 of 20, fallback, accepts no more players',
      'lobby-10 (Lobby): 4 of 20, fallback',
    ]);
    expect(await says('info lobby-2')).toContain('Permission: x');
    expect(await says('info lobby-3')).toEqual(['There is no game server lobby-3. See /cloud list.']);
    expect(await says('send all lobby-2')).toEqual(['lobby-2 accepts no more players.']);
    expect(await says('send Nobody lobby-10')).toEqual(['Nobody is not on this proxy.']);
    await core.switch(anna, 'elsewhere');
    expect(await says(`send ${anna.name.toLowerCase()} lobby-10`)).toEqual([
      '1 player of this proxy: moving to lobby-10.',
    ]);
    expect(await core.ask('where', { uuid: anna.uuid })).toBe('lobby-10');

    expect(await says('stop ../etc')).toEqual(['There is no service ../etc. See /cloud list.']);
    await says('stop proxy-2');
    const { id, ...asked } = await link.receive('stop-service');
    expect(asked).toEqual({ type: 'stop-service', service: 'proxy-2', by: 'CONSOLE' });
    link.send({ type: 'answer', id, ok: true, text: 'proxy-2 is being stopped.' });
    await core.happens({ event: 'says', text: 'proxy-2 is being stopped.' });
    await says('stop proxy-2');
    link.cut();
    await core.happens({ event: 'says', text: 'The connection to the master was lost before it answered.' });

    const complete = (text: string) =>
      core.ask('complete', { name: 'x', permissions: all, arguments: text.split(' ') });
    expect(await complete('s')).toEqual(['send', 'stop']);
    expect(await complete('info ')).toEqual(['lobby-2', 'lobby-10']);
    expect(await complete('send pl')).toEqual([anna.name]);
    expect(await complete('send all lobby-1')).toEqual(['lobby-10']);
    expect(await complete('nonsense ')).toEqual([]);
    await core.ask('close');
  });
});
