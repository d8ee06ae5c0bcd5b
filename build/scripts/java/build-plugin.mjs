import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildJar } from './java-jar.mjs';
import { pluginJar, root } from '../paths.mjs';

/**
 * Builds the plugin that the master puts into proxies and game servers, one jar for all, see {@link buildJar}. The APIs
 * of those are stubs of ours that it is compiled against; nothing of others is in it.
 *
 * @param {{ outFile?: string }} [options] where to put the jar; `dist/plugin/overworld.jar` by default
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
