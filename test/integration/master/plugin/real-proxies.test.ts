import { once } from 'node:events';
import { connect } from 'node:net';
import { expect } from 'vitest';
import { loadMinecraftProtocol } from '#test/support/players/player.ts';
import { useProxyGame } from '#test/support/players/proxy-game.ts';
import { at, describeRealProxies, hears } from '#test/support/players/real-network.ts';
import { waitFor } from '#test/support/wait-for.ts';

const game = useProxyGame();

describeRealProxies(['BungeeCord', 'Velocity'], (test, kind) => {
  test('sends joining players to the fullest fallback, and shows the number of players and the limit', async (network) => {
    const [small, large] = [await game.backend(), await game.backend()];
    const backends = [
      at('lobby-1', small, { players: 1 }),
      at('lobby-2', large, { players: 5 }),
      at('arena-1', small, { fallback: false, players: 9 }),
    ];
    const { proxy, link, join } = await network({ backends });
    const hello = link.all('hello')[0];
    expect(hello?.platform).toBe(kind.toLowerCase());
    expect(hello?.software).toContain(kind);

    const status = await loadMinecraftProtocol().ping({ host: '127.0.0.1', port: proxy.port });
    expect(status.players).toMatchObject({ online: 3, max: 77 });

    const ann = await join('Ann');
    const joined = await link.receive('joined');
    expect(joined.player).toMatchObject({ name: 'Ann' });
    await link.receive('switched', ({ server }) => server === 'lobby-2');
    await large.sees(/Ann.*joined/);
    await ann.leave();
    await link.receive('left', ({ uuid }) => uuid === joined.player.uuid);
  });

  test('sends a player to the server that the proxy assigns to the typed address, whatever the case of its letters', async (network) => {
    const [lobby, vault] = [await game.backend(), await game.backend()];
    const { link, join } = await network({
      backends: [at('lobby-1', lobby), at('vault-1', vault, { fallback: false })],
      forcedHosts: { 'vault.test': 'vault-1' },
    });
    await join('Ann', 'Vault.TEST');
    const ann = await link.receive('switched', ({ server }) => server !== null);
    expect(ann.server).toBe('vault-1');
    await join('Bob', 'play.test');
    const bob = await link.receive('switched', ({ uuid, server }) => uuid !== ann.uuid && server !== null);
    expect(bob.server).toBe('lobby-1');
  });

  test("keeps a server of the proxy's own configuration when a game server with the same name stops", async (network) => {
    const lobby = await game.backend();
    const { join, replaceBackends } = await network({
      backends: [at('lobby-1', lobby)],
      priorities: ['lobby-1'],
    });
    await replaceBackends([at('lobby-2', lobby)]);
    const ann = await join('Ann');
    await lobby.sees(/Ann.*joined/);
    // The server in the configuration does not exist.
    ann.chat('/server lobby-1');
    await hears(ann, /(could not|unable to) connect/i);
    await ann.stay();
    expect(ann.arrivals).toBe(1);
  });

  test('requests a slot for each further player, and refuses a player without a slot unless another plugin admits the player', async (network) => {
    const lobby = await game.backend();
    const permissions = { Vip: ['example.vip'] };
    const { proxy, link, join } = await network({
      backends: [at('lobby-1', lobby)],
      allowance: 1,
      permissions,
    });
    await join('Ann');

    const bob = expect(join('Bob')).rejects.toThrow(/All 77 slots are taken.*VIPs can always join/s);
    const more = await link.receive('more');
    link.send({ type: 'allow', seq: 2, allowance: 1, answers: more.id });
    await bob;
    expect(await link.receive('limit-reached')).toMatchObject({ name: 'Bob', admitted: false });

    const vip = join('Vip');
    const again = await link.receive('more', ({ id }) => id > more.id);
    link.send({ type: 'allow', seq: 3, allowance: 1, answers: again.id });
    await vip;
    await link.receive('joined', ({ player, beyond }) => player.name === 'Vip' && beyond);
    await proxy.sees(/Vip is a VIP/);
  });

  test('frees the slot of a player who disconnects during the login', async (network) => {
    const lobby = await game.backend();
    const { proxy, link, join } = await network({
      backends: [at('lobby-1', lobby)],
      allowance: 1,
    });
    const ann = await join('Ann');
    // This player disconnects while the request for a slot is pending.
    const socket = connect(proxy.port, '127.0.0.1');
    await once(socket, 'connect');
    socket.write(loginOf('Bob'));
    const more = await link.receive('more');
    socket.destroy();
    await ann.leave();
    await link.receive('left');
    link.send({ type: 'allow', seq: 2, allowance: 1, answers: more.id });
    // The plugin admits Bob, who has already disconnected. His slot becomes free only after that.
    await waitFor(
      async () =>
        join('Cid').then(
          () => true,
          () => false,
        ),
      { what: 'Cid to get the only slot' },
    );
  });

  test('checks the permission for a server at each switch, and refused players stay where they are', async (network) => {
    const [lobby, vault] = [await game.backend(), await game.backend()];
    const { link, join } = await network({
      backends: [at('lobby-1', lobby), at('vault-1', vault, { fallback: false, permission: 'may.vault' })],
      permissions: { Ann: ['may.vault'] },
    });
    const [ann, bob] = [await join('Ann'), await join('Bob')];
    const idOf = async (name: string) =>
      (await link.receive('joined', (it) => it.player.name === name)).player.uuid;
    link.send({ type: 'send', uuid: await idOf('Bob'), server: 'vault-1' });
    await hears(bob, /not permitted to join vault-1/);
    const annId = await idOf('Ann');
    link.send({ type: 'send', uuid: annId, server: 'vault-1' });
    await link.receive('switched', (it) => it.uuid === annId && it.server === 'vault-1');
    await vault.sees(/Ann.*joined/);
    await waitFor(() => ann.arrivals === 2, { what: 'Ann to arrive' });
    expect(vault.lines.filter((line) => line.includes('Bob'))).toEqual([]);
    await bob.stay();
  });

  test('performs commands of the master and of admins', async (network) => {
    const lobby = await game.backend();
    const { link, join, proxy } = await network({
      backends: [at('lobby-1', lobby)],
      permissions: { Ann: ['overworld.command.list', 'overworld.command.stop'] },
    });
    const [ann, bob] = [await join('Ann'), await join('Bob')];
    ann.chat('/cloud list');
    await hears(ann, /lobby-1/);
    bob.chat('/cloud list');
    await hears(bob, /not permitted/);
    ann.chat('/cloud stop lobby-1');
    const asked = await link.receive('stop-service');
    expect(asked).toMatchObject({ service: 'lobby-1', by: 'Ann' });
    link.send({ type: 'answer', id: asked.id, ok: true, text: 'lobby-1 is being stopped.' });
    await hears(ann, /lobby-1 is being stopped/);
    proxy.command('cloud list');
    await proxy.sees(/lobby-1/);
    const { player } = await link.receive('joined', (it) => it.player.name === 'Bob');
    link.send({ type: 'kick', uuid: player.uuid, message: 'Bye §cBob' });
    expect(await bob.kicked).toMatch(/Bye/);
    proxy.command('end');
    expect((await proxy.exited).code).toBe(0);
    expect(proxy.lines.filter((line) => /\b(SEVERE|ERROR)\b|Exception/.test(line))).toEqual([]);
  });
});

/** Returns the bytes that a Minecraft 1.8 client sends as handshake and login. */
function loginOf(name: string): Buffer {
  const framed = (body: Buffer) => Buffer.concat([Buffer.from([body.length]), body]);
  const host = Buffer.from('127.0.0.1');
  const handshake = Buffer.concat([
    Buffer.from([0x00, 47, host.length]),
    host,
    Buffer.from([0x63, 0xdd, 0x02]),
  ]);
  const text = Buffer.from(name);
  return Buffer.concat([framed(handshake), framed(Buffer.concat([Buffer.from([0x00, text.length]), text]))]);
}
