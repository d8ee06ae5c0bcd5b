import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { Backend } from '#shared/link/messages.ts';
import { joinAsPlayer, loadMinecraftProtocol, type Player } from '#test/support/players/player.ts';
import type { PracticeServer } from '#test/support/players/practice-server.ts';
import { useProxyGame } from '#test/support/players/proxy-game.ts';
import {
  realProxies,
  startRealProxy,
  type RealProxy,
  type RealProxyKind,
} from '#test/support/players/real-proxy.ts';
import {
  backendOf,
  startScriptedMaster,
  type ScriptedConnection,
  type ScriptedMaster,
} from '#test/support/master/scripted-master.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';
import { waitFor } from '#test/support/wait-for.ts';

const game = useProxyGame();
const toClose: { close(): Promise<void> }[] = [];

afterEach(async () => {
  await Promise.all(toClose.splice(0).map((it) => it.close()));
});

interface Network {
  readonly master: ScriptedMaster;
  readonly proxy: RealProxy;
  readonly link: ScriptedConnection;
  /** Joins as a player who has typed the given address. Default: the address of the proxy. */
  readonly join: (username: string, address?: string) => Promise<Player>;
}

/** Creates a proxy with these game servers. It may admit the given number of players. */
async function network(
  kind: RealProxyKind,
  jar: string,
  given: {
    readonly backends: readonly Backend[];
    readonly allowance?: number;
    readonly permissions?: Readonly<Record<string, readonly string[]>>;
    readonly forcedHosts?: Readonly<Record<string, string>>;
  },
): Promise<Network> {
  const master = await startScriptedMaster(temporaryFolder());
  toClose.push(master);
  const proxy = await startRealProxy(kind, { jar, handOver: master.handOver('proxy-1'), ...given });
  toClose.push(proxy);
  const link = await master.welcomed();
  const { allowance = 10, backends } = given;
  link.send({ type: 'network', online: 3, limit: 77 });
  link.send({ type: 'backends', reset: true, put: [...backends], gone: [], done: true });
  link.send({ type: 'allow', seq: 1, allowance, answers: null });
  await link.receive('allowance');
  return {
    master,
    proxy,
    link,
    join: async (username, address) => {
      const player = await joinAsPlayer({ port: proxy.port, username, address });
      // Disconnect the player at the end of the test.
      toClose.push({
        close() {
          player.drop();
          return Promise.resolve();
        },
      });
      return player;
    },
  };
}

/** Describes a practice server as a game server of the network. */
function at(id: string, server: PracticeServer, changes: Partial<Backend> = {}): Backend {
  return backendOf(id, { port: server.port, ...changes });
}

async function hears(player: Player, pattern: RegExp): Promise<string> {
  return waitFor(() => player.heard.find((line) => pattern.test(line)), {
    what: `${player.username} to hear ${pattern}; heard: ${player.heard.join(' | ')}`,
  });
}

const kinds = Object.entries(realProxies) as [RealProxyKind, string | undefined][];

describe.each(kinds)('the plugin on a real %s proxy', (kind, jar) => {
  const name = kind === 'Velocity' ? 'OVERWORLD_TEST_VELOCITY_JAR' : 'OVERWORLD_TEST_BUNGEE_JAR';
  const test = (what: string, run: (jar: string) => Promise<void>): void => {
    it(what, async ({ skip }) => {
      if (jar === undefined) return skip(`${name} names no ${kind}`);
      await run(jar);
    });
  };

  test('sends joining players to the fullest fallback, and shows the number of players and the limit', async (jar) => {
    const [small, large] = [await game.backend(), await game.backend()];
    const backends = [
      at('lobby-1', small, { players: 1 }),
      at('lobby-2', large, { players: 5 }),
      at('arena-1', small, { fallback: false, players: 9 }),
    ];
    const { proxy, link, join } = await network(kind, jar, { backends });
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

  test('sends a player to the server that the proxy assigns to the typed address, whatever the case of its letters', async (jar) => {
    const [lobby, vault] = [await game.backend(), await game.backend()];
    const { link, join } = await network(kind, jar, {
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

  test('requests a slot for each further player, and refuses a player without a slot unless another plugin admits the player', async (jar) => {
    const lobby = await game.backend();
    const permissions = { Vip: ['example.vip'] };
    const { proxy, link, join } = await network(kind, jar, {
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

  test('frees the slot of a player who disconnects during the login', async (jar) => {
    const lobby = await game.backend();
    const { proxy, link, join } = await network(kind, jar, {
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

  test('checks the permission for a server at each switch, and refused players stay where they are', async (jar) => {
    const [lobby, vault] = [await game.backend(), await game.backend()];
    const { link, join } = await network(kind, jar, {
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

  test('moves kicked players to a fallback, and tells them the reason', async (jar) => {
    const [lobby, arena] = [await game.backend(), await game.backend()];
    const { link, join } = await network(kind, jar, {
      backends: [at('arena-1', arena, { players: 3 }), at('lobby-1', lobby)],
    });
    const ann = await join('Ann');
    await link.receive('switched', ({ server }) => server === 'arena-1');
    arena.command('kick Ann the match is over');
    await link.receive('switched', ({ server }) => server === 'lobby-1');
    expect(await hears(ann, /arena-1/)).toMatch(/moved from arena-1 to lobby-1:.*the match is over/);
    await ann.stay();
    // Ann is also kicked from the last server: the proxy shows the server's message and disconnects her.
    link.send({ type: 'backends', reset: false, put: [], gone: ['arena-1'], done: true });
    link.send({ type: 'allow', seq: 2, allowance: 10, answers: null });
    await link.receive('allowance', ({ seq }) => seq === 2);
    lobby.command('kick Ann good night');
    expect(await ann.kicked).toMatch(/good night/);
  });

  test('moves players from a killed server to the next fallback that is running', async (jar) => {
    const servers = [await game.backend(), await game.backend(), await game.backend()] as const;
    const [first, second, third] = servers;
    const { link, join } = await network(kind, jar, {
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

  test('tries the next fallback if the first does not respond, and tells the player if none responds', async (jar) => {
    const lobby = await game.backend();
    const { link, join } = await network(kind, jar, {
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
    link.send({ type: 'backends', reset: true, put: [], gone: [], done: true });
    link.send({ type: 'allow', seq: 2, allowance: 10, answers: null });
    await link.receive('allowance', ({ seq }) => seq === 2);
    await expect(join('Bob')).rejects.toThrow(/no server for you/);
  });

  test('performs commands of the master and of admins', async (jar) => {
    const lobby = await game.backend();
    const { link, join, proxy } = await network(kind, jar, {
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
