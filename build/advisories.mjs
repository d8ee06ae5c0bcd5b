/** `npm run advisories -- FOLDER`: compares the locked packages with a copy of the OSV database (CONTRIBUTING.md). */
import { checkNode } from './scripts/set-up/node-version.mjs';
import { runScript } from './scripts/steps.mjs';

await runScript(async () => {
  checkNode();
  const { checkAdvisories } = await import('./scripts/advisories/check-advisories.mjs');
  return checkAdvisories(process.argv.slice(2));
});
