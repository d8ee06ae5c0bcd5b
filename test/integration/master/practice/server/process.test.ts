import { readFile } from 'node:fs/promises';
import { join as joinPath } from 'node:path';
import { describe, expect, it } from 'vitest';
import { statusPing, type StatusPing } from '#master/runtime/ping/status-ping.ts';
import { usePracticeGame } from '#test/support/players/practice-game.ts';
import type { PracticeServer } from '#test/support/players/practice-server.ts';

const { start, join } = usePracticeGame();

function propertiesOf(server: PracticeServer): Promise<string> {
  return readFile(joinPath(server.folder, 'server.properties'), 'latin1');
}

function ping(server: PracticeServer, timeoutMs = 5_000): Promise<StatusPing> {
  return statusPing({ host: '127.0.0.1', port: server.port, timeoutMs });
}

describe('the log of the practice server', () => {
  it('contains the name of the software in the format of vanilla, and a line when the server is ready', async () => {
    const server = await start();
    for (const line of server.lines)
      expect(line).toMatch(/^\[\d\d:\d\d:\d\d\] \[[\w ]+\/(INFO|WARN|ERROR)\]: ./);
    expect(server.lines[0]).toContain("This is Overworld's practice server, not a real Minecraft server");
    expect(server.lines[1]).toContain('Starting minecraft server');
    expect(server.lines.at(-1)).toMatch(
      /\[Server thread\/INFO\]: Done \(\d+\.\d{3}s\)! For help, type "help"$/,
    );
  });
});

describe('the file server.properties of the practice server', () => {
  it('gets the default values that are missing, and keeps existing content', async () => {
    const before =
      '#mine\nserver-port=0\n\nlevel-name=w\\u00f6rld \\\n  two\nserver-ip = 127.0.0.1\nmotd=Caf\xe9';
    const server = await start({ propertiesText: Buffer.from(before, 'latin1') });
    expect(await propertiesOf(server)).toBe(`${before}\nmax-players=20\nonline-mode=false\n`);
    expect(await ping(server)).toMatchObject({ motd: 'Café', players: { max: 20 } });
  });

  it('is not written if it is already complete', async () => {
    const text = 'server-ip=127.0.0.1\nserver-port=0\nmax-players=1\nmotd=\nonline-mode=false';
    const server = await start({ propertiesText: text });
    expect(await propertiesOf(server)).toBe(text);
  });

  it('causes a warning if it sets online-mode=true, and the server runs in offline mode', async () => {
    const server = await start({ properties: { 'online-mode': 'true' } });
    await server.sees(/WARN\]: online-mode=true is not possible: .* offline mode/);
    await expect(join(server, { username: 'Steve' })).resolves.toBeDefined();
  });

  it.each([
    ['server-port=abc', /server-port must be a whole number from 0 to 65535, but is "abc"/],
    ['server-port=65536', /server-port must be a whole number from 0 to 65535, but is "65536"/],
    ['max-players=-1', /max-players must be a whole number from 0 to 10000, but is "-1"/],
    ['motd=\\u00g1', /is not a properties file/],
    [`#${'x'.repeat(1_048_576)}`, /has more than 1048576 bytes/],
    ['server-ip=203.0.113.1\nserver-port=0', /FAILED TO BIND TO PORT! Cannot listen on 203\.0\.113\.1:0/],
  ])(
    'makes the start fail with exit code 1 and a reason if it contains %.30s',
    async (propertiesText, reason) => {
      const server = await start({ propertiesText, waitUntilReady: false });
      expect(await server.exited).toEqual({ code: 1, signal: null });
      expect(server.lines.at(-1)).toMatch(reason);
      expect(server.lines.join('\n')).not.toContain('\tat ');
    },
  );

  it('makes the start fail with exit code 1 and a reason if it contains a port in use', async () => {
    const first = await start();
    const second = await start({ properties: { 'server-port': String(first.port) }, waitUntilReady: false });
    expect(await second.exited).toEqual({ code: 1, signal: null });
    expect(second.lines.at(-1)).toMatch(
      /FAILED TO BIND TO PORT! .*Address already in use.*Perhaps a server is already running on that port\?/,
    );
    expect(await ping(first)).toMatchObject({ kind: 'answer' });
  });

  it('can delay the start, and the server can be stopped meanwhile', async () => {
    const server = await start({
      properties: { 'practice.start-delay-ms': '300000' },
      waitUntilReady: false,
    });
    await server.sees(/Loading properties/);
    server.command('list');
    await server.sees(/There are 0 of a max of 20/);
    server.command('stop');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(server.lines.join('\n')).not.toMatch(/Done \(|Starting Minecraft server on/);
  });
});

