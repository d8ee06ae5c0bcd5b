import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JavaProgram } from '#test/support/java/java-program.ts';
import { practiceProxyJar, proxyConfig, startPracticeProxy } from '#test/support/players/practice-proxy.ts';
import { freePort } from './by-hand.ts';
import type { Scope } from '../scope.ts';

/** Proxy software that is measured with and without our plugin. */
export interface PlayerProxy {
  readonly name: string;
  jar(): Promise<string>;
  /** Files of the template's folder other than server.jar: path → content. */
  readonly files: Readonly<Record<string, string>>;
  /**
   * Starts the proxy without our plugin. Stops it with the scope.
   *
   * @param lobby port of the game server to which the proxy sends all players
   * @returns the proxy's port
   */
  startWithout(scope: Scope, options: { lobby: number; jvmArguments: readonly string[] }): Promise<number>;
}

const practiceProxy: PlayerProxy = {
  name: 'a practice proxy',
  jar: practiceProxyJar,
  files: {},
  async startWithout(scope, { lobby, jvmArguments }) {
    const proxy = await startPracticeProxy({ config: proxyConfig({ lobby }), jvmArguments });
    scope.add(() => proxy.close());
    return proxy.port;
  },
};

/**
 * Settings that switch off authentication, throttling, statistics, and the compression of packets. The minimal
 * players cannot read compressed packets.
 */
const BUNGEE = { online_mode: false, connection_throttle: -1, network_compression_threshold: -1, stats: '' };

function bungeeCord(jar: string): PlayerProxy {
  const files = {
    // BungeeCord reads YAML, which includes JSON.
    'config.yml': `${JSON.stringify({ ...BUNGEE, listeners: [{ query_enabled: false }] })}\n`,
    'modules.yml': 'modules: []\n',
  };
  return {
    name: 'BungeeCord',
    jar: () => Promise.resolve(jar),
    files,
    async startWithout(scope, { lobby, jvmArguments }) {
      const folder = await scope.folder();
      const port = await freePort();
      const config = {
        ...BUNGEE,
        ip_forward: true,
        listeners: [{ host: `127.0.0.1:${port}`, priorities: ['lobby'] }],
        servers: { lobby: { address: `127.0.0.1:${lobby}`, motd: '', restricted: false } },
      };
      await mkdir(join(folder, 'plugins'));
      for (const [path, text] of Object.entries({ ...files, 'config.yml': JSON.stringify(config) })) {
        await writeFile(join(folder, path), text);
      }
      const proxy = new JavaProgram(folder, [...jvmArguments, '-jar', jar]);
      scope.add(() => proxy.close());
      await proxy.sees(/Listening on \//);
      return port;
    },
  };
}

/**
 * Returns BungeeCord if its jar is configured as for the player stories (CONTRIBUTING.md), otherwise the practice
 * proxy.
 */
export function playerProxy(): PlayerProxy {
  const jar = process.env['OVERWORLD_TEST_BUNGEE_JAR'];
  return jar === undefined || jar === '' ? practiceProxy : bungeeCord(jar);
}
