import { join } from 'node:path';
import { buildJar } from '../../../build/scripts/java/java-jar.mjs';
import { dist, root } from '../../../build/scripts/paths.mjs';

/**
 * Builds a small plugin that replaces a third-party plugin in tests with real proxies. `velocity-permissions` grants
 * permissions from `permissions.txt`. `bungee-server` implements the command `/server`.
 *
 * @returns path of the plugin's jar
 */
export function buildTestPlugin(name: 'velocity-permissions' | 'bungee-server'): Promise<string> {
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
