import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { Service } from '#shared/model/service.ts';
import { hears } from '../support/chain/chain.ts';
import { story } from '../support/chain/each-proxy.ts';
import { createProxyTemplate, GATE } from '../support/chain/proxy-template.ts';
import { freePort } from '../support/free-port.ts';
import { putJar, servicesOf, whereaboutsOf } from '../support/master/network.ts';
import { waitFor } from '../support/wait-for.ts';
import { hubAddress } from './kit/surroundings.ts';
import { testStage, type Stage } from './stage/stage.ts';

/**
 * Replaces Java in a game server: starts the real server, and executes the console command
 * `attack HOST PORT NAME TAG` with the rights of a hostile plugin. An attack joins a server as a proxy does: it
 * appends the player's identity to the host name (legacy forwarding). Then the attack prints the server's answer.
 */
const HACKED_JAVA = `#!/usr/bin/python3 -u
import errno, socket, struct, subprocess, sys, threading
server = subprocess.Popen(['/usr/bin/java', *sys.argv[1:]], stdin=subprocess.PIPE)
def number(value):
    out = b''
    while value > 127:
        out, value = out + bytes([value & 127 | 128]), value >> 7
    return out + bytes([value])
def text(value): return number(len(value.encode())) + value.encode()
def packet(id, *fields):
    body = number(id) + b''.join(fields)
    return number(len(body)) + body
def attack(host, port, name):
    try: link = socket.create_connection((host, int(port)), 5)
    except OSError as error: return errno.errorcode.get(error.errno, str(error))
    forged = '\\0'.join((host, '10.1.2.3', '0123456789abcdef0123456789abcdef'))
    link.sendall(packet(0, number(47), text(forged), struct.pack('>H', int(port)), number(2)) + packet(0, text(name)))
    answer = link.recv(4096)
    return 'joined' if answer[1:2] in (b'\\x02', b'\\x03') else f'answered {answer[:40]!r}'
def console():
    for line in sys.stdin:
        words = line.split()
        if words[0] == 'attack': print(words[4], attack(*words[1:4]), flush=True)
        else:
            server.stdin.write(line.encode())
            server.stdin.flush()
threading.Thread(target=console, daemon=True).start()
sys.exit(server.wait())
`;

/** Settings of a game server. All services together need more RAM than one node of {@link NODE_TYPE} has. */
const GAME = { isProxy: false, minJvmMemory: 16, maxJvmMemory: 512, maxPlayers: 20 };
const NODE_TYPE = 'cpx22';

async function game(fixture: Stage, id: string, count: number): Promise<void> {
  const numbers = { minimumRunningServers: count, maximumOnlineServers: count };
  const config = { ...GAME, ...numbers, isFallback: id === 'lobby' };
  await fixture.master.call('templates.create', { id, config });
}

async function up(fixture: Stage): Promise<readonly Service[]> {
  return (await servicesOf(fixture.master)).filter(({ state }) => state === 'RUNNING' || state === 'IN_USE');
}

/** Starts a proxy, three lobbies, and a hacked game server, on two nodes. */
async function open(fixture: Stage, under: Parameters<Parameters<typeof story>[1]>[0]): Promise<void> {
  const { master } = fixture;
  // The plugin link listens at the address that the master has when it starts.
  const config = join(master.data, 'config');
  for (const folder of [master.data, config]) await mkdir(folder, { recursive: true, mode: 0o700 });
  const communication = { hostname: hubAddress, port: await freePort() };
  await writeFile(join(config, 'master.json'), JSON.stringify({ communication }), { mode: 0o600 });
  await fixture.start({ provider: { server_type: NODE_TYPE } });
  await game(fixture, 'arena', 1);
  const jre = join(master.data, 'templates', 'arena', 'jre', 'bin');
  await mkdir(jre, { recursive: true });
  await writeFile(join(jre, 'java'), HACKED_JAVA, { mode: 0o755 });
  await game(fixture, 'lobby', 3);
  await createProxyTemplate(master, { under, proxies: 1 });
  for (const id of ['arena', 'lobby']) await putJar(master, id);
  await waitFor(
    async () => {
      const services = await up(fixture);
      if (services.length === 5 && services.some(({ plugin }) => plugin?.state === 'linked')) return true;
      throw new Error(JSON.stringify(await servicesOf(master)));
    },
    { timeoutMs: 600_000, what: 'the network' },
  );
}

