import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { buildProbeServer } from '../../support/java/probe-server.ts';
import { waitFor } from '../../support/wait-for.ts';
import type { ObservedProcess } from '#master/runtime/runtime.ts';
import { connects } from '../kit/connects.ts';
import { sharedLab } from '../kit/lab.ts';
import { hubAddress } from '../kit/surroundings.ts';
import { bootKeyed, MASTER_PORT, nodeStage, sees, type KeyedNode } from '../stage/node-stage.ts';

const lab = sharedLab();
let probe: ReturnType<typeof buildProbeServer>;
let paper: ReturnType<typeof buildProbeServer>;
let nodes: readonly KeyedNode[];
beforeAll(async () => {
  probe = buildProbeServer();
  paper = buildProbeServer('Implementation-Title: Paper\nImplementation-Version: 1.21.4\n');
  nodes = await Promise.all([bootKeyed(lab), bootKeyed(lab)]);
});
afterAll(() => {
  probe.remove();
  paper.remove();
});

/** Replaces Java: connects and listens with the rights of a hostile plugin, as the commands on its console say. */
const JAVA = `#!/usr/bin/python3 -u
import errno, socket, sys
print('ready', flush=True)
for line in sys.stdin:
    word, *rest = line.split()
    if word in ('stop', 'end'):
        break
    elif word == 'listen':
        listener = socket.create_server(('', int(rest[0])))
        print('listens', flush=True)
    elif word == 'call':
        try:
            socket.create_connection((rest[0], int(rest[1])), 5).close()
            said = 'connected'
        except OSError as error:
            said = errno.errorcode.get(error.errno, str(error))
        print(rest[2], said, flush=True)
`;

interface Service {
  readonly process: ObservedProcess;
  /** Connects to a service. @returns `connected` or the name of the error */
  readonly call: (host: string, port: number) => Promise<string>;
}

type Starter = (id: string, isProxy?: boolean) => Promise<Service>;

/** Starts services on a node, by default with unknown software. Each of them listens at its port. */
async function starter(keyed: KeyedNode, { jar } = probe): Promise<Starter> {
  const { open, spec, template, shell } = await nodeStage(keyed, jar);
  await mkdir(join(template, 'jre/bin'), { recursive: true });
  await writeFile(join(template, 'jre/bin/java'), JAVA, { mode: 0o755 });
  const runtime = open();
  let calls = 0;
  return async (id, isProxy = false) => {
    await waitFor(() => shell.connected, { what: 'the connection to the node', timeoutMs: 60_000 });
    await runtime.prepare(await spec({ id, isProxy }));
    const process = await runtime.start(id);
    await sees(runtime, /^ready$/, id);
    await runtime.command(id, `listen ${process.port}`);
    await sees(runtime, /^listens$/, id);
    const call = async (host: string, port: number): Promise<string> => {
      calls += 1;
      await runtime.command(id, `call ${host} ${port} call-${calls}`);
      return (await sees(runtime, new RegExp(`^call-${calls} `), id)).split(' ')[1] ?? '';
    };
    return { process, call };
  };
}

it('the firewall of a node lets only proxies connect to services on this node and on other nodes', async () => {
  const [near, far] = [nodes[0], nodes[1]];
  if (near === undefined || far === undefined) throw new Error('two nodes were not booted');
  const [start, startFar] = await Promise.all([starter(near), starter(far)]);
  const attacker = await start('lobby-1');
  const victim = await start('lobby-2');
  const distant = await startFar('lobby-3');
  const proxy = await start('lobby-4', true);
  const targets = [
    ['127.0.0.1', victim.process.port],
    [near.node.address, victim.process.port],
    [near.node.address, proxy.process.port],
    [far.node.address, distant.process.port],
  ] as const;
  for (const [host, port] of targets) {
    expect([host, await attacker.call(host, port)]).toEqual([host, 'ECONNREFUSED']);
    expect([host, await proxy.call(host, port)]).toEqual([host, 'connected']);
  }
  // The master's pings and the connections of the balancer come from other machines.
  for (const [host, port] of targets.slice(1)) expect(await connects(host, port)).toBe(true);
  // The firewall allows other connections of a game server, for example to a database or to the plugin link.
  expect(await attacker.call(far.node.address, 22)).toBe('connected');
});

it('the firewall of a node treats a known game server as a game server even if its template sets isProxy', async () => {
  const keyed = nodes[0];
  if (keyed === undefined) throw new Error('no node was booted');
  const [start, startPaper] = [await starter(keyed), await starter(keyed, paper)];
  const [proxy, forgotten] = [await start('lobby-31', true), await startPaper('lobby-32', true)];
  expect(await forgotten.call('127.0.0.1', proxy.process.port)).toBe('ECONNREFUSED');
  expect(await proxy.call('127.0.0.1', forgotten.process.port)).toBe('connected');
});

/** Listens at the master's address until the end of the test. */
async function listenAsMaster(port: number): Promise<void> {
  const server = createServer((socket) => socket.destroy()).listen(port, hubAddress);
  await once(server, 'listening');
  onTestFinished(() => void server.close());
}

it("the firewall of a node blocks services from SSH of node and master, and from the provider's metadata", async () => {
  const keyed = nodes[0];
  if (keyed === undefined) throw new Error('no node was booted');
  const { node } = keyed;
  const linkPort = 1_510;
  await Promise.all([listenAsMaster(MASTER_PORT), listenAsMaster(linkPort)]);
  const metadata = '169.254.169.254';
  await node.must(`ip address add ${metadata}/32 dev lo`);
  onTestFinished(() => node.must(`ip address del ${metadata}/32 dev lo`).then(() => undefined));
  await node.must(`systemd-run --unit metadata python3 -m http.server --bind ${metadata} 80`);
  onTestFinished(() => node.must('systemctl stop metadata').then(() => undefined));
  const fromRoot = async (host: string, port: number): Promise<boolean> =>
    (await node.run(`python3 -c 'import socket; socket.create_connection(("${host}", ${port}), 5)'`)).code ===
    0;
  await waitFor(() => fromRoot(metadata, 80), { what: 'the metadata service' });
  const start = await starter(keyed);
  const [game, proxy] = [await start('lobby-21'), await start('lobby-22', true)];
  const closed = [
    ['127.0.0.1', 22],
    [node.address, 22],
    [hubAddress, MASTER_PORT],
    [metadata, 80],
  ] as const;
  for (const [host, port] of closed) {
    expect([host, port, await game.call(host, port)]).toEqual([host, port, 'ECONNREFUSED']);
    expect([host, port, await proxy.call(host, port)]).toEqual([host, port, 'ECONNREFUSED']);
    expect([host, port, await fromRoot(host, port)]).toEqual([host, port, true]);
  }
  // Services can connect to the plugin link, which accepts only tokens of running services.
  expect(await game.call(hubAddress, linkPort)).toBe('connected');
});

it('the firewall of a node also applies to services that start after a reboot', async () => {
  const keyed = nodes[0];
  if (keyed === undefined) throw new Error('no node was booted');
  const start = await starter(keyed);
  const before = await start('lobby-11');
  expect(await before.call('127.0.0.1', before.process.port)).toBe('ECONNREFUSED');
  await keyed.node.reboot();
  const [attacker, proxy] = [await start('lobby-12'), await start('lobby-13', true)];
  expect(await attacker.call('127.0.0.1', proxy.process.port)).toBe('ECONNREFUSED');
  expect(await proxy.call('127.0.0.1', attacker.process.port)).toBe('connected');
});
