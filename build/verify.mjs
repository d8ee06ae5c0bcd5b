/** `npm run ci`, `.ci/run`: everything that must be right before a change goes in. */
import { checkNode } from './scripts/set-up/node-version.mjs';
import { runScript } from './scripts/steps.mjs';

await runScript(async () => {
  checkNode();
  const { verify } = await import('./scripts/verify.mjs');
  return verify();
});
