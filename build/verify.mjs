/** `npm run ci`, `.ci/run`: all checks that a change must pass. */
import { checkNode } from './scripts/set-up/node-version.mjs';
import { runScript } from './scripts/steps.mjs';

await runScript(async () => {
  checkNode();
  const { verify } = await import('./scripts/verify.mjs');
  return verify();
});
