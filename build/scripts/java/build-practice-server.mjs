import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildJar } from './java-jar.mjs';
import { practiceServerJar, root } from '../paths.mjs';

/**
 * Sources and resources of the practice server's jar. Some test servers extend the practice server, and their jars
 * contain these sources and resources, too.
 */
export const practiceServer = {
  sources: ['server', 'common'].map((name) => join(root, 'master/practice', name, 'src')),
  resources: [join(root, 'master/practice/server/resources')],
};

/**
 * Builds the practice server's jar, see {@link buildJar}.
 *
 * @param {{ outFile?: string }} [options] path of the jar; `dist/practice-server.jar` by default
 * @returns {Promise<string>} the jar's absolute path
 */
export function buildPracticeServer({ outFile } = {}) {
  return buildJar({
    what: 'The practice server',
    outFile: resolve(outFile ?? practiceServerJar),
    ...practiceServer,
    title: 'Overworld practice server',
    mainClass: 'overworld.practice.PracticeServer',
  });
}

if (process.argv[1] && resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    console.log(await buildPracticeServer());
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exitCode = 1;
  }
}
