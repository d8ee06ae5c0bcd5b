import { join } from 'node:path';
import { buildJar } from '../../../build/scripts/java/java-jar.mjs';
import { dist, root } from '../../../build/scripts/paths.mjs';

/**
 * A small plugin that stands in for one of others' which real proxies need in tests: `velocity-permissions` gives permissions
 * by `permissions.txt`, `bungee-server` is the command `/server`.
 *
 * @returns its jar's path
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
