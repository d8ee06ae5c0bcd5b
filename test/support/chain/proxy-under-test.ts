import { buildExamplePlugin } from '../../../build/scripts/java/build-example-plugin.mjs';
import { PRACTICE_VERSIONS } from '../players/practice-game.ts';
import { practiceProxyJar } from '../players/practice-proxy.ts';
import { buildTestPlugin } from '../link/test-plugins.ts';

/** Permissions of players by name. */
export type Grants = Readonly<Record<string, readonly string[]>>;

/** Kind of proxy with which the stories run. */
export interface ProxyUnderTest {
  readonly name: string;
  /** Reason why the stories cannot run with this kind of proxy on this machine. Null if they can. */
  readonly skipped: string | null;
  jar(): Promise<string>;
  /** Memory settings for the template of these proxies. */
  readonly memory: { readonly minJvmMemory: number; readonly maxJvmMemory: number };
  /** Returns the files of the template's folder other than server.jar: path → content. */
  files(grants: Grants): Readonly<Record<string, string>>;
  /** Returns the jars in the template's folder: path in the folder → path of the source. */
  jars(): Promise<Readonly<Record<string, string>>>;
  /**
   * Permission with which a player may join beyond the limit. The proxy's permission plugin, or its replacement, checks
   * it.
   */
  readonly beyondLimit: string;
  /** Message to players who are rejected because of the limit. */
  readonly refusal: RegExp;
  /** Newest Minecraft version that both the proxy and the practice servers behind it support. */
  readonly newestVersion: string;
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
  newestVersion: PRACTICE_VERSIONS[2],
};

interface RealProxy {
  readonly name: string;
  /** Environment variable that contains the path of the proxy's jar. */
  readonly variable: string;
  readonly files: ProxyUnderTest['files'];
  /** Test plugin that replaces a third-party plugin. The proxy needs it in addition to the example plugin. */
  readonly plugin: Parameters<typeof buildTestPlugin>[0];
}

/**
 * Describes a third-party proxy with the example plugin. An environment variable contains the path of its jar,
 * because Overworld may not distribute it.
 */
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
    refusal: /All \d+ slots are taken \(\d+ online\)/,
    // A low version, because the jar in the environment variable may be old.
    newestVersion: PRACTICE_VERSIONS[1],
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
      // Practice servers support only this forwarding mode.
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

/** All kinds of proxies. The practice proxy is always available. */
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
