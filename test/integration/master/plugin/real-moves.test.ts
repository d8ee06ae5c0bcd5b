import { expect } from 'vitest';
import { useProxyGame } from '#test/support/players/proxy-game.ts';
import { at, describeRealProxies, hears } from '#test/support/players/real-network.ts';
import { backendOf } from '#test/support/master/scripted-master.ts';
import { waitFor } from '#test/support/wait-for.ts';

const game = useProxyGame();

describeRealProxies(['BungeeCord', 'Velocity'], (test) => {
  test('lets another plugin choose the first server of a player, and checks the permission for this server', async (network) => {
    const [lobby, arena] = [await game.backend(), await game.backend()];
    const arenaBackend = at('arena-1', arena, { fallback: false });
    const { join, replaceBackends } = await network({
      backends: [
        arenaBackend,
        at('lobby-1', lobby),
        backendOf('vault-1', { port: 2, fallback: false, permission: 'may.vault' }),
      ],
      firstServers: { Ann: 'arena-1', Bob: 'vault-1', Cid: 'arena-1' },
    });
    await join('Ann');
    await arena.sees(/Ann.*joined/);
    await join('Bob');
    await lobby.sees(/Bob.*joined/);
    await replaceBackends([arenaBackend]);
    await join('Cid');
    await arena.sees(/Cid.*joined/);
    await expect(join('Dan')).rejects.toThrow(/no server for you/);
  });

  test('moves kicked players to a fallback, and tells them the reason', async (network) => {
    const [lobby, arena] = [await game.backend(), await game.backend()];
    const { link, join, replaceBackends } = await network({
      backends: [at('arena-1', arena, { players: 3 }), at('lobby-1', lobby)],
    });
    const ann = await join('Ann');
    await link.receive('switched', ({ server }) => server === 'arena-1');
    arena.command('kick Ann the match is over');
    await link.receive('switched', ({ server }) => server === 'lobby-1');
    expect(await hears(ann, /arena-1/)).toMatch(/moved from arena-1 to lobby-1:.*the match is over/);
    await ann.stay();
    // Ann is also kicked from the last server: the proxy shows the server's message and disconnects her.
    await replaceBackends([at('lobby-1', lobby)]);
    lobby.command('kick Ann good night');
    expect(await ann.kicked).toMatch(/good night/);
  });

  test('tells players the reason of a kick even if the first fallbacks cannot be entered', async (network) => {
    const [arena, full, lobby] = [
      await game.backend(),
      await game.backend({ 'max-players': '0' }),
      await game.backend(),
    ];
    const cannotBeEntered = [
      backendOf('lobby-1', { port: 2, players: 9 }),
      at('lobby-2', full, { players: 5 }),
    ];
    const { link, join, replaceBackends } = await network({
      backends: [at('arena-1', arena, { players: 15 }), ...cannotBeEntered, at('lobby-3', lobby)],
    });
    const ann = await join('Ann');
    arena.command('kick Ann the match is over');
    await link.receive('switched', ({ server }) => server === 'lobby-3');
    expect(await hears(ann, /arena-1/)).toMatch(/moved from arena-1 to lobby-3:.*the match is over/);
    await replaceBackends([at('lobby-3', lobby), backendOf('lobby-4', { port: 3 })]);
    lobby.command('kick Ann good night');
    expect(await ann.kicked).toMatch(/good night/);
    await replaceBackends([at('lobby-3', lobby), at('lobby-5', full)]);
    const bob = await join('Bob');
    lobby.command('kick Bob sleep well');
    expect(await bob.kicked).toMatch(/sleep well/);
  });

  test('moves players from a killed server to the next fallback that is running', async (network) => {
    const servers = [await game.backend(), await game.backend(), await game.backend()] as const;
    const [first, second, third] = servers;
    const { link, join } = await network({
      backends: [
        at('lobby-1', first, { players: 9 }),
        at('lobby-2', second, { players: 5 }),
        at('lobby-3', third, { players: 1 }),
      ],
    });
    const ann = await join('Ann');
    await link.receive('switched', ({ server }) => server === 'lobby-1');
    second.signal('SIGKILL');
    await second.exited;
    first.signal('SIGKILL');
    await link.receive('switched', ({ server }) => server === 'lobby-3');
    expect(await hears(ann, /was lost/)).toMatch(/lobby-1 was lost; you are now on lobby-3/);
    await ann.stay();
    third.signal('SIGKILL');
    expect(await ann.kicked).toMatch(/lobby-3 was lost, and there is no other server/);
  });

  test('tries the next fallback if the first does not respond, and tells the player if none responds', async (network) => {
    const lobby = await game.backend();
    const { link, join, replaceBackends } = await network({
      backends: [
        // A server in the proxy's own configuration has the same address. BungeeCord would treat this game server as
        // that server.
        backendOf('lobby-1', { port: 1, players: 9 }),
        backendOf('lobby-2', { port: 2, players: 5 }),
        at('lobby-3', lobby),
      ],
    });
    await join('Ann');
    await link.receive('switched', ({ server }) => server === 'lobby-3');
    await replaceBackends([]);
    await expect(join('Bob')).rejects.toThrow(/no server for you/);
  });
});

describeRealProxies(['Velocity'], (test) => {
  test('registers game servers again that a reload of the configuration has replaced', async (network) => {
    const [lobby, vault] = [await game.backend(), await game.backend()];
    const { proxy, join } = await network({
      backends: [at('lobby-1', lobby), at('vault-1', vault, { fallback: false })],
      forcedHosts: { 'vault.test': 'vault-1' },
    });
    proxy.command('velocity reload');
    await proxy.sees(/successfully reloaded/);
    let joins = 0;
    // The proxy may notify its plugins of the reload a moment later.
    await waitFor(
      async () => {
        const { username } = await join(`Ann${(joins += 1)}`, 'vault.test');
        return vault.lines.some((line) => line.includes(username));
      },
      { what: 'a player to enter vault-1 after the reload' },
    );
  });
});

describeRealProxies(['BungeeCord'], (test) => {
  test('leaves a player on the current server if another plugin has sent the player to one that cannot be reached', async (network) => {
    const lobby = await game.backend();
    const { link, join, replaceBackends } = await network({ backends: [at('lobby-1', lobby)] });
    const ann = await join('Ann');
    const unreachable = backendOf('arena-1', { port: 2, fallback: false });
    await replaceBackends([at('lobby-1', lobby, { fallback: false }), unreachable]);
    ann.chat('/server arena-1 retry');
    await hears(ann, /Could not connect/);
    await ann.stay();
    expect(ann.arrivals).toBe(1);
    expect(link.all('switched').map(({ server }) => server)).toEqual(['lobby-1']);
  });
});
