import { buildExamplePlugin } from '../../../build/scripts/java/build-example-plugin.mjs';
import { practiceProxyJar } from '../players/practice-proxy.ts';
import { buildTestPlugin } from '../link/test-plugins.ts';

/** Permissions of players by name. */
export type Grants = Readonly<Record<string, readonly string[]>>;

/** A kind of proxy that the stories run on. */
export interface ProxyUnderTest {
  readonly name: string;
  /** Why the stories do not run on it here; null: they do. */
  readonly skipped: string | null;
  jar(): Promise<string>;
  /** Fields of its template's configuration. */
  readonly memory: { readonly minJvmMemory: number; readonly maxJvmMemory: number };
  /** What lies in its template's folder beside server.jar, by path; contents. */
  files(grants: Grants): Readonly<Record<string, string>>;
  /** Jars in its template's folder, by path; where they are taken from. */
  jars(): Promise<Readonly<Record<string, string>>>;
  /** Whoever holds it is let in beyond the limit by another plugin, or what stands in for one. */
  readonly beyondLimit: string;
  /** What others are told by then. */
  readonly refusal: RegExp;
}

const practiceProxy: ProxyUnderTest = {
  name: 'practice proxy',
  skipped: null,
  jar: practiceProxyJar,
  memory: { minJvmMemory: 16, maxJvmMemory: 64 },
  files: (grants) => ({ 'permissions.txt': linesOf(grants) }),
  jars: () => Promise.resolve({}),
  beyondLimit: 'practice.beyond-limit',
  refusal: /^The network is full: \d+ of \d+ players are online/,
};

interface RealProxy {
  readonly name: string;
  /** Of the environment: where its jar is. */
  readonly variable: string;
  readonly files: ProxyUnderTest['files'];
  /** Stands in for what it needs beside the example plugin. */
  readonly plugin: Parameters<typeof buildTestPlugin>[0];
}

/** Proxies of others with the example plugin; their jars are named by the environment, as they are not ours to ship. */
function realProxy({ name, variable, files, plugin }: RealProxy): ProxyUnderTest {
  const jar = process.env[variable];
  return {
    name,
    skipped: jar === undefined || jar === '' ? `${variable} is not set` : null,
    jar: () => Promise.resolve(jar ?? ''),
    memory: { minJvmMemory: 64, maxJvmMemory: 192 },
    files,
    jars: async () => ({
      'plugins/example.jar': await buildExamplePlugin(),
      'plugins/test.jar': await buildTestPlugin(plugin),
    }),
    beyondLimit: 'example.vip',
    refusal: /All \d+ places are taken \(\d+ online\)/,
  };
}

function linesOf(grants: Grants): string {
  const lines = Object.entries(grants).flatMap(([player, list]) =>
    list.map((permission) => `${player} ${permission}\n`),
  );
  return lines.join('');
}

function bungeeFiles(grants: Grants): Record<string, string> {
  const players = Object.entries(grants);
  return {
    'config.yml': [
      'online_mode: false',
      'connection_throttle: -1',
      'stats: ""',
      'permissions:',
      '  default:',
      '  - bungeecord.command.server',
      ...players.flatMap(([player, list]) => [
        `  ${player}:`,
        ...list.map((permission) => `  - ${permission}`),
      ]),
      ...(players.length === 0 ? ['groups: {}'] : ['groups:']),
      ...players.flatMap(([player]) => [`  ${player}:`, `  - ${player}`]),
      '',
    ].join('\n'),
    'modules.yml': 'modules: []\n',
  };
}

function velocityFiles(grants: Grants): Record<string, string> {
  return {
    'velocity.toml': [
      'config-version = "2.7"',
      'online-mode = false',
      // Practice servers know no other.
      'player-info-forwarding-mode = "legacy"',
      'forwarding-secret-file = "forwarding.secret"',
      '[servers]',
      'lobby = "127.0.0.1:1"',
      'try = ["lobby"]',
      '[forced-hosts]',
      '[advanced]',
      'login-ratelimit = 0',
      '',
    ].join('\n'),
    'forwarding.secret': 'not used with legacy forwarding',
    'permissions.txt': linesOf(grants),
    'plugins/bStats/config.txt': 'enabled=false\n',
  };
}

/** All proxies; the practice proxy is always there. */
export const proxiesUnderTest: readonly ProxyUnderTest[] = [
  practiceProxy,
  realProxy({
    name: 'BungeeCord',
    variable: 'OVERWORLD_TEST_BUNGEE_JAR',
    files: bungeeFiles,
    plugin: 'bungee-server',
  }),
  realProxy({
    name: 'Velocity',
    variable: 'OVERWORLD_TEST_VELOCITY_JAR',
    files: velocityFiles,
    plugin: 'velocity-permissions',
  }),
];
