/** `npm run dist [-- --master | --dir]`: sets up, builds, packs app and master into `release/`. */
import { checkNode } from './scripts/set-up/node-version.mjs';
import { runScript } from './scripts/steps.mjs';

await runScript(async () => {
  checkNode();
  const { makePackages } = await import('./scripts/packaging/make-packages.mjs');
  return makePackages(process.argv.slice(2));
});
