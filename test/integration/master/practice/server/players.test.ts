import { describe, expect, it } from 'vitest';
import { statusPing, type StatusPing } from '#master/runtime/ping/status-ping.ts';
import { loadMinecraftProtocol } from '#test/support/players/player.ts';
import { PRACTICE_VERSIONS, usePracticeGame } from '#test/support/players/practice-game.ts';
import type { PracticeServer } from '#test/support/players/practice-server.ts';
import { waitFor } from '#test/support/wait-for.ts';

const { start, join } = usePracticeGame();

function ping(server: PracticeServer): Promise<StatusPing> {
  return statusPing({ host: '127.0.0.1', port: server.port, timeoutMs: 5_000 });
}

async function onlineCount(server: PracticeServer): Promise<number> {
  const status = await ping(server);
  return status.kind === 'answer' ? status.players.online : -1;
}

describe('the status of the practice server', () => {
  it("is sent to Overworld's status ping and to a standard client", async () => {
    const server = await start({ properties: { motd: 'Grüße, "Welt" \\u00a7aohne', 'max-players': '7' } });
    expect(await ping(server)).toEqual({
      kind: 'answer',
      players: { online: 0, max: 7 },
      version: 'Overworld practice 1.8.x, 1.12.2 and 26.1',
      protocol: 775,
      motd: 'Grüße, "Welt" ohne',
    });
    const stock = loadMinecraftProtocol();
    for (const [version, protocol] of [
      ['1.8.8', 47],
      ['26.1', 775],
    ] as const) {
      expect(await stock.ping({ host: '127.0.0.1', port: server.port, version })).toMatchObject({
        version: { protocol },
        players: { online: 0, max: 7, sample: [] },
        description: { text: 'Grüße, "Welt" §aohne' },
      });
    }
  });

  it('contains the number and the names of the players', async () => {
    const server = await start();
    const steve = await join(server, { username: 'Steve' });
    expect(await onlineCount(server)).toBe(1);
    const stock = loadMinecraftProtocol();
    expect(await stock.ping({ host: '127.0.0.1', port: server.port })).toMatchObject({
      // All servers in offline mode derive this UUID from the name.
      players: { sample: [{ name: 'Steve', id: '5627dd98-e6be-3c21-b8a8-e92344183641' }] },
    });
    await steve.leave();
    await waitFor(async () => (await onlineCount(server)) === 0, { what: 'the player to be gone' });
  });
});

describe.each(PRACTICE_VERSIONS)('a player with Minecraft %s on the practice server', (version) => {
  it('can join, stay, chat, receive chat messages and leave', async () => {
    const server = await start({ properties: { 'practice.keep-alive-ms': '500' } });
    const steve = await join(server, { username: 'Steve', version });
    const alex = await join(server, { username: 'Alex', version });
    await Promise.all([steve.stay(2), alex.stay(2)]);
    alex.chat('hello "there"');
    await waitFor(
      () => steve.heard.includes('<Alex> hello "there"') && alex.heard.includes('<Alex> hello "there"'),
    );
    steve.chat('/list');
    await waitFor(() => steve.heard.includes('There are 2 of a max of 20 players online: Steve, Alex'));
    steve.chat('/fly');
    await waitFor(() => steve.heard.some((line) => line.startsWith('Unknown command')));
    await alex.leave();
    await waitFor(() => steve.heard.includes('Alex left the game'));
    await server.sees(/Alex left the game/);
    expect(steve.heard).toContain('Alex joined the game');
  });

  it('can be kicked with a message, and can join again', async () => {
    const server = await start();
    const steve = await join(server, { username: 'Steve', version });
    server.command('kick steve Too "loud" today');
    expect(await steve.kicked).toBe('Too "loud" today');
    await server.sees(/Kicked Steve: Too "loud" today/);
    await waitFor(async () => (await onlineCount(server)) === 0);
    await join(server, { username: 'Steve', version });
  });

  it('is refused by a full server, and admitted after another player has left', async () => {
    const server = await start({ properties: { 'max-players': '1' } });
    const steve = await join(server, { username: 'Steve', version });
    await expect(join(server, { username: 'Alex', version })).rejects.toThrow('The server is full');
    await steve.leave();
    await waitFor(async () => (await onlineCount(server)) === 0);
    await join(server, { username: 'Alex', version });
  });

  it('loses the older connection after a second join', async () => {
    const server = await start({ properties: { 'max-players': '1' } });
    const first = await join(server, { username: 'Steve', version });
    await join(server, { username: 'STEVE', version });
    expect(await first.kicked).toBe('You logged in from another location');
    expect(await onlineCount(server)).toBe(1);
  });

  it('gets the last slot, while another player who joins at the same time is refused', async () => {
    const server = await start({ properties: { 'max-players': '1' } });
    const joins = await Promise.allSettled(
      ['Steve', 'Alex'].map((username) => join(server, { username, version })),
    );
    const [refused, ...others] = joins.filter((result) => result.status === 'rejected');
    expect(String(refused?.reason)).toContain('The server is full');
    expect(others).toEqual([]);
    expect(await onlineCount(server)).toBe(1);
  });

  it('sees "Server closed" when the server stops', async () => {
    const server = await start();
    const steve = await join(server, { username: 'Steve', version });
    server.command('stop');
    expect(await steve.kicked).toBe('Server closed');
    expect(await server.exited).toEqual({ code: 0, signal: null });
  });
});

describe('players on the practice server', () => {
  it.each(['1.7.10', '1.9.4', '1.16.5', '1.21.1', '1.21.11'])(
    'are refused with a readable reason if they use Minecraft %s',
    async (version) => {
      const server = await start();
      await expect(join(server, { username: 'Steve', version })).rejects.toThrow(
        /Unsupported version: .* speaks Minecraft 1\.8\.x, 1\.12\.2 and 26\.1, your client has protocol \d+/,
      );
      expect(await onlineCount(server)).toBe(0);
    },
  );

  it('are refused if their name is invalid', async () => {
    const server = await start();
    await expect(join(server, { username: 'a b' })).rejects.toThrow('Invalid name');
  });

  it('receive messages from the console, and are kicked if they send forbidden characters', async () => {
    const server = await start();
    const steve = await join(server, { username: 'Steve' });
    server.command('say hello all');
    await waitFor(() => steve.heard.includes('[Server] hello all'));
    steve.chat('\u001b[2J[12:00:00] [Server thread/INFO]: Done');
    expect(await steve.kicked).toBe('Illegal characters in chat');
    expect(server.lines.join('\n')).not.toContain('\u001b');
  });

  it('disappear from the list as soon as their connection breaks', async () => {
    const server = await start();
    const steve = await join(server, { username: 'Steve' });
    steve.drop();
    await server.sees(/Steve left the game/);
    expect(await onlineCount(server)).toBe(0);
  });
});
