import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildJar } from './java-jar.mjs';
import { pluginJar, root } from '../paths.mjs';

/**
 * Builds the plugin that the master adds to proxies and game servers, see {@link buildJar}. One jar works in all of
 * them. It is compiled against our own stubs of their APIs and includes no third-party code.
 *
 * @param {{ outFile?: string }} [options] path of the jar; `dist/plugin/overworld.jar` by default
 * @returns {Promise<string>} the jar's absolute path
 */
export function buildPlugin({ outFile } = {}) {
  return buildJar({
    what: "Overworld's plugin",
    outFile: resolve(outFile ?? pluginJar),
    sources: [join(root, 'master/plugin/src')],
    seen: [join(root, 'master/plugin/stubs')],
    resources: [join(root, 'master/plugin/resources')],
    title: 'Overworld plugin',
  });
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    console.log(await buildPlugin());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
