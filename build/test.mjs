/** `npm test`, or `node build/test.mjs <group> [filters]` for one group: sets up, builds, runs the tests, counts. */
import { checkNode } from './scripts/set-up/node-version.mjs';
import { runScript } from './scripts/steps.mjs';

await runScript(async () => {
  checkNode();
  const { test } = await import('./scripts/tests/run-tests.mjs');
  return test(process.argv.slice(2));
});
