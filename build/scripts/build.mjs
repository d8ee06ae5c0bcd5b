import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dist, practiceProxyJar, practiceServerJar, root } from './paths.mjs';
import { hashOf, readStamp, writeStamp } from './stamp.mjs';
import { runScript, SetupError, step } from './steps.mjs';

/**
 * @typedef {object} Part
 * @property {readonly string[]} inputs files and folders whose change calls for a new build
 * @property {string} output what must exist for the part to count as built
 * @property {() => Promise<unknown>} build
 */

/** Inputs of every Vite build besides its own room. */
const common = ['package.json', 'package-lock.json', 'build/scripts/build-part.mjs'];

/** @param {string} part @param {string} output @param {readonly string[]} inputs @returns {Part} */
function vitePart(part, output, inputs) {
  return {
    inputs: [...common, `build/vite.${part}.config.ts`, ...inputs],
    output: join(dist, part, output),
    build: async () => {
      const { buildPart } = await import('./build-part.mjs');
      await buildPart(part);
    },
  };
}

/** @type {Record<string, Part>} */
const parts = {
  start: vitePart('start', 'index.cjs', ['build/vite.main-side.ts', 'shared', 'main']),
  main: vitePart('main', 'index.cjs', ['build/vite.main-side.ts', 'shared', 'main']),
  preload: vitePart('preload', 'preload.cjs', ['build/vite.main-side.ts', 'shared', 'main']),
  renderer: vitePart('renderer', 'index.html', ['shared', 'renderer']),
  master: vitePart('master', 'index.js', [
    'build/vite.main-side.ts',
    'build/scripts/java/build-plugin.mjs',
    'build/scripts/java/java-jar.mjs',
    'shared',
    'master',
  ]),
  'practice-server': {
    inputs: [
      'package.json',
      'master/practice/server',
      'master/practice/common',
      'build/scripts/java/build-practice-server.mjs',
      'build/scripts/java/java-jar.mjs',
    ],
    output: practiceServerJar,
    build: async () => {
      const { buildPracticeServer } = await import('./java/build-practice-server.mjs');
      await buildPracticeServer().catch(toSetupError);
    },
  },
  'practice-proxy': {
    inputs: [
      'master/practice/proxy',
      'master/practice/common',
      'master/plugin/src',
      'build/scripts/java/build-practice-proxy.mjs',
      'build/scripts/java/java-jar.mjs',
    ],
    output: practiceProxyJar,
    build: async () => {
      const { buildPracticeProxy } = await import('./java/build-practice-proxy.mjs');
      await buildPracticeProxy().catch(toSetupError);
    },
  },
};

/** @param {unknown} error @returns {never} */
function toSetupError(error) {
  throw new SetupError(error instanceof Error ? error.message : String(error), { cause: error });
}

/**
 * Builds every part whose inputs have changed since its last build.
 *
 * @param {readonly string[]} [names] parts to build; default: all
 * @returns {Promise<string>} outcome in a few words
 * @throws {SetupError} if a part does not build; parts built before it are kept
 */
export async function buildAll(names = Object.keys(parts)) {
  const built = [];
  for (const name of names) {
    const part = parts[name];
    if (part === undefined) {
      throw new SetupError(
        `There is no part "${name}" to build; the parts are ${Object.keys(parts).join(', ')}.`,
      );
    }
    const stamp = join(dist, '.stamp', name);
    const inputs = hashOf(root, part.inputs);
    if (existsSync(part.output) && readStamp(stamp) === inputs) continue;
    await part.build();
    // The stamp of the inputs before the build, so that an edit during the build causes another one.
    writeStamp(stamp, inputs);
    built.push(name);
  }
  return built.length === 0 ? 'ready' : `built ${built.join(', ')}`;
}

// Run as a script: node build/scripts/build.mjs [part …]
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runScript(async () => {
    const names = process.argv.slice(2);
    await step('build', () => buildAll(names.length === 0 ? undefined : names));
    return 0;
  });
}
