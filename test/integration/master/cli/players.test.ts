import { mkdir } from 'node:fs/promises';
import pino from 'pino';
import { expect, it, onTestFinished } from 'vitest';
import { OverworldError } from '#shared/errors/overworld-error.ts';
import type { Player } from '#shared/model/player.ts';
import type { PlayerEntry } from '#shared/model/player-entry.ts';
import type { Handlers } from '#master/admin/api.ts';
import { serveLocalSocket } from '#master/admin/local-socket.ts';
import { cliOf } from '#test/support/master/command-line.ts';
import { temporaryFolder } from '#test/support/temporary-folder.ts';

const ANA: Player = {
  uuid: '00000000-0000-4000-8000-00000000000a',
  name: 'Ana',
  proxy: 'proxy-1',
  server: 'lobby-1',
  since: Date.UTC(2026, 2, 1, 18),
};
const BO: Player = { ...ANA, uuid: '00000000-0000-4000-8000-00000000000b', name: 'bo', server: null };

const PLAYER_ENTRY: PlayerEntry = {
  balancer: {
    state: 'working',
    configPath: '/etc/haproxy/haproxy.cfg',
    addresses: [{ host: '2001:db8::7', port: 25_565 }],
    entries: [{ service: 'proxy-1', state: 'draining', connections: 12 }],
    error: null,
  },
  join: [{ host: '2001:db8::7', port: 25_565, via: 'balancer' }],
  problems: [],
  link: { listening: null, error: null, plugins: 0 },
};

/** Creates a command line whose master returns the given number of players. Records requests in `asked`. */
async function aCli({
  total = 3,
  players = [ANA, BO],
}: { readonly total?: number | null; readonly players?: Player[] } = {}) {
  const data = temporaryFolder();
  await mkdir(data, { recursive: true, mode: 0o700 });
  const asked: unknown[] = [];
  const answer = (params: unknown): Record<string, never> => {
    asked.push(params);
    return {};
  };
  const handlers = {
    'players.list': () => ({ total, limit: 100, players }),
    'players.kick': answer,
    'players.send': (params: unknown) => {
      asked.push(params);
      throw new OverworldError('SERVICE_NOT_JOINABLE', { service: 'lobby-2', why: 'it is stopping' });
    },
    'wayIn.get': () => PLAYER_ENTRY,
    'balancer.adopt': () => PLAYER_ENTRY,
  } as Partial<Handlers> as Handlers;
  const socket = await serveLocalSocket(data, { handlers, log: pino({ level: 'silent' }) });
  onTestFinished(() => socket.close());
  return async (...args: string[]) => {
    return { ...(await cliOf(data)(...args)), asked };
  };
}

it('`players list` shows the proxy and the server of each player', async () => {
  const cli = await aCli();
  const { code, out } = await cli('players', 'list');
  expect(code).toBe(0);
  expect(out.split('\n')).toEqual([
    'PLAYER  UUID                                  PROXY    ON       SINCE',
    'Ana     00000000-0000-4000-8000-00000000000a  proxy-1  lobby-1  2026-03-01 18:00 UTC',
    'bo      00000000-0000-4000-8000-00000000000b  proxy-1           2026-03-01 18:00 UTC',
    '',
    "3 of at most 100 players are on proxies with Overworld's plugin, of which the first 2 are shown.",
    '',
  ]);
  expect(JSON.parse((await cli('players', 'list', '--json')).out)).toMatchObject({ total: 3, limit: 100 });
});

it('`players list` says if the players are not known yet', async () => {
  const cli = await aCli({ total: null });
  const { code, out } = await cli('players', 'list');
  expect(code).toBe(0);
  expect(out).toMatch(/^Ana /m);
  expect(out).toContain('\nThe number of players is not known yet. The limit is 100.\n');
});

it('commands find a player by name or UUID, and report a player who does not exist', async () => {
  const cli = await aCli();
  expect(await cli('players', 'kick', 'ANA', '--message', 'Good night')).toMatchObject({
    code: 0,
    out: 'Ana was kicked.\n',
    asked: [{ uuid: ANA.uuid, message: 'Good night' }],
  });
  expect((await cli('players', 'kick', BO.uuid)).asked.at(-1)).toEqual({ uuid: BO.uuid, message: '' });
  expect(await cli('players', 'kick', 'Cy')).toMatchObject({
    code: 1,
    err: 'The player Cy is not on this network.\n',
  });
  expect(await cli('players', 'send', 'Ana', 'lobby-2')).toMatchObject({
    code: 1,
    err: 'Players cannot be sent to lobby-2: it is stopping. Choose a game server that is running.\n',
  });
  expect((await cli('players', 'send', 'Ana', 'no service')).code).toBe(2);
});

it('commands name all players with the same name, and change nothing', async () => {
  const other = { ...ANA, uuid: BO.uuid, proxy: 'proxy-2' };
  const cli = await aCli({ players: [ANA, other] });
  const refused = {
    code: 1,
    err: `Several players are named ana: ${ANA.uuid} on proxy-1, ${BO.uuid} on proxy-2. Use the UUID of one of them.\n`,
    asked: [],
  };
  expect(await cli('players', 'kick', 'ana')).toMatchObject(refused);
  expect(await cli('players', 'send', 'ana', 'lobby-2')).toMatchObject(refused);
  expect(await cli('players', 'kick', other.uuid)).toMatchObject({ code: 0, asked: [{ uuid: other.uuid }] });
});

it('commands prefer the player whose name is written in the same way', async () => {
  const cli = await aCli({ players: [{ ...BO, name: 'ana' }, ANA] });
  expect(await cli('players', 'kick', 'Ana')).toMatchObject({ code: 0, asked: [{ uuid: ANA.uuid }] });
});

it("commands show the join address, and can add Overworld's section to the load balancer", async () => {
  const cli = await aCli();
  const { out } = await cli('balancer', 'show');
  expect(out).toMatch(
    /^Players join +\[2001:db8::7\]:25565\nLoad balancer +works, 1 proxy\nPlugin link +not listening\n/,
  );
  expect(out).toMatch(/proxy-1 +draining +12\n/);
  for (const command of ['show', 'adopt']) {
    expect(JSON.parse((await cli('balancer', command, '--json')).out)).toEqual(PLAYER_ENTRY);
  }
  expect((await cli('balancer', 'adopt')).out).toMatch(
    /^\/etc\/haproxy\/haproxy\.cfg now has Overworld's section\.\n/,
  );
});
