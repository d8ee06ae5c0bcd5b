import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildJar } from './java-jar.mjs';
import { practiceProxyJar, root } from '../paths.mjs';

/**
 * Builds the practice proxy's jar, see {@link buildJar}. It is compiled against Overworld's plugin, which the proxy
 * loads from `plugins/overworld.jar` in its folder.
 *
 * @param {{ outFile?: string }} [options] path of the jar; `dist/practice-proxy.jar` by default
 * @returns {Promise<string>} the jar's absolute path
 */
export function buildPracticeProxy({ outFile } = {}) {
  return buildJar({
    what: 'The practice proxy',
    outFile: resolve(outFile ?? practiceProxyJar),
    sources: ['proxy', 'common'].map((name) => join(root, 'master/practice', name, 'src')),
    seen: [join(root, 'master/plugin/src')],
    title: 'Overworld practice proxy',
    mainClass: 'overworld.practice.proxy.PracticeProxy',
  });
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    console.log(await buildPracticeProxy());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
