import { afterEach, describe, expect, it } from 'vitest';
import { startBukkitServer, type BukkitServerOptions } from '#test/support/players/bukkit-server.ts';
import { openLinkFixture, services, type LinkFixture } from '#test/support/link/link-fixture.ts';
import { joinAsPlayer, type Player } from '#test/support/players/player.ts';
import type { PracticeServer } from '#test/support/players/practice-server.ts';
import { waitFor } from '#test/support/wait-for.ts';

/** Class path of Bukkit's published API, which Overworld may not distribute. Undefined if it is not configured. */
const published = process.env['OVERWORLD_TEST_BUKKIT_API'];

const players: Player[] = [];
let server: PracticeServer | null = null;
let fixture: LinkFixture | null = null;

afterEach(async () => {
  for (const player of players.splice(0)) player.drop();
  await server?.close();
  await fixture?.link.close();
  server = fixture = null;
});

async function start(options: Omit<BukkitServerOptions, 'handOver'> = {}) {
  const opened = (fixture = await openLinkFixture());
  opened.link.setNetwork({ limit: 10, backends: [], services: services('lobby-1') });
  const started = (server = await startBukkitServer({
    handOver: opened.link.handOver('lobby-1'),
    ...options,
  }));
  return {
    fixture: opened,
    server: started,
    join: async (username: string) => {
      const player = await joinAsPlayer({ port: started.port, username });
      players.push(player);
      return player;
    },
    counts: (online: number, max = 20) =>
      waitFor(
        () => {
          const heard = opened.link.reportOf('lobby-1');
          if (heard?.count?.online === online && heard.count.max === max) return heard;
          throw new Error(JSON.stringify(heard));
        },
        { what: `${online} of ${max} on lobby-1` },
      ),
  };
}

/**
 * Returns log lines about failures: of the plugin, of the loader, and of calls from threads other than the server's
 * thread.
 */
function failuresOf({ lines }: PracticeServer): readonly string[] {
  return lines.filter((line) => /ERROR|Asynchronous|Exception|^stderr/.test(line));
}

describe.each([
  ['the practice loader', { needed: true, api: undefined }],
  ["Bukkit's own loader", { needed: false, api: published }],
])('the plugin on a Bukkit server, loaded by %s,', (_loader, { needed, api }) => {
  const test = (what: string, run: () => Promise<void>): void => {
    it(what, async ({ skip }) => {
      if (!needed && api === undefined)
        return skip("OVERWORLD_TEST_BUKKIT_API names no Bukkit API's class path");
      await run();
    });
  };

  test('connects to the master, and counts players who join and quit', async () => {
    const { server, join, counts } = await start({ api });
    expect(await counts(0)).toMatchObject({
      plugin: { state: 'linked', platform: 'bukkit' },
      inUse: null,
    });
    server.command('plugins');
    await server.sees(/Plugins: Overworld v\d+\.\d+\.\d+$/);
    const steve = await join('Steve');
    await counts(1);
    await join('Alex');
    await counts(2);
    steve.drop();
    await counts(1);
    expect(failuresOf(server)).toEqual([]);
  });

  test('connects before the first tick of the server, but reports the number of players only after it', async () => {
    const { fixture, server, counts } = await start({ api, isPaused: true });
    await fixture.restart();
    let reports = 0;
    fixture.link.on(({ kind }) => {
      if (kind === 'reported') reports++;
    });
    fixture.link.setNetwork({ limit: 10, backends: [], services: services('lobby-1') });
    // On a new connection, the plugin first repeats the number of players if it has reported one before. Then it
    // reports whether the server is declared in use.
    await waitFor(() => reports > 0, { what: 'a report of the plugin' });
    expect(fixture.link.reportOf('lobby-1')).toMatchObject({ plugin: { state: 'linked' }, count: null });
    server.command('tick');
    await counts(0);
    expect(failuresOf(server)).toEqual([]);
  });

  test('reports a changed maximum number of players even if no players join or quit', async () => {
    const { server, counts } = await start({ api });
    await counts(0);
    server.command('max-players 7');
    await counts(0, 7);
    expect(failuresOf(server)).toEqual([]);
  });

  test('counts the players correctly after a reload and after an outage of the master', async () => {
    const { fixture, server, join, counts } = await start({ api });
    await join('Steve');
    await counts(1);
    server.command('reload');
    await server.sees(/Reload complete/);
    await join('Alex');
    await counts(2);
    await fixture.restart(async () => {
      await join('Cleo');
    });
    fixture.link.setNetwork({ limit: 10, backends: [], services: services('lobby-1') });
    await counts(3);
    expect(failuresOf(server)).toEqual([]);
  });

  test('does nothing without a connection file from the master, and the server can stop', async () => {
    const alone = (server = await startBukkitServer({ handOver: null, api }));
    await alone.sees(/was not started by Overworld: its plugin does nothing/);
    players.push(await joinAsPlayer({ port: alone.port, username: 'Steve' }));
    alone.command('stop');
    expect(await alone.exited).toEqual({ code: 0, signal: null });
    expect(failuresOf(alone)).toEqual([]);
    const { server: linked, counts } = await start({ api });
    await counts(0);
    linked.command('stop');
    await linked.sees(/Disabling Overworld/);
    expect(await linked.exited).toEqual({ code: 0, signal: null });
    expect(failuresOf(linked)).toEqual([]);
  });
});

describe('the plugin on Folia', () => {
  it('reports the number of players each second without a Bukkit scheduler', async () => {
    const { server, join, counts } = await start({ isFolia: true });
    await join('Steve');
    await counts(1);
    server.command('max-players 7');
    await counts(1, 7);
    expect(failuresOf(server)).toEqual([]);
  });
});

describe('the Bukkit server that these tests use', () => {
  it('reports a call of the Bukkit API from another thread than the server thread', async () => {
    const { server } = await start();
    server.command('call-from-elsewhere');
    await server.sees(/Asynchronous getOnlinePlayers by Elsewhere/);
    expect(failuresOf(server)).not.toEqual([]);
  });
});
