import { buildExamplePlugin } from '../../../build/scripts/java/build-example-plugin.mjs';
import { practiceProxyJar } from '../players/practice-proxy.ts';
import { buildTestPlugin } from '../link/test-plugins.ts';

/** Permissions of players by name. */
export type Grants = Readonly<Record<string, readonly string[]>>;

/** A kind of proxy that the stories run on. */
export interface ProxyUnderTest {
  readonly name: string;
  /** Why the stories do not run on it here. Null if they do. */
  readonly skipped: string | null;
  jar(): Promise<string>;
  /** Fields of its template's configuration. */
  readonly memory: { readonly minJvmMemory: number; readonly maxJvmMemory: number };
  /** Files of its template's folder besides server.jar: path → content. */
  files(grants: Grants): Readonly<Record<string, string>>;
  /** Jars in its template's folder: path → source. */
  jars(): Promise<Readonly<Record<string, string>>>;
  /** Permission with which another plugin, or its replacement, admits players beyond the limit. */
  readonly beyondLimit: string;
  /** Message that other players get then. */
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
  /** Environment variable with the path of its jar. */
  readonly variable: string;
  readonly files: ProxyUnderTest['files'];
  /** Replacement for what it needs besides the example plugin. */
  readonly plugin: Parameters<typeof buildTestPlugin>[0];
}

/**
 * Creates a third-party proxy with the example plugin. Its jar comes from an environment variable, because
 * Overworld may not distribute it.
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
      // Practice servers support no other mode.
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

/** All proxies. The practice proxy is always available. */
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
