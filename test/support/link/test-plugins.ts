import { join } from 'node:path';
import { buildJar } from '../../../build/scripts/java/java-jar.mjs';
import { dist, root } from '../../../build/scripts/paths.mjs';

/**
 * Small plugins that replace third-party plugins. `velocity-permissions` grants permissions from `permissions.txt`.
 * `bungee-server` implements the command `/server`. `velocity-first-server` and `bungee-first-server` choose the first
 * servers of the players in `first-servers.txt`.
 */
export type TestPlugin =
  'velocity-permissions' | 'bungee-server' | 'velocity-first-server' | 'bungee-first-server';

/**
 * Builds a test plugin for real proxies.
 *
 * @returns path of the plugin's jar
 */
export function buildTestPlugin(name: TestPlugin): Promise<string> {
  const folder = join(root, 'test/support/test-plugins', name);
  return buildJar({
    what: `The test plugin ${name}`,
    outFile: join(dist, 'test-plugins', `${name}.jar`),
    sources: [join(folder, 'src')],
    seen: [join(folder, 'stubs'), join(root, 'master/plugin/stubs')],
    resources: [join(folder, 'resources')],
    title: `Overworld test plugin ${name}`,
  });
}
