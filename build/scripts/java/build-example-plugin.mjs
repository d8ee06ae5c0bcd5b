import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildJar } from './java-jar.mjs';
import { dist, root } from '../paths.mjs';

/**
 * Builds the example for plugin authors, see {@link buildJar}. It is compiled against Overworld's plugin, which is
 * not included.
 *
 * @param {{ outFile?: string }} [options] path of the jar; `dist/example-plugin.jar` by default
 * @returns {Promise<string>} the jar's absolute path
 */
export function buildExamplePlugin({ outFile } = {}) {
  return buildJar({
    what: 'The example plugin',
    outFile: resolve(outFile ?? join(dist, 'example-plugin.jar')),
    sources: [join(root, 'master/plugin/example/src')],
    seen: [join(root, 'master/plugin/stubs'), join(root, 'master/plugin/src')],
    resources: [join(root, 'master/plugin/example/resources')],
    title: 'Overworld example plugin',
  });
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    console.log(await buildExamplePlugin());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
