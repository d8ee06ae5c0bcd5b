import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { buildPlugin } from './java/build-plugin.mjs';
import { withCleanUp } from './interrupt.mjs';
import { dist, root } from './paths.mjs';
import { replaceFolder } from './stamp.mjs';
import { SetupError } from './steps.mjs';

/**
 * Builds one part with Vite in a temporary folder, and replaces the old output when it is complete.
 *
 * @param {string} part `main`, `preload`, `renderer` or `master`: names its config and its folder in `dist`
 * @throws {SetupError} if the source does not compile; `dist` is unchanged then
 */
export async function buildPart(part) {
  const { build } = await import('vite');
  const making = join(dist, '.making', `${part}-${process.pid}`);
  mkdirSync(making, { recursive: true });
  await withCleanUp(
    () => rmSync(making, { recursive: true, force: true }),
    async () => {
      await build({
        configFile: join(root, 'build', `vite.${part}.config.ts`),
        root: part === 'renderer' ? join(root, 'renderer') : root,
        logLevel: 'warn',
        build: { outDir: making, emptyOutDir: true },
      }).catch((/** @type {Error} */ error) => fail(part, error));
      if (part === 'master')
        await finishMaster(making).catch((/** @type {Error} */ error) => fail(part, error));
      replaceFolder(making, join(dist, part));
    },
  );
}

/** @param {string} part @param {Error} error @returns {never} */
function fail(part, error) {
  const message = stripVTControlCharacters(error.message);
  throw new SetupError(`The ${part} part does not build: ${message}`, { cause: error });
}

/**
 * Turns the folder into a program that can be copied to a server: executable, CommonJS by its own manifest, and
 * with the plugin for services (master/plugin/plugin-jar.ts).
 *
 * @param {string} folder
 */
async function finishMaster(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const manifest = {
    name: `${name}-master`,
    version,
    license,
    private: true,
    type: 'commonjs',
    bin: { 'overworld-master': 'index.js' },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  const entry = join(folder, 'index.js');
  if (existsSync(entry)) chmodSync(entry, 0o755);
  copyFileSync(await buildPlugin(), join(folder, 'overworld.jar'));
}
