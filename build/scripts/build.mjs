import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { dist, pluginJar, practiceProxyJar, practiceServerJar, root } from './paths.mjs';
import { checkNode } from './set-up/node-version.mjs';
import { hashOf, readStamp, writeStamp } from './stamp.mjs';
import { runScript, SetupError, step } from './steps.mjs';

/**
 * A part of the build.
 *
 * @typedef {object} Part
 * @property {readonly string[]} inputs files and folders; a change in them requires a new build
 * @property {string} output file that exists if the part has been built
 * @property {() => Promise<unknown>} build
 */

/** Inputs that all parts built with Vite have in common. Each part also has its own sources as inputs. */
const common = ['package.json', 'package-lock.json', 'build/scripts/build-part.mjs'];

/**
 * Returns the part that Vite builds with `build/vite.<part>.config.ts`.
 *
 * @param {string} part
 * @param {string} output
 * @param {readonly string[]} inputs
 * @returns {Part}
 */
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

/**
 * Returns the part that is a jar built by `build/scripts/java/build-<name>.mjs`.
 *
 * @param {string} name
 * @param {string} output
 * @param {readonly string[]} inputs
 * @param {() => Promise<unknown>} build
 * @returns {Part}
 */
function jarPart(name, output, inputs, build) {
  return {
    inputs: [
      'package.json',
      `build/scripts/java/build-${name}.mjs`,
      'build/scripts/java/java-jar.mjs',
      ...inputs,
    ],
    output,
    build,
  };
}

/** The jars come first, so that a missing JDK is reported without a wait. @type {Record<string, Part>} */
const parts = {
  plugin: jarPart(
    'plugin',
    pluginJar,
    ['master/plugin/src', 'master/plugin/stubs', 'master/plugin/resources'],
    async () => (await import('./java/build-plugin.mjs')).buildPlugin(),
  ),
  'practice-server': jarPart(
    'practice-server',
    practiceServerJar,
    ['master/practice/server', 'master/practice/common'],
    async () => (await import('./java/build-practice-server.mjs')).buildPracticeServer(),
  ),
  'practice-proxy': jarPart(
    'practice-proxy',
    practiceProxyJar,
    ['master/practice/proxy', 'master/practice/common', 'master/plugin/src'],
    async () => (await import('./java/build-practice-proxy.mjs')).buildPracticeProxy(),
  ),
  start: vitePart('start', 'index.cjs', ['build/vite.main-side.ts', 'shared', 'main']),
  main: vitePart('main', 'index.cjs', ['build/vite.main-side.ts', 'shared', 'main']),
  preload: vitePart('preload', 'preload.cjs', ['build/vite.main-side.ts', 'shared', 'main']),
  renderer: vitePart('renderer', 'index.html', ['shared', 'renderer']),
  master: vitePart('master', 'index.js', [
    'build/vite.main-side.ts',
    'build/scripts/java/build-plugin.mjs',
    'build/scripts/java/java-jar.mjs',
    'docs/overworld-master.1',
    'shared',
    'master',
  ]),
};

/**
 * Builds every part whose inputs have changed since its last build.
 *
 * @param {readonly string[]} [names] parts to build; default: all
 * @returns {Promise<string>} outcome in a few words
 * @throws {SetupError} if the npm packages are not installed, or if a part does not build; parts built before it are
 *   kept
 */
export async function buildAll(names = Object.keys(parts)) {
  requirePackages();
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
    // The stamp describes the inputs before the build, so that an edit during the build causes another build.
    writeStamp(stamp, inputs);
    built.push(name);
  }
  return built.length === 0 ? 'ready' : `built ${built.join(', ')}`;
}

/** Throws a SetupError unless npm has installed the packages. npm writes this file last. */
function requirePackages() {
  if (existsSync(join(root, 'node_modules', '.package-lock.json'))) return;
  throw new SetupError('The npm packages are not installed; run "npm ci" and start again.');
}

// Run as a script: node build/scripts/build.mjs [part …]
if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await runScript(async () => {
    checkNode();
    const names = process.argv.slice(2);
    await step('build', () => buildAll(names.length === 0 ? undefined : names));
    return 0;
  });
}
