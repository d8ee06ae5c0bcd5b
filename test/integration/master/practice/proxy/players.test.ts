import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { statusPing } from '#master/runtime/ping/status-ping.ts';
import { PRACTICE_VERSIONS } from '#test/support/players/practice-game.ts';
import { useProxyGame } from '#test/support/players/proxy-game.ts';
import { waitFor } from '#test/support/wait-for.ts';
import { handshakeFrame, packetFrame, textField } from '#test/support/players/wire.ts';

const game = useProxyGame();

describe.each(PRACTICE_VERSIONS)('a player with Minecraft %s on the practice proxy', (version) => {
  it('has the real address and UUID on the server, and sends and receives chat messages', async () => {
    const lobby = await game.backend({ 'practice.keep-alive-ms': '500' });
    const proxy = await game.proxy({ lobby });
    const steve = await game.join(proxy, { username: 'Steve', version, from: '127.0.0.9' });
    await lobby.sees(/UUID of player Steve is 5627dd98-e6be-3c21-b8a8-e92344183641/);
    await lobby.sees(/Steve\[\/127\.0\.0\.9:\d+\] logged in/);
    steve.chat('/list');
    await waitFor(() => steve.heard.includes('There are 1 of a max of 20 players online: Steve'));
    await steve.stay(2);
    await steve.leave();
    await lobby.sees(/Steve left the game/);
    await proxy.sees(/Steve has left/);
  });

  it('can switch servers with /server, and stays connected', async () => {
    const lobby = await game.backend();
    const arena = await game.backend({ 'practice.keep-alive-ms': '500' });
    const proxy = await game.proxy({ lobby, arena });
    const steve = await game.join(proxy, { username: 'Steve', version });
    steve.chat('/server arena');
    await waitFor(() => steve.arrivals === 2);
    await lobby.sees(/Steve left the game/);
    await steve.stay(2);
    proxy.command('send Steve lobby');
    await waitFor(() => steve.arrivals === 3);
    await arena.sees(/Steve left the game/);
    steve.chat('back');
    await waitFor(() => steve.heard.includes('<Steve> back'));
  });

  it('is on the second server after two moves, even if the first server admits the player later', async () => {
    const [lobby, arena, duel] = await Promise.all([game.backend(), game.backend(), game.backend()]);
    const proxy = await game.proxy({ lobby, arena, duel });
    const steve = await game.join(proxy, { username: 'Steve', version });
    for (const server of ['arena', 'duel']) {
      proxy.command(`send Steve ${server}`);
      await proxy.sees(new RegExp(`Steve .*-> ${server}`));
    }
    await duel.sees(/Steve joined the game/);
    steve.chat('where am I?');
    await waitFor(() => steve.heard.includes('<Steve> where am I?'));
    expect(duel.lines.join('\n')).toContain('<Steve> where am I?');
  });

  it('is moved to another server after a kick, and sees the reason', async () => {
    const [lobby, arena] = await Promise.all([game.backend(), game.backend()]);
    const proxy = await game.proxy({ arena, lobby });
    const steve = await game.join(proxy, { username: 'Steve', version });
    arena.command('kick Steve you "lost"');
    await waitFor(() => steve.heard.includes('You were moved from arena to lobby: you "lost"'));
    lobby.command('kick Steve enough');
    await waitFor(() => steve.heard.includes('You were moved from lobby to arena: enough'));
    steve.chat('still here');
    await waitFor(() => steve.heard.includes('<Steve> still here'));
  });

  it("is moved to the next running server if the player's own server is killed", async () => {
    const [first, second] = await Promise.all([game.backend(), game.backend()]);
    const proxy = await game.proxy({ first, second });
    const steve = await game.join(proxy, { username: 'Steve', version });
    const alex = await game.join(proxy, { username: 'Alex', version });
    first.signal('SIGKILL');
    await waitFor(() => steve.arrivals === 2 && alex.arrivals === 2);
    await waitFor(() => steve.heard.includes('first was lost; you are now on second.'));
    // The first server is down, so the proxy immediately sends a new player to the next server.
    await game.join(proxy, { username: 'Kim', version });
    await second.sees(/Kim joined the game/);
  });

  it('sees the reason if no server accepts the player, or if the server or an admin ends the connection', async () => {
    const [full, lobby] = await Promise.all([game.backend({ 'max-players': '0' }), game.backend()]);
    const closed = await game.proxy({ full });
    await expect(game.join(closed, { username: 'Steve', version })).rejects.toThrow('The server is full!');
    const proxy = await game.proxy({ lobby });
    const steve = await game.join(proxy, { username: 'Steve', version });
    proxy.command('kick Steve for "reasons"');
    expect(await steve.kicked).toBe('for "reasons"');
    const alex = await game.join(proxy, { username: 'Alex', version });
    lobby.command('stop');
    expect(await alex.kicked).toBe('Server closed');
  });
});

