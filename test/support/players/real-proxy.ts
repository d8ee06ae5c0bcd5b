import { copyFile, mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildExamplePlugin } from '../../../build/scripts/java/build-example-plugin.mjs';
import { buildPlugin } from '../../../build/scripts/java/build-plugin.mjs';
import { HAND_OVER_FILE } from '#shared/link/messages.ts';
import type { HandOver } from '#master/link/link.ts';
import { freePort } from '../haproxy/haproxy-fixture.ts';
import { JavaProgram } from '../java/java-program.ts';
import { buildTestPlugin } from '../link/test-plugins.ts';

/**
 * Third-party proxies. Environment variables contain the paths of their jars, because Overworld may not distribute
 * them.
 */
export const realProxies = {
  BungeeCord: process.env['OVERWORLD_TEST_BUNGEE_JAR'],
  Velocity: process.env['OVERWORLD_TEST_VELOCITY_JAR'],
} as const;
export type RealProxyKind = keyof typeof realProxies;

export interface RealProxyOptions {
  readonly jar: string;
  readonly handOver: HandOver;
  /** Permissions by player name. The permissions of `default` apply to all players. */
  readonly permissions?: Readonly<Record<string, readonly string[]>>;
  /** Servers for the addresses in the proxy's own configuration (`forced_hosts`): address → server. */
  readonly forcedHosts?: Readonly<Record<string, string>>;
  /** The servers that the proxy's own configuration tries for joining players. Default: `lobby`. */
  readonly priorities?: readonly string[];
  /** Servers that another plugin chooses for joining players: player name → server. */
  readonly firstServers?: Readonly<Record<string, string>>;
  /** Additional files in the proxy's folder, by name. */
  readonly files?: Readonly<Record<string, string>>;
}

/** Third-party proxy with Overworld's plugin and the example plugin, in its own folder. */
export class RealProxy extends JavaProgram {
  readonly port: number;

  constructor(folder: string, args: readonly string[], port: number) {
    super(folder, args);
    this.port = port;
  }
}

/** Starts the proxy on a free loopback port, in offline mode with legacy forwarding. The caller closes the proxy. */
export async function startRealProxy(kind: RealProxyKind, options: RealProxyOptions): Promise<RealProxy> {
  const folder = await mkdtemp(join(tmpdir(), 'overworld-real-proxy-'));
  const port = await freePort();
  const { handOver, firstServers = {} } = options;
  const files = {
    ...(kind === 'BungeeCord' ? bungeeFiles(port, options) : velocityFiles(port, options)),
    [HAND_OVER_FILE]: Object.entries(handOver)
      .map(([key, value]) => `${key}=${value}\n`)
      .join(''),
    'first-servers.txt': Object.entries(firstServers)
      .map(([player, server]) => `${player} ${server}\n`)
      .join(''),
    ...options.files,
  };
  await mkdir(join(folder, 'plugins/bStats'), { recursive: true });
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content);
  const plugins = [
    await buildPlugin(),
    await buildExamplePlugin(),
    await buildTestPlugin(kind === 'Velocity' ? 'velocity-permissions' : 'bungee-server'),
    await buildTestPlugin(kind === 'Velocity' ? 'velocity-first-server' : 'bungee-first-server'),
  ];
  for (const [i, plugin] of plugins.entries()) await copyFile(plugin, join(folder, `plugins/${i}.jar`));

  const proxy = new RealProxy(folder, ['-Xmx160m', '-XX:+UseSerialGC', '-jar', options.jar], port);
  try {
    await proxy.sees(/Listening on \//);
    if (kind === 'Velocity') await proxy.sees(/Done \(/);
  } catch (error) {
    await proxy.close();
    throw error;
  }
  return proxy;
}

/**
 * Returns the same files that BungeeCord creates at its first start. The servers in this configuration do not exist.
 */
function bungeeFiles(port: number, options: RealProxyOptions) {
  const { permissions = {}, forcedHosts = {}, priorities = ['lobby'] } = options;
  const nowhere = { address: '127.0.0.1:1', motd: 'nowhere', restricted: false };
  const servers = [...priorities, ...Object.values(forcedHosts)];
  const listener = { host: `127.0.0.1:${port}`, priorities, bind_local_address: true };
  const config = {
    listeners: [{ ...listener, forced_hosts: forcedHosts }],
    servers: Object.fromEntries(servers.map((server) => [server, nowhere])),
    online_mode: false,
    ip_forward: true,
    connection_throttle: -1,
    stats: '',
    groups: Object.fromEntries(Object.keys(permissions).map((player) => [player, [player]])),
    permissions: { default: ['bungeecord.command.server'], ...permissions },
  };
  // BungeeCord reads YAML, which includes JSON.
  return { 'config.yml': JSON.stringify(config), 'modules.yml': 'modules: []\n' };
}

function velocityFiles(port: number, options: RealProxyOptions) {
  const { permissions = {}, forcedHosts = {}, priorities = ['lobby'] } = options;
  const config = [
    'config-version = "2.7"',
    `bind = "127.0.0.1:${port}"`,
    'online-mode = false',
    'player-info-forwarding-mode = "legacy"',
    'forwarding-secret-file = "forwarding.secret"',
    '[servers]',
    ...[...priorities, ...Object.values(forcedHosts)].map((server) => `${server} = "127.0.0.1:1"`),
    `try = ${JSON.stringify(priorities)}`,
    '[forced-hosts]',
    ...Object.entries(forcedHosts).map(([address, server]) => `"${address}" = ["${server}"]`),
    '[advanced]',
    'login-ratelimit = 0',
    'connection-timeout = 5000',
    '[query]',
    'enabled = false',
  ];
  const given = Object.entries(permissions).flatMap(([player, list]) =>
    list.map((permission) => `${player === 'default' ? '*' : player} ${permission}\n`),
  );
  return {
    'velocity.toml': config.join('\n'),
    'forwarding.secret': 'not used with legacy forwarding',
    'permissions.txt': given.join(''),
    'plugins/bStats/config.txt': 'enabled=false\n',
  };
}
