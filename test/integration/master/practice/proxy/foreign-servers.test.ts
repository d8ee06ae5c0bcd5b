import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { JavaProgram } from '#test/support/java/java-program.ts';
import { freePort } from '#test/support/free-port.ts';
import { LibraryServer } from '#test/support/players/library-server.ts';
import { MINESTOM_VERSION, minestomServer } from '#test/support/players/minestom-server.ts';
import { loadMinecraftProtocol, type Player } from '#test/support/players/player.ts';
import { useProxyGame } from '#test/support/players/proxy-game.ts';
import { waitFor } from '#test/support/wait-for.ts';

// These tests use servers that are not ours. So the same error in our own server cannot hide an error in the proxy's
// packets.
const game = useProxyGame();

const versions = loadMinecraftProtocol().supportedVersions;
/** All versions of the library that have a configuration phase. */
const configured = versions.slice(versions.indexOf('1.20.2'));

const servers: LibraryServer[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function start(...options: Parameters<typeof LibraryServer.start>): Promise<LibraryServer> {
  const server = await LibraryServer.start(...options);
  servers.push(server);
  return server;
}

/** Returns the settings of a client as minecraft-protocol sends them, with this view distance. */
function settings(viewDistance: number): object {
  return {
    ...{ locale: 'en_us', viewDistance, chatFlags: 0, chatColors: true, skinParts: 127, mainHand: 1 },
    ...{ enableTextFiltering: false, enableServerListing: true, particleStatus: 'all', particles: 'all' },
  };
}

describe.each(configured)(
  'a player with Minecraft %s on a server of the library minecraft-protocol',
  (version) => {
    it('can be moved by command and after a kick, keeps the client settings, and sees the reason of the last kick', async () => {
      const [lobby, arena] = await Promise.all([start(version), start(version)]);
      const proxy = await game.proxy({ lobby, arena });
      const steve = await game.join(proxy, { username: 'Steve', version });
      expect(arena.viewDistances).toEqual([]);
      steve.send('settings', settings(7));
      steve.chat('/server arena');
      await waitFor(() => steve.arrivals === 2);
      // First, the proxy repeats the settings for the new server. Then the client sends its settings again.
      expect(arena.viewDistances).toEqual([7, 10]);
      arena.kick('you lost');
      await waitFor(() => steve.heard.includes('You were moved from arena to lobby: you lost'));
      await waitFor(() => steve.arrivals === 3);
      proxy.command('kick Steve enough');
      expect(await steve.kicked).toBe('enough');
    });
  },
);

describe('players on servers of the library minecraft-protocol', () => {
  const version = versions.at(-1) ?? '';

  it('are moved to the next server if their server is lost before it configures their client', async () => {
    const [lost, lobby] = await Promise.all([
      start(version, { losesClients: 'before registries' }),
      start(version),
    ]);
    const proxy = await game.proxy({ lost, lobby });
    const steve = await game.join(proxy, { username: 'Steve', version });
    await waitFor(() => steve.heard.includes('lost was lost; you are now on lobby.'));
    expect(steve.arrivals).toBe(1);
    // Check the same case for a player who has already played.
    steve.chat('/server lost');
    await waitFor(() => steve.arrivals === 2);
    proxy.command('kick Steve enough');
    expect(await steve.kicked).toBe('enough');
  });

  it('see the reason if their server is lost while it configures their client', async () => {
    const [lost, lobby] = await Promise.all([
      start(version, { losesClients: 'after a registry' }),
      start(version),
    ]);
    const proxy = await game.proxy({ lost, lobby });
    // A client that already has some registries of one server rejects the registries of another server.
    await expect(game.join(proxy, { username: 'Steve', version })).rejects.toThrow('lost was lost.');
  });
});

// Only the nightly run downloads and builds the server. Other runs use the server if it is already built.
const minestom = await minestomServer({ build: process.env['OVERWORLD_NIGHTLY'] === '1' });
const why = minestom.kind === 'missing' ? ` (skipped: ${minestom.why})` : '';

describe.skipIf(minestom.kind === 'missing')(`real Minecraft servers${why}`, () => {
  it('accept players of the practice proxy, and players can switch between them', async () => {
    const [lobby, arena] = await Promise.all([startMinestom(), startMinestom()]);
    const proxy = await game.proxy({ lobby, arena });
    const steve = await game.join(proxy, { username: 'Steve', version: MINESTOM_VERSION });
    await plays(steve, lobby);
    steve.chat('/server arena');
    await waitFor(() => steve.arrivals === 2);
    await plays(steve, arena);
    arena.signal('SIGKILL');
    await waitFor(() => steve.heard.includes('arena was lost; you are now on lobby.'));
    lobby.command('stop');
    await steve.kicked;
    await proxy.sees(/Steve was kicked from lobby|Steve has lost lobby/);
  });
});

class Minestom extends JavaProgram {
  readonly port: number;

  constructor(folder: string, port: number, { jdk, jar }: { readonly jdk: string; readonly jar: string }) {
    super(folder, ['-Xmx384m', '-jar', jar], join(jdk, 'bin', 'java'));
    this.port = port;
  }
}

async function startMinestom(): Promise<Minestom> {
  if (minestom.kind === 'missing') throw new Error(minestom.why);
  const folder = await mkdtemp(join(tmpdir(), 'overworld-minestom-'));
  const port = await freePort();
  await writeFile(join(folder, 'server.properties'), `server-ip=127.0.0.1\nserver-port=${port}\n`);
  const server = new Minestom(folder, port, minestom);
  onTestFinished(() => server.close());
  // The start of Minestom takes many seconds of CPU time.
  await waitFor(() => server.lines.some((line) => line.includes('Done (')), { timeoutMs: 100_000 });
  return server;
}

/** Waits until the server has let the player into its world. */
async function plays(player: Player, server: Minestom): Promise<void> {
  player.send('player_loaded', {});
  await server.sees(new RegExp(`${player.username} joined the game`));
}
