import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { JavaProgram } from '#test/support/java/java-program.ts';
import { practiceProxyJar, proxyConfig, startPracticeProxy } from '#test/support/players/practice-proxy.ts';
import { freePort } from './by-hand.ts';
import type { Scope } from '../scope.ts';

/** A program that is measured as the proxy of a network, with our plugin and without. */
export interface PlayerProxy {
  readonly name: string;
  jar(): Promise<string>;
  /** What lies in its template's folder beside server.jar, by path. */
  readonly files: Readonly<Record<string, string>>;
  /**
   * Starts it without our plugin; ended with the scope.
   *
   * @param lobby port of the game server to which it sends everybody
   * @returns its port
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

/** Nobody is checked, held up or counted by it, and packets are not compressed: raw players could not read them. */
const BUNGEE = { online_mode: false, connection_throttle: -1, network_compression_threshold: -1, stats: '' };

function bungeeCord(jar: string): PlayerProxy {
  const files = {
    // JSON is YAML, too.
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

/** The real one where its jar is named, as the stories of the way in do (CONTRIBUTING.md). */
export function playerProxy(): PlayerProxy {
  const jar = process.env['OVERWORLD_TEST_BUNGEE_JAR'];
  return jar === undefined || jar === '' ? practiceProxy : bungeeCord(jar);
}