describe('players on the practice proxy', () => {
  it.each([
    ['1.21.11', 774],
    ['1.16.5', 754],
  ])('read that no server supports their version if they have Minecraft %s', async (version, protocol) => {
    const lobby = await game.backend();
    const proxy = await game.proxy({ lobby });
    await expect(game.join(proxy, { username: 'Steve', version })).rejects.toThrow(
      `speaks Minecraft 1.8.x, 1.12.2 and 26.1, your client has protocol ${protocol}.`,
    );
  });

  it('read that no server supports their version if their version is newer than the proxy', async () => {
    const lobby = await game.backend();
    const proxy = await game.proxy({ lobby });
    const socket = connect(proxy.port, '127.0.0.1');
    const received: Buffer[] = [];
    socket.on('data', (chunk) => received.push(chunk));
    socket.write(
      Buffer.concat([handshakeFrame(776, 2), packetFrame(0x00, textField('Steve'), Buffer.alloc(16))]),
    );
    await once(socket, 'close');
    expect(Buffer.concat(received).toString()).toContain('your client has protocol 776.');
  });

  it('are moved to another server if their server hangs or stops', async () => {
    const properties = { 'practice.keep-alive-ms': '500' };
    const [first, second] = await Promise.all([game.backend(properties), game.backend(properties)]);
    const proxy = await game.proxy({ first, second }, { timeoutMs: 5_000 });
    const steve = await game.join(proxy, { username: 'Steve' });
    first.command('hang');
    await waitFor(() => steve.heard.includes('first was lost; you are now on second.'));
    first.signal('SIGKILL');
    await first.exited;
    await game.backend({ 'server-port': String(first.port), ...properties });
    second.command('stop');
    await waitFor(() => steve.heard.includes('You were moved from second to first: Server closed'));
    await steve.stay(2);
  });

  it('stay on their server if another server refuses them', async () => {
    const [lobby, full] = await Promise.all([game.backend(), game.backend({ 'max-players': '0' })]);
    const proxy = await game.proxy({ lobby, full });
    const steve = await game.join(proxy, { username: 'Steve' });
    steve.chat('/server full');
    await waitFor(() => steve.heard.includes('You could not enter full: The server is full!'));
    steve.chat('/server nowhere');
    await waitFor(() => steve.heard.includes('You could not enter nowhere: there is no such server'));
    steve.chat('still here');
    await waitFor(() => steve.heard.includes('<Steve> still here'));
    expect(steve.arrivals).toBe(1);
  });

  it('read a message if no server accepts them', async () => {
    const full = await game.backend({ 'max-players': '0' });
    const proxy = await game.proxy({ full });
    await expect(game.join(proxy, { username: 'Steve' })).rejects.toThrow('The server is full!');
    const empty = await game.proxy({});
    await expect(game.join(empty, { username: 'Steve' })).rejects.toThrow('There is no server to join.');
    await expect(game.join(proxy, { username: 'no name' })).rejects.toThrow('Invalid name');
  });

  it('stay connected if the server to which they switch sends an endless message', async () => {
    const lobby = await game.backend();
    const [endless, close] = await talker(JSON.stringify({ text: 'x\\'.repeat(80_000) }));
    const proxy = await game.proxy({ lobby, endless });
    const steve = await game.join(proxy, { username: 'Steve' });
    steve.chat('/server endless');
    await waitFor(() => steve.heard.some((line) => line.startsWith('You could not enter endless: x')));
    steve.chat('still here');
    await waitFor(() => steve.heard.includes('<Steve> still here'));
    close();
  });

  it('lose their older connection if they join twice', async () => {
    const lobby = await game.backend();
    const proxy = await game.proxy({ lobby });
    const first = await game.join(proxy, { username: 'Steve' });
    const second = await game.join(proxy, { username: 'Steve' });
    expect(await first.kicked).toBe('You logged in from another location');
    second.chat('/list');
    await waitFor(() => second.heard.includes('There are 1 of a max of 20 players online: Steve'));
    proxy.command('list');
    await proxy.sees(/There are 1 players on this proxy: Steve \(lobby\)/);
  });

  it('read that the proxy is stopping, whether a console command or SIGTERM stops it', async () => {
    const lobby = await game.backend();
    for (const end of ['stop', 'end', 'TERM']) {
      const proxy = await game.proxy({ lobby });
      const steve = await game.join(proxy, { username: 'Steve' });
      if (end === 'TERM') proxy.signal('SIGTERM');
      else proxy.command(end);
      expect(await steve.kicked).toBe('The proxy is stopping. Please join again.');
      expect(await proxy.exited).toEqual({ code: end === 'TERM' ? 143 : 0, signal: null });
    }
  });

  it('cannot connect directly to the servers behind the proxy', async () => {
    const lobby = await game.backend();
    await expect(game.join(lobby, { username: 'Steve' })).rejects.toThrow(
      "This server is joined by the network's proxies only",
    );
    // Direct status pings still get a response, because the master uses them to check whether the server works.
    expect(await statusPing({ host: '127.0.0.1', port: lobby.port, timeoutMs: 5_000 })).toMatchObject({
      kind: 'answer',
    });
  });

  it("are refused by a proxy without Overworld's plugin, and the proxy logs the reason", async () => {
    const proxy = await game.proxy({}, { withoutPlugin: false });
    await proxy.sees(/ERROR\]: Overworld's plugin \(plugins\/overworld\.jar\) does not work/);
    await expect(game.join(proxy, { username: 'Steve' })).rejects.toThrow(
      /Players cannot join: .*See its log/,
    );
    expect(await statusPing({ host: '127.0.0.1', port: proxy.port, timeoutMs: 5_000 })).toMatchObject({
      kind: 'answer',
      players: { online: 0, max: 50 },
    });
  });
});

/** Creates a server that refuses all players with this message. */
async function talker(words: string): Promise<[{ readonly port: number }, () => void]> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.once('data', () => socket.end(packetFrame(0x00, textField(words))));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return [server.address() as AddressInfo, () => server.close()];
}
