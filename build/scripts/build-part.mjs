import { chmodSync, copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { buildPlugin } from './java/build-plugin.mjs';
import { withCleanUp } from './interrupt.mjs';
import { dist, root } from './paths.mjs';
import { replaceFolder } from './stamp.mjs';
import { SetupError } from './steps.mjs';

/**
 * Builds one part with Vite in a temporary folder. Replaces the part's folder in `dist` only after the build has
 * succeeded.
 *
 * @param {string} part `main`, `preload`, `renderer` or `master`: names its Vite configuration and its folder in `dist`
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

/**
 * Throws the error for a part whose build failed. If the error is a SetupError, its message is already a sentence for
 * a person, so the error is thrown unchanged.
 *
 * @param {string} part
 * @param {Error} error
 * @returns {never}
 */
function fail(part, error) {
  if (error instanceof SetupError) throw error;
  const message = stripVTControlCharacters(error.message);
  throw new SetupError(`The ${part} part does not build: ${message}`, { cause: error });
}

/**
 * Turns the built master into a program that can be copied to a server: adds the executable entry, declares it as
 * CommonJS in a package.json of its own, and adds the manual page and the plugin for services
 * (master/plugin/plugin-jar.ts).
 *
 * @param {string} folder output of Vite
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
  writeFileSync(entry, `#!/usr/bin/env node\n${readFileSync(join(root, 'master', 'entry.cjs'), 'utf8')}`);
  chmodSync(entry, 0o755);
  copyFileSync(join(root, 'docs', 'overworld-master.1'), join(folder, 'overworld-master.1'));
  copyFileSync(await buildPlugin(), join(folder, 'overworld.jar'));
}