story(
  'a hacked game server can join no other service; players can still switch servers, be moved and be kicked',
  async (under) => {
    const fixture = await testStage();
    const { master, cloud } = fixture;
    await open(fixture, under);
    const services = await up(fixture);
    const nodeOf = (id: string) => services.find((one) => one.id === id)?.node ?? '';
    expect(new Set(services.map(({ node }) => node)).size).toBe(2);

    let attacks = 0;
    /** Lets the hacked server join another server with a forged name. @returns the other server's answer */
    const attack = async (host: string, port: number): Promise<string> => {
      attacks += 1;
      const tag = `attack-${attacks}`;
      await master.call('services.command', {
        id: 'arena-1',
        line: `attack ${host} ${port} Notch${attacks} ${tag}`,
      });
      const search = { id: 'arena-1', text: `${tag} `, caseSensitive: true, limit: 1 };
      return waitFor(
        async () =>
          (await master.call('services.searchLog', search)).lines[0]?.text.slice(tag.length + 1) ?? null,
        { what: tag },
      );
    };
    /** Attacks all other services, at all addresses. */
    const attackAll = async (): Promise<void> => {
      for (const { id, address, node } of await up(fixture)) {
        if (id === 'arena-1' || !address) continue;
        const hosts = [address.host, ...(node === nodeOf('arena-1') ? ['127.0.0.1'] : [])];
        for (const host of hosts)
          expect([id, host, await attack(host, address.port)]).toEqual([id, host, 'ECONNREFUSED']);
      }
    };
    const sees = (...want: readonly RegExp[]): Promise<unknown> =>
      waitFor(
        async () => {
          const seen = await whereaboutsOf(master);
          if (seen.length === want.length && want.every((line, i) => line.test(seen[i] ?? ''))) return true;
          throw new Error(seen.join());
        },
        { what: `players at ${want.join()}` },
      );
    const uuidOf = async (name: string): Promise<string> =>
      (await master.call('players.list', {})).players.find((player) => player.name === name)?.uuid ?? '';

    await attackAll();
    const join = (name: string) =>
      waitFor(() => fixture.join(`${GATE}-1`, name), { what: `${name} to join` });
    const [alex, steve] = [await join('Alex'), await join('Steve')];
    await sees(/^Alex gate-1 lobby-1$/, /^Steve gate-1 lobby-1$/);

    // Alex switches to the hacked server, and an admin sends Steve to another lobby.
    alex.chat('/server arena-1');
    await sees(/^Alex gate-1 arena-1$/, /^Steve gate-1 lobby-1$/);
    await master.call('players.send', { uuid: await uuidOf('Steve'), service: 'lobby-2' });
    await sees(/^Alex gate-1 arena-1$/, /^Steve gate-1 lobby-2$/);
    await attackAll();

    // A game server kicks Steve, who falls back to another game server. Then this game server is killed.
    await master.call('services.command', { id: 'lobby-2', line: 'kick Steve be nice' });
    await hears(steve, /be nice/);
    await sees(/^Alex gate-1 arena-1$/, /^Steve gate-1 lobby-1$/);
    const victim = (await fixture.jvms()).find(({ service }) => service === 'lobby-1');
    await cloud.node(nodeOf('lobby-1')).must(`kill -KILL ${victim?.pid ?? ''}`);
    await sees(/^Alex gate-1 arena-1$/, /^Steve gate-1 lobby-3$/);
    await hears(steve, /lobby-1 was lost/);
    await attackAll();

    // An admin sends Alex from the hacked server to a lobby, and then kicks Alex.
    await master.call('players.send', { uuid: await uuidOf('Alex'), service: 'lobby-3' });
    await sees(/^Alex gate-1 lobby-3$/, /^Steve gate-1 lobby-3$/);
    await master.call('players.kick', { uuid: await uuidOf('Alex'), message: 'enough for today' });
    expect(await alex.kicked).toContain('enough for today');
    await sees(/^Steve gate-1 lobby-3$/);

    // Without the node's firewall the same attack succeeds, so nothing else stops it.
    const { address } = services.find(({ id }) => id === 'lobby-3') ?? {};
    if (!address) throw new Error('lobby-3 has no address');
    await cloud.node(nodeOf('arena-1')).must('nft delete table inet overworld');
    expect(await attack(address.host, address.port)).toBe('joined');
  },
  600_000,
);