describe('the console of the practice server', () => {
  it('answers the commands "list" and "help", and unknown or invalid commands', async () => {
    const server = await start();
    for (const line of ['list', '/list', 'help', 'Stop', '', 'kick Nobody', 'spam many', 'spam 3']) {
      server.command(line);
    }
    await server.sees(/Spam line 3 of 3/);
    const said = server.lines.map((line) => line.replace(/^.*?\]: /, ''));
    const from = said.findIndex((line) => line.startsWith('Done')) + 1;
    const help = said.slice(from + 2, from + 9);
    expect(help.map((line) => line.split(' ')[0])).toEqual('stop list say kick crash hang spam'.split(' '));
    expect([...said.slice(from, from + 2), ...said.slice(from + 9)]).toEqual([
      'There are 0 of a max of 20 players online: ',
      'There are 0 of a max of 20 players online: ',
      'Unknown command. Type "help" for help.',
      'No player was found',
      'Usage: spam <1 to 1000000>',
      'Spam line 1 of 3',
      'Spam line 2 of 3',
      'Spam line 3 of 3',
    ]);
  });

  it('logs no control characters that would begin a new line or change colours', async () => {
    const server = await start();
    server.command('say a\u001b[31mb\rc');
    expect(await server.sees(/\[Server\] a/)).toMatch(/\[Server\] a\?\[31mb\?c$/);
  });

  it('stops the server with exit code 0, and the port is free at once', async () => {
    const server = await start();
    const { port } = server;
    server.command('stop');
    expect(await server.exited).toEqual({ code: 0, signal: null });
    await start({ properties: { 'server-port': String(port) } });
  });

  it('can be closed, and the server runs on', async () => {
    const server = await start();
    server.endInput();
    expect(await ping(server)).toMatchObject({ kind: 'answer' });
    server.signal('SIGTERM');
    await server.exited;
  });

  it('has a command "crash" that ends the server with exit code 3 and sends no message to players', async () => {
    const server = await start();
    const steve = await join(server, { username: 'Steve' });
    server.command('crash');
    expect(await server.exited).toEqual({ code: 3, signal: null });
    await expect(steve.kicked).rejects.toThrow('was not kicked');
    expect(server.lines.join('\n')).not.toContain('Server stopped');
  });

  it('has a command "hang", after which the server ignores pings and the command "stop" until SIGTERM', async () => {
    const server = await start();
    server.command('hang');
    await server.sees(/Hanging/);
    server.command('stop');
    expect(await ping(server, 500)).toEqual({ kind: 'silent', why: 'timeout' });
    expect(server.isAlive()).toBe(true);
    server.signal('SIGTERM');
    expect(await server.exited).toEqual({ code: 143, signal: null });
    await server.sees(/The server thread does not respond; exiting without it/);
  });
});

describe('SIGTERM to the practice server', () => {
  it('stops the server in the same way as the command "stop"', async () => {
    const server = await start();
    const steve = await join(server, { username: 'Steve' });
    server.signal('SIGTERM');
    expect(await steve.kicked).toBe('Server closed');
    expect(await server.exited).toEqual({ code: 143, signal: null });
    await server.sees(/Server stopped/);
  });
});
